"""A command that is not there: what a person is told to try, and that it helps."""
import os
import re
import shutil
import subprocess

import pytest

LIBRARIES = f"/usr/lib/{os.uname().machine}-linux-gnu"


@pytest.fixture
def tools(sbx, open_folder):
    """A folder of programs that no profile shows."""
    folder = sbx.folder / "tools"
    folder.mkdir()
    script(folder / "mytool", "#!/bin/sh", "echo it runs")
    return folder


def script(path, *lines, end="\n"):
    path.write_text(end.join(lines) + end, newline="")
    path.chmod(0o755)


def path_with(folder):
    return {"PATH": f"{os.environ['PATH']}:{folder}"}


def hint_of(run, status):
    lines = run.err.splitlines()
    assert lines[0] == f"sbx: {status}: {run.result['reason']['text']}" and len(lines) <= 2, run.err
    return "".join(lines[1:])


def absent(sbx, *cmd, **options):
    return hint_of(sbx.run(cmd=cmd, **options).assert_status("not_found", 127), "not_found")


def refused(sbx, *cmd, **options):
    return hint_of(sbx.run(cmd=cmd, **options).assert_status("not_executable", 126), "not_executable")


def offered(hint, flag):
    return re.search(rf"{flag} (\S+)", hint)[1]


def test_a_program_of_the_callers_path(sbx, tools):
    hint = absent(sbx, "mytool", env=path_with(tools))
    assert f"on this host it is {tools}/mytool" in hint
    run = sbx.run(flags=["--tool", offered(hint, "--tool")], cmd=["mytool"], env=path_with(tools)).assert_ok()
    assert run.out == "it runs\n"


def test_a_program_in_usr_that_only_the_callers_path_leads_to(sbx):
    env = path_with("/usr/lib/apt")
    hint = absent(sbx, "apt-helper", env=env)
    assert "on this host it is /usr/lib/apt/apt-helper, which is not on PATH inside" in hint
    run = sbx.run(flags=["--tool", offered(hint, "--tool")], cmd=["apt-helper", "--version"], env=env).assert_ok()
    assert run.out.startswith("apt ")


def test_a_path_of_the_host(sbx, tools):
    hint = absent(sbx, tools / "mytool")
    assert "--tool" not in hint  # it is not on PATH
    assert sbx.run(flags=["--ro", offered(hint, "--ro")], cmd=[tools / "mytool"]).assert_ok().out == "it runs\n"
    assert "and --tool mytool" in absent(sbx, tools / "mytool", env=path_with(tools))


def test_a_path_below_the_workspace(sbx):
    script(sbx.cwd / "here", "#!/bin/sh", "echo it runs")
    hint = absent(sbx, sbx.cwd / "here")
    assert f"{sbx.cwd} is /workspace inside: write ./here" in hint
    assert "where the command starts: ./here" in absent(sbx, "here")
    assert sbx.run(cmd=["./here"]).assert_ok().out == "it runs\n"


def test_a_file_that_is_no_program(sbx):
    (sbx.cwd / "code.py").write_text("print('it runs')\n")
    hint = absent(sbx, "code.py")
    assert hint.endswith("INTERPRETER code.py")
    assert sbx.run(cmd=["python3", "code.py"]).assert_ok().out == "it runs\n"
    (sbx.cwd / "folder").mkdir()
    assert absent(sbx, "folder") == "" and absent(sbx, "nosuch") == ""


def test_an_interpreter_that_is_not_shown(sbx, tools):
    script(sbx.cwd / "script", f"#!{tools}/mytool -x")
    hint = absent(sbx, "./script")
    assert f"names {tools}/mytool, which is not inside" in hint
    assert sbx.run(flags=["--ro", offered(hint, "--ro")], cmd=["./script"]).assert_ok().out == "it runs\n"
    script(sbx.cwd / "script", "#!/nosuch/interpreter")
    assert "names /nosuch/interpreter, which this host does not have either" in absent(sbx, "./script")


@pytest.mark.parametrize("flags, path", [(["--workspace", ".:overlay"], "./script"), (["--copy-in", "script:/tmp/script"], "/tmp/script")])
def test_an_interpreter_of_a_script_that_is_a_copy(sbx, tools, flags, path):
    script(sbx.cwd / "script", f"#!{tools}/mytool -x")
    hint = absent(sbx, path, flags=flags)
    assert f"names {tools}/mytool, which is not inside" in hint
    assert sbx.run(flags=[*flags, "--ro", offered(hint, "--ro")], cmd=[path]).assert_ok().out == "it runs\n"


def test_a_path_below_a_workspace_that_is_an_overlay(sbx):
    script(sbx.cwd / "here", "#!/bin/sh")
    assert "is /workspace inside: write ./here" in absent(sbx, sbx.cwd / "here", flags=["--workspace", ".:overlay"])


def test_an_interpreter_that_the_root_lacks(sbx, tools):
    """Below a folder that is there."""
    script(sbx.cwd / "script", "#!/usr/bin/nosuchinterpreter")
    assert "names /usr/bin/nosuchinterpreter, which this host does not have either" in absent(sbx, "./script")
    root = sbx.folder / "root"
    (root / "usr/bin").mkdir(parents=True)
    script(sbx.cwd / "script", "#!/usr/bin/env sh")
    hint = absent(sbx, "./script", flags=["--root", root])
    assert hint.endswith("its first line names /usr/bin/env, which is not inside"), hint


