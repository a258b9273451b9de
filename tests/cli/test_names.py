"""Profiles by name: where they are looked up, and which of several that have the same is meant; help by a verb's."""
import shutil

import pytest


def test_names_are_looked_up_in_order(sbx):
    folder = sbx.folder / "config" / "sbx" / "profiles"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("version: 1\ndescription: my own\n")
    (folder / "shell.yaml").write_text("version: 1\ndescription: in place of the built-in one\n")
    env = {"XDG_CONFIG_HOME": str(sbx.folder / "config")}
    listed = sbx.call("profiles", "ls", env=env)
    assert listed.code == 0
    lines = {line.split()[0]: line for line in listed.out.splitlines()}
    assert str(folder) in lines["mine"] and "my own" in lines["mine"]
    assert "in place of" in lines["shell"] and "built in" in lines["python"]
    assert "my own" in sbx.call("profiles", "show", "mine", env=env).out
    # The XDG base directory specification: a relative path is ignored.
    assert sbx.call("profiles", "show", "mine", env={"XDG_CONFIG_HOME": "config"}, cwd=sbx.folder).code == 125


@pytest.mark.parametrize("name, file", [("team.txt", "team.txt"), ("my team", "my team"), ("team", "team.yml")])
def test_a_file_of_the_name_itself_is_told_by_its_path(sbx, name, file):
    (sbx.cwd / file).write_text("version: 1\n")
    run = sbx.call("run", name, "--", "true").assert_refused("no profile is named")
    path = run.err.split("such as ")[1].strip().strip("'")
    assert path == f"./{file}", run
    assert sbx.call("check", path).code == 0
    (sbx.cwd / file).chmod(0o755)  # a program is none
    sbx.call("run", name, "--", "true").assert_refused(".yaml")


@pytest.mark.parametrize("verb", ["run", "explain", "learn"])
def test_a_program_in_place_of_the_profile_may_be_the_command(sbx, verb):
    shutil.copy("/bin/true", sbx.cwd / "hello")
    (sbx.cwd / "script").write_text("#!/bin/sh\necho hi\n")
    (sbx.cwd / "script").chmod(0o755)
    for path in ("./hello", "./script"):
        sbx.call(verb, path).assert_refused(f"{path}:", f"a command stands after `--`: sbx {verb} -- {path}")
    (sbx.cwd / "script").chmod(0o644)
    (sbx.cwd / "team.yaml").write_text("no\n")
    (sbx.cwd / "team.yaml").chmod(0o755)
    for path in ("./script", "./team.yaml", "./none"):
        assert "a command stands after" not in sbx.call(verb, path).assert_refused().err, path


def test_a_profile_that_extends_its_own_name_means_the_next_one_of_it(sbx):
    folder = sbx.folder / "config" / "sbx" / "profiles"
    folder.mkdir(parents=True)
    (folder / "judge.yaml").write_text("version: 1\nextends: [judge]\nhostname: mine\n")
    (folder / "lonely.yaml").write_text("version: 1\nextends: [lonely]\n")
    (sbx.cwd / "judge.yaml").write_text("version: 1\nextends: [judge]\n")
    (sbx.cwd / "there").symlink_to(folder)
    env = {"XDG_CONFIG_HOME": str(sbx.folder / "config")}
    built_in = sbx.call("explain", "judge", env={"XDG_CONFIG_HOME": "/nonexistent"}).out
    assert "cpu 2s" in built_in, built_in
    for name in ("judge", "./judge.yaml", "there/judge.yaml", folder / "judge.yaml"):
        run = sbx.call("explain", name, env=env)
        assert run.code == 0 and "mine" in run.out and "cpu 2s" in run.out, run
    run = sbx.call("run", "lonely", "--", "true", env=env)
    run.assert_refused("lonely.yaml:2:11", "no other profile is named lonely")


def test_a_run_has_one_profile(sbx):
    run = sbx.call("run", "python", "mine.yaml", "--", "true")
    run.assert_refused("unexpected argument mine.yaml", "a file can build on others: extends: [python, mine.yaml]")


def test_a_mode_without_its_folder_is_told_as_that(sbx):
    sbx.call("run", "--workspace", "rw", "--", "true").assert_refused("cannot show rw", "--workspace .:rw")


def test_help_of_a_verb_can_be_asked_for_as_in_git(sbx):
    assert sbx.call("help", "run").out == sbx.call("run", "--help").out != ""
    assert sbx.call("help").out == sbx.call("help", "--help").out == sbx.call("--help").out != ""
    sbx.call("help", "rnu").assert_refused("unknown verb rnu", "sbx run")
