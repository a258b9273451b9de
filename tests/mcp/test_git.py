"""workspace.git: protect for the tool that writes without a sandbox: what commands cannot write there it does not, either,
and whatever else it does. Each place is tried by both, and without the preset."""
import pytest

from support.git_trees import ENV_FLAGS, KINDS, PROTECT, git, make

OWNED = "#!/bin/sh\necho owned\n"


@pytest.fixture
def main(tmp_path, open_folder):
    return make(tmp_path, "main")


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def held(client, tree, *paths):
    """Neither the tool nor a command writes any of them."""
    before = snapshot(tree.top)
    for path in paths:
        text = client.refused("write_file", path=path, text=OWNED)
        assert "workspace.git: protect" in text and "overlay" in text, text
    assert snapshot(tree.top) == before


def free(client, *paths):
    for path in paths:
        assert not client.call("write_file", path=path, text="mine")["isError"], path


def by_command(client, path):
    """What a command makes of it: an error (it is read-only), or the end of the run (nothing is to be there)."""
    run = client.call("run_shell", script=f"mkdir -p $(dirname {path}) && echo x > {path}")["structuredContent"]
    return run["exit_code"] != 0


def test_what_git_obeys_is_not_written_by_a_tool_either(serve, sbx, main):
    client = serve("default", *PROTECT, cwd=main.top)
    held(client, main, ".git/hooks/pre-commit", ".git/config", "sub/.git", "./.git//info/exclude", ".git/worktrees/other/gitdir")
    free(client, "src/x.py", "file", ".gitignore")
    assert client.shell("git add -A && git commit -qm one && git log --oneline | head -1")["stdout"]["text"].endswith("one\n")
    sbx.call("mcp", "--workspace", f"{main.top}:overlay", "--git", "protect", *sbx.degraded).assert_refused("git: protect", "DIR:rw")
    control = serve("default", "--workspace", f"{main.top}:rw")
    assert not control.call("write_file", path=".git/hooks/pre-commit", text="x")["isError"]


@pytest.mark.parametrize("exists", [True, False], ids=["there", "missing"])
def test_a_file_that_the_configuration_names(serve, main, exists):
    git(main.top, "config", "include.path", "../team.conf")
    (main.top / "deep").mkdir()
    if exists:
        (main.top / "team.conf").write_text("[include]\n\tpath = deep/more.conf\n")
        (main.top / "deep" / "more.conf").write_text("")
    client = serve("default", *PROTECT, cwd=main.top)
    held(client, main, "team.conf", "/workspace/team.conf", "./team.conf", "team.conf/x")
    free(client, "team.config", "sub/team.conf", "deep/less.conf")
    if exists:
        held(client, main, "deep/more.conf")
        assert by_command(client, "team.conf") and by_command(client, "deep/more.conf")
    control = serve("default", "--workspace", ".:rw", *ENV_FLAGS, cwd=main.top)
    assert not control.call("write_file", path="team.conf", text="[alias]\n\tst = !echo owned\n")["isError"]
    assert git(main.top, "st").stdout == "owned\n"


def test_what_the_operator_names_meanwhile(serve, main):
    client = serve("default", *PROTECT, cwd=main.top)
    free(client, "late.conf")
    git(main.top, "config", "include.path", "../late.conf")
    held(client, main, "late.conf")
    git(main.top, "config", "include.path", "../no/such/folder.conf")
    assert "no/such/folder.conf" in client.refused("write_file", path="else", text="")  # nobody can promise anything


@pytest.mark.parametrize("exists", [True, False], ids=["there", "missing"])
def test_a_folder_of_hooks(serve, main, exists):
    git(main.top, "config", "core.hooksPath", "tools")
    if exists:
        (main.top / "tools").mkdir()
        (main.top / "tools" / "pre-push").write_text("true\n")
    client = serve("default", *PROTECT, cwd=main.top)
    held(client, main, "tools/pre-commit", "tools/pre-push", "tools/deep/er", "tools")
    free(client, "tools2/pre-commit", "sub/tools/pre-commit")
    if exists:
        assert by_command(client, "tools/pre-commit")
    control = serve("default", "--workspace", ".:rw", *ENV_FLAGS, cwd=main.top)
    assert not control.call("write_file", path="tools/pre-commit", text=OWNED, executable=True)["isError"]
    (main.top / "file").write_text("new")
    assert "owned" in git(main.top, "commit", "-qam", "by the operator").stderr


def test_what_a_hook_links_to(serve, main):
    (main.top / "ci").mkdir()
    (main.top / "ci" / "check").write_text("#!/bin/sh\ntrue\n")
    (main.top / "ci" / "check").chmod(0o755)
    (main.own / "hooks" / "pre-commit").symlink_to("../../ci/check")
    client = serve("default", *PROTECT, cwd=main.top)
    held(client, main, "ci/check")
    free(client, "ci/other")
    assert by_command(client, "ci/check")
    control = serve("default", "--workspace", ".:rw", *ENV_FLAGS, cwd=main.top)
    assert not control.call("write_file", path="ci/check", text=OWNED)["isError"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_work_tree(serve, tmp_path, open_folder, kind):
    tree = make(tmp_path, kind)
    git(tree.top, "config", "include.path", str(tree.top / "team.conf"))
    client = serve("default", *PROTECT, cwd=tree.top)
    held(client, tree, ".git", ".git/x", "team.conf")
    free(client, "file", "new/file")
    assert client.shell("git add -A && git commit -qm one && git log --format=%s | head -1")["stdout"]["text"] == "one\n"


def test_a_git_folder_by_another_name(serve, main):
    (main.top / ".git").rename(main.top / "store")
    (main.top / ".git").write_text("gitdir: ./store\n")
    client = serve("default", *PROTECT, cwd=main.top)
    held(client, main, ".git", "store/config", "store/hooks/pre-commit", "store/info/exclude", "store/HEAD")
    free(client, "file", "stored")