def test_the_interpreter_of_a_virtual_environment_comes_with_all_of_it(sbx, tools):
    (tools / "venv/bin").mkdir(parents=True)
    (tools / "venv/pyvenv.cfg").write_text("")
    shutil.copy(tools / "mytool", tools / "venv/bin/python3")
    script(sbx.cwd / "pytest", f"#!{tools}/venv/bin/python3")
    assert offered(absent(sbx, "./pytest"), "--ro") == f"{tools}/venv"


def test_a_loader_that_the_root_lacks(sbx, tools):
    """Of a tool that came without the host's libraries, by its name and by its path."""
    shutil.copy("/usr/bin/env", tools / "mytool")
    env = path_with(tools)
    for name in ("mytool", tools / "mytool"):
        hint = absent(sbx, name, flags=["--root", "empty", "--tool", "mytool"], env=env)
        assert re.search(r"it is there, and its loader /lib\S* is not: --root host shows it", hint), hint
    loader = ["--ro", offered(absent(sbx, "mytool", flags=["--root", "empty", "--ro", "/usr", "--tool", "mytool"], env=env), "--ro")]
    flags = ["--root", "empty", "--ro", "/usr", "--tool", "mytool", *loader, "--env", "LD_LIBRARY_PATH=" + LIBRARIES]
    assert "HOME=/tmp" in sbx.run(flags=flags, cmd=["mytool"], env=env).assert_ok().out


def test_a_tool_that_another_root_cannot_have_of_the_host(sbx):
    """It is installed already, and on PATH."""
    run = sbx.run(flags=["--root", "empty", "--tool", "sh"], cmd=["sh"]).assert_refused("which this root does not show", "use --root host")
    assert "install" not in run.err and "or write `sh?`" in run.err
    sbx.run(flags=["--root", "host", "--tool", "sh"], cmd=["sh", "-c", "true"]).assert_ok()


def test_a_tool_that_another_root_needs_outside_of_usr(sbx):
    sbx.run(flags=["--root", "empty", "--tool", "nosuchtool"], cmd=["nosuchtool"]).assert_refused("install it on PATH, outside of /usr", "`nosuchtool?`")


def test_lines_that_end_as_on_windows(sbx):
    script(sbx.cwd / "script", "#!/bin/sh", "echo it runs", end="\r\n")
    assert "CR LF, and the CR counts as part of /bin/sh" in absent(sbx, "./script")


def test_words_that_are_one(sbx):
    assert "a line for a shell: sh -c 'echo it runs'" in absent(sbx, "echo it runs")
    script(sbx.cwd / "here", "#!/bin/sh", 'echo "$1"')
    assert "a line for a shell: sh -c './here hello'" in absent(sbx, "./here hello")
    script(sbx.cwd / "my tool", "#!/nosuch/interpreter")
    assert "names /nosuch/interpreter" in absent(sbx, "./my tool")


def test_a_variable_before_the_command(sbx):
    assert "it stands before the command: --env GREETING=hello --" in absent(sbx, "GREETING=hello", "env")


def test_a_root_that_is_an_image(sbx):
    layout = sbx.folder / "layout"
    layout.mkdir()
    (layout / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    assert f"--root oci:{layout} runs what is in it" in absent(sbx, "sh", flags=["--root", layout])


def test_a_script_whose_mode_forbids_it(sbx):
    script(sbx.cwd / "my script", "#!/bin/sh", "echo it runs")
    (sbx.cwd / "my script").chmod(0o644)
    hint = refused(sbx, "./my script")
    assert hint.endswith(f"its mode does not allow it: chmod +x '{sbx.cwd}/my script'"), hint
    subprocess.run(["sh", "-c", hint.split("allow it: ")[1]], check=True)
    assert sbx.run(cmd=["./my script"]).assert_ok().out == "it runs\n"


@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_script_that_names_no_interpreter(sbx, mode):
    script(sbx.cwd / "script", "echo it runs")
    (sbx.cwd / "script").chmod(mode)
    hint = refused(sbx, "./script")
    assert hint.endswith("write one before it: INTERPRETER ./script"), hint
    assert sbx.run(cmd=["sh", *hint.split("INTERPRETER ")[1:]]).assert_ok().out == "it runs\n"


def test_what_is_no_program_is_not_to_become_one(sbx):
    """Nobody is told to change the system's files, or what has good reasons not to run."""
    (sbx.cwd / "folder").mkdir()
    script(sbx.cwd / "script", "#!/bin/sh")
    assert refused(sbx, "./folder") == ""
    flags = ["--set", "mounts=[{tmpfs: /x, exec: false}, {copy: script, at: /x/script}]"]
    assert refused(sbx, "/x/script", flags=flags) == ""
    assert "chmod" not in refused(sbx, "/usr/lib/x86_64-linux-gnu/libm.so.6")
    assert "chmod" not in refused(sbx, "/etc/ld.so.cache")


@pytest.mark.parametrize("name", ["nosuchprogram", "./nosuchprogram", "/usr/bin/nosuchprogram"])
def test_nothing_is_said_where_nothing_is_known(sbx, name):
    assert absent(sbx, name) == ""


def test_nothing_of_the_host_is_offered_to_another_root(sbx, tools):
    for name in ("ls", "/bin/ls", "mytool"):
        assert absent(sbx, name, flags=["--root", "empty"], env=path_with(tools)) == ""


def test_a_command_before_which_no_verb_stands(sbx):
    run = sbx.call("--", "echo", "it runs").assert_refused("no verb stands before `--`", "usage: sbx run [PROFILE] [FLAGS] -- CMD")
    assert "unknown flag" not in run.err and not run.out
