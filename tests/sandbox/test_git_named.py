"""workspace.git: protect: what a configuration names, and a hook that is a link, is kept as well."""
import pytest

from support.git_trees import PROTECT, git, make


@pytest.fixture
def main(tmp_path, open_folder):
    return make(tmp_path, "main")


def sh(sbx, tree, script):
    return sbx.run(flags=PROTECT, cmd=["sh", "-c", script], cwd=tree.top)


def refused(sbx, tree, *words):
    return sh(sbx, tree, "true").assert_refused("workspace.git: protect", *words)


def named(tree):
    (tree.top / "team").mkdir()
    (tree.top / "team" / "config").write_text("[alias]\n\tx = status\n")
    (tree.top / "hooks.d").mkdir()
    git(tree.top, "config", "include.path", str(tree.top / "team" / "config"))
    git(tree.top, "config", "core.hooksPath", "hooks.d")


def test_what_the_configuration_names_is_kept_as_well(sbx, main):
    named(main)
    run = sh(sbx, main, "echo x >> team/config; mv team t; echo x > hooks.d/pre-commit; mv hooks.d h; "
                        "git commit -q --allow-empty -m fine")
    assert run.code == 0 and run.err.lower().count("read-only") == 2 and run.err.count("busy") == 2, run


@pytest.mark.parametrize("hooks", ["hooks\t.d", ":(optional)hooks .d", "~/hooks .d"])
def test_hooks_that_only_some_versions_of_git_find_there(sbx, main, hooks):
    """As the caller's home the work tree has other files that are kept."""
    (main.top / "hooks .d").mkdir()
    with open(main.top / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(f"[core]\n\thooksPath = {hooks}\n")
    run = sbx.run(flags=PROTECT, cmd=["sh", "-c", "echo x > 'hooks .d/pre-commit'; mv 'hooks .d' h"], cwd=main.top,
                  env={"HOME": str(main.top)})
    assert "Read-only" in run.err and "busy" in run.err, run


@pytest.mark.parametrize("times", [1, 20])
def test_what_a_long_configuration_of_the_callers_names_is_kept(sbx, main, tmp_path, times):
    home = tmp_path / "home"
    home.mkdir()
    (main.top / "hooks").mkdir()
    filling = f"[alias]\n\tlong = {'x' * 200}\n" * 500
    (home / ".gitconfig").write_text(f"{filling}[core]\n\thooksPath = {main.top}/hooks\n" * times)
    run = sbx.run(flags=PROTECT, cmd=["sh", "-c", "echo x > hooks/pre-commit"], cwd=main.top, env={"HOME": str(home)})
    if times == 1:
        assert "Read-only" in run.err, run
    else:
        run.assert_refused(".gitconfig", "longer than 1 MiB")


@pytest.mark.parametrize("hooks", [".", "team/..", "{top}", "{link}", ":(optional)."])
def test_hooks_that_are_the_whole_work_tree_are_refused(sbx, main, tmp_path, hooks):
    (tmp_path / "link").symlink_to(main.top)
    (main.top / "team").mkdir()
    git(main.top, "config", "core.hooksPath", hooks.format(top=main.top, link=tmp_path / "link"))
    refused(sbx, main, "could be a hook", "--git none")


def test_hooks_that_are_the_whole_git_folder_of_a_worktree_are_refused(sbx, tmp_path, open_folder):
    tree = make(tmp_path, "worktree")
    git(tree.top, "config", "core.hooksPath", str(tree.common))
    refused(sbx, tree, "could be a hook")


@pytest.mark.parametrize("shown", ["", "hooks", "hooks/sub"])
def test_what_it_names_elsewhere_must_not_be_writable_by_a_mount(sbx, main, tmp_path, shown):
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "hooks" / "sub").mkdir(parents=True)
    git(main.top, "config", "core.hooksPath", str(elsewhere / "hooks"))
    flags = [*PROTECT, "--rw", f"{elsewhere / shown}:/elsewhere"]
    sbx.run(flags=flags, cmd=["true"], cwd=main.top).assert_refused("workspace.git: protect", f"obeys {elsewhere}/hooks", "(--rw)")
    flags[-2] = "--ro"
    sbx.run(flags=flags, cmd=["true"], cwd=main.top).assert_ok()


@pytest.mark.parametrize("name", ["home/.gitconfig", "home/.config/git/config", "included"])
def test_a_configuration_elsewhere_must_not_be_writable_by_a_mount(sbx, main, tmp_path, name):
    """Nor must it come into being."""
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "home/.config/git").mkdir(parents=True)
    git(main.top, "config", "include.path", str(elsewhere / "included"))
    folder = (elsewhere / name).parent
    run = sbx.run(flags=[*PROTECT, "--rw", f"{folder}:/elsewhere"], cmd=["true"], cwd=main.top,
                  env={"HOME": str(elsewhere / "home"), "XDG_CONFIG_HOME": str(elsewhere / "home/.config")})
    run.assert_refused("workspace.git: protect", "git on the host obeys", "(--rw)")


def test_hooks_in_the_home_of_a_user_that_they_name_are_refused(sbx, main):
    git(main.top, "config", "core.hooksPath", "~root/hooks")
    refused(sbx, main, "~root/hooks", "--git none")


def test_what_it_names_through_a_link_is_refused(sbx, main):
    named(main)
    (main.top / "hooks.d").rename(main.top / "real")
    (main.top / "hooks.d").symlink_to("real")
    refused(sbx, main, "hooks.d", "symbolic link")


def test_what_it_names_in_vain_must_not_come_into_being(sbx, main):
    git(main.top, "config", "include.path", "../team.config")
    run = sh(sbx, main, "echo > team.config; sleep 30")
    assert run.code == 137 and run.result["reason"]["code"] == "git_protect", run
    assert not (main.top / "team.config").exists()


def test_a_hook_that_is_a_link_into_the_work_tree(sbx, main):
    (main.top / "scripts").mkdir()
    (main.top / "scripts" / "check").write_text("#!/bin/sh\n")
    (main.own / "hooks" / "pre-commit").symlink_to("../../scripts/check")
    run = sh(sbx, main, "echo x >> scripts/check; mv scripts s")
    assert "ead-only" in run.err and "busy" in run.err, run
