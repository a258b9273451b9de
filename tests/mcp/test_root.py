"""Root's server in a folder of somebody else's: tools and commands are its owner there, and nobody else."""
import os

import pytest

OWNER = (4242, 4343)
READABLE = {"app.py", "data/in.csv", "theirs", "of-group"}
CLOSED = {"roots", "others", "folder/inner"}
pytestmark = pytest.mark.needs("root")


@pytest.fixture
def folder(project):
    """Of OWNER, with files that are theirs alone, their group's, root's own, and of yet another."""
    for path in (project, *project.rglob("*")):
        os.chown(path, *OWNER)
    (project / "folder").mkdir()
    for name, owner, mode in (("theirs", OWNER, 0o600), ("of-group", (0, OWNER[1]), 0o640), ("roots", (0, 0), 0o600),
                              ("others", (4444, 4444), 0o600), ("folder/inner", (0, 0), 0o600)):
        (project / name).write_text(f"text of {name}\n")
        os.chown(project / name, *owner)
        (project / name).chmod(mode)
    (project / "folder").chmod(0o700)
    return project


def owner_of(path):
    what = os.lstat(path)
    return what.st_uid, what.st_gid


@pytest.mark.parametrize("mode", ["ro", "rw", "overlay"])
def test_what_a_command_reads_a_tool_reads_and_nothing_else(serve, folder, mode):
    client = serve("python", "--workspace", f"{folder}:{mode}")
    for name in sorted(READABLE | CLOSED):
        by_command = client.call("run_command", argv=["cat", name])["structuredContent"]
        by_tool = client.call("read_file", path=name)
        assert (by_command["exit_code"] == 0) == (not by_tool["isError"]) == (name in READABLE), name
        if name in READABLE:
            assert by_command["stdout"]["text"] == by_tool["structuredContent"]["text"] == (folder / name).read_text()
    found = set(client.call("run_shell", script="find . -type f -readable 2>/dev/null")["structuredContent"]["stdout"]["text"].split())
    assert {name.removeprefix("./") for name in found} == READABLE
    listed = {one["path"] for one in client.call("list_files")["structuredContent"]["files"]}
    assert READABLE <= listed and "folder/inner" not in listed
    kept = client.call("collect_artifacts", patterns=["**"])["structuredContent"]["artifacts"]
    assert {one["path"].removeprefix("/workspace/") for one in kept} == READABLE


def test_what_is_written_there_is_its_owners(serve, folder):
    client = serve("python", "--workspace", f"{folder}:rw")
    client.shell("echo x > by-command; echo more >> theirs")
    client.call("write_file", path="new/by-tool", text="x")
    assert not client.call("write_file", path="theirs", text="x")["isError"]
    assert {owner_of(folder / name) for name in ("by-command", "new", "new/by-tool", "theirs")} == {OWNER}
    assert (folder / "theirs").stat().st_mode & 0o777 == 0o600
    (folder / "folder").chmod(0o755)
    assert "Permission denied" in client.refused("write_file", path="folder/by-tool", text="x")
    assert client.call("run_shell", script="echo x > folder/by-command")["structuredContent"]["exit_code"] != 0
    assert os.listdir(folder / "folder") == ["inner"]


def test_what_is_applied_is_its_owners(serve, folder):
    client = serve("python", "--workspace", f"{folder}:overlay", "--keep", "apply")
    client.shell("mkdir made; echo x > made/by-command; ln -s app.py link; echo more >> theirs; chmod 700 data")
    client.call("write_file", path="made/by-tool", text="x")
    changed = {one["path"] for one in client.call("diff")["structuredContent"]["changes"]}
    assert changed == {"data", "link", "made", "made/by-command", "made/by-tool", "theirs"}
    assert not client.call("apply")["isError"]
    assert {owner_of(folder / name) for name in changed} == {OWNER}
    assert (folder / "theirs").read_text() == "text of theirs\nmore\n" and (folder / "theirs").stat().st_mode & 0o777 == 0o600
    assert {(owner_of(folder / name)[0], (folder / name).read_text()) for name in ("roots", "others")} == {
        (0, "text of roots\n"), (4444, "text of others\n")}
    assert client.call("diff")["structuredContent"]["changes"] == []


@pytest.mark.parametrize("script, path", [("echo x > open/new", "open/new"), ("rm open/f", "open/f"),
                                          ("echo y > open/f", "open/f"), ("chmod 777 open", "open")])
def test_nothing_is_applied_that_its_owner_could_not_change(serve, folder, script, path):
    """In the session's copy all is its owner's; in the folder it is not."""
    (folder / "open").mkdir()
    (folder / "open" / "f").write_text("f")
    client = serve("python", "--workspace", f"{folder}:overlay", "--keep", "apply")
    client.shell(script + "; echo x > app.py")
    result = client.call("apply")
    assert result["isError"], result
    assert [(one["path"], "owner" in one["why"]) for one in result["structuredContent"]["conflicts"]] == [(path, True)]
    assert os.listdir(folder / "open") == ["f"] and (folder / "open" / "f").read_text() == "f"
    assert (folder / "open").stat().st_mode & 0o777 == 0o755 and (folder / "app.py").read_text() == "print('hello')\n"
    assert not client.call("apply", paths=["app.py"])["isError"] and (folder / "app.py").read_text() == "x\n"


def test_a_name_that_a_closed_file_has_is_not_taken(serve, folder):
    client = serve("python", "--workspace", f"{folder}:overlay", "--keep", "apply")
    client.shell("echo mine > roots")
    result = client.call("apply")
    assert [one["path"] for one in result["structuredContent"]["conflicts"]] == ["roots"] and "text of" not in str(result)
    assert (folder / "roots").read_text() == "text of roots\n" and owner_of(folder / "roots") == (0, 0)


def test_a_kept_session_is_applied_like_a_run(serve, folder):
    client = serve("python", "--workspace", f"{folder}:overlay", "--keep", "diff")
    client.shell("mkdir made; echo x > made/f")
    code, said = client.close()
    assert code == 0
    run = said.split("sbx diff ")[1].split()[0]
    (folder / "made").mkdir()  # the operator's own, by now
    refused = client.sbx.call("apply", run)
    assert refused.code != 0 and "the owner of the workspace may not" in refused.err and os.listdir(folder / "made") == []
    (folder / "made").rmdir()
    assert client.sbx.call("apply", run).code == 0
    assert {owner_of(folder / name) for name in ("made", "made/f")} == {OWNER}
