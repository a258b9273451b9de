"""The workspace of a session: what calls share, how it comes back to the operator, and who it is kept from."""
import json
import os
import stat
import threading

import pytest


def changed(client):
    return {one["path"]: one["change"] for one in client.call("diff")["structuredContent"]["changes"]}


def content(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_calls_share_what_they_write_and_the_host_sees_none_of_it(client, project):
    before = content(project)
    client.shell("echo one > a; mkdir d; ln -s a d/link; rm data/in.csv; chmod 700 app.py")
    assert client.shell("cat a; readlink d/link; ls data; stat -c %a app.py")["stdout"]["text"] == "one\na\n700\n"
    client.call("write_file", path="a", text="two")
    assert client.shell("cat a")["stdout"]["text"] == "two"
    assert changed(client) == {"a": "added", "app.py": "modified", "d": "added", "d/link": "added", "data/in.csv": "deleted"}
    assert content(project) == before
    assert client.close()[0] == 0 and content(project) == {**before}  # what was not applied is dropped, or kept aside


@pytest.mark.parametrize("words", [[], ["--workspace", "none"]])
def test_by_default_and_without_a_folder_the_workspace_is_the_sessions_own(serve, project, words):
    before = content(project)
    client = serve("python", *words)
    client.call("write_file", path="new", text="x")
    assert client.shell("cat new; echo y >> new; cat new")["stdout"]["text"] == "xxy\n"
    assert set(changed(client)) == {"new"}
    assert ("app.py" in client.shell("ls")["stdout"]["text"]) == (words == [])
    assert "--keep apply" in client.refused("apply")
    assert client.close() == (0, "") and content(project) == before


def test_two_sessions_do_not_see_each_other(serve, project):
    one, other = serve("python"), serve("python")
    one.call("write_file", path="mine", text="x")
    assert "mine" not in other.shell("ls; ls /workspace/..")["stdout"]["text"]
    assert changed(other) == {}


def test_calls_at_the_same_time_cannot_mix(client):
    """Like transactions: who comes second with another content for the same file has changed nothing at all."""
    numbers = [client.start("run_shell", script="echo $1 > same; echo $1 > own$1; sleep 1", args=[str(i)]) for i in range(4)]
    changes = [client.response(number)["result"]["structuredContent"]["changes"] for number in numbers]
    kept = [i for i, one in enumerate(changes) if one["kept"]]
    assert len(kept) == 1
    for one in changes:
        assert one["kept"] or [conflict["path"] for conflict in one["conflicts"]] == ["same"]
    names = {one["path"] for one in client.call("list_files")["structuredContent"]["files"]}
    assert {f"own{kept[0]}", "same"} <= names and not {f"own{i}" for i in range(4) if i != kept[0]} & names
    assert client.shell("cat same")["stdout"]["text"] == f"{kept[0]}\n"


def test_what_a_run_that_failed_has_written_is_there(client):
    client.call("run_shell", script="echo partial > log; exit 7")
    client.call("run_shell", script="echo late > late; sleep 20", timeout="500ms")
    assert client.shell("cat log late")["stdout"]["text"] == "partial\nlate\n"


def test_apply_changes_the_folder_and_only_then(client, project):
    client.shell("echo new > new; echo 3,4 >> data/in.csv; rm app.py")
    assert "+3,4" in client.call("diff", paths=["data"])["structuredContent"]["patch"]
    for tool in ("diff", "apply"):
        assert "an empty path" in client.refused(tool, paths=[""])
    assert client.call("apply", paths=["data/in.csv"])["structuredContent"] == {"applied": 1, "already": 0, "conflicts": [], "omitted": []}
    assert content(project) == {"app.py": "print('hello')\n", "data/in.csv": "1,2\n3,4\n"}
    assert set(changed(client)) == {"new", "app.py"}  # the rest is still the session's alone
    client.shell("echo 5,6 >> data/in.csv")  # and what was applied can change again
    assert client.call("apply")["structuredContent"]["applied"] == 3
    assert content(project) == {"data/in.csv": "1,2\n3,4\n5,6\n", "new": "new\n"}
    assert changed(client) == {} and client.call("apply")["structuredContent"]["applied"] == 0
    assert client.close() == (0, "")


def test_what_no_change_can_be_made_of_is_told(client, project, state):
    """Commands leave none, as their runs say so already."""
    client.shell("mkdir d; echo x > d/new")
    [session] = (state / "sbx" / "mcp").iterdir()
    os.mknod(session / "tree" / "d" / "door", stat.S_IFSOCK | 0o600)
    result = client.call("apply")
    assert result["structuredContent"] == {"applied": 2, "already": 0, "conflicts": [], "omitted": client.call("diff")["structuredContent"]["omitted"]}
    assert [one["path"] for one in result["structuredContent"]["omitted"]] == ["d/door"]
    assert "omitted: d/door: a socket" in result["content"][0]["text"]
    assert os.listdir(project / "d") == ["new"]


def test_what_the_operator_has_changed_meanwhile_is_never_overwritten(client, project):
    client.shell("echo theirs > app.py; echo fine > fine")
    (project / "app.py").write_text("the operator's\n")
    (project / "other").write_text("not the session's to delete\n")
    result = client.call("apply")
    assert result["isError"] and [one["path"] for one in result["structuredContent"]["conflicts"]] == ["app.py"]
    assert content(project)["app.py"] == "the operator's\n" and "fine" not in content(project)
    assert client.call("apply", paths=["fine"])["structuredContent"]["applied"] == 1
    assert content(project) == {"app.py": "the operator's\n", "data/in.csv": "1,2\n", "fine": "fine\n",
                                "other": "not the session's to delete\n"}


def test_what_a_session_does_not_see_it_cannot_delete(serve, project):
    (project / "data" / ".env").write_text("SECRET")
    client = serve("python", "--workspace", f"{project}:overlay", "--keep", "apply", "--mask", "/workspace/**/.env")
    client.shell("rm -rf data")
    result = client.call("apply")
    assert result["isError"], result
    assert (project / "data" / ".env").read_text() == "SECRET"


def test_what_is_masked_a_session_cannot_make(serve, project):
    """Neither where the operator has it, nor where there was none."""
    (project / ".git").mkdir()
    (project / ".git" / "config").write_text("[core]\n")
    script = ("mkdir -p .git/hooks; echo 'echo owned' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit"
              "; mkdir sub; echo x > sub/.env; ln sub/.env linked; echo fine > fine")
    control = serve("python", "--workspace", f"{project}:overlay", "--keep", "apply")
    control.shell("mkdir -p .git/hooks; echo 'echo owned' > .git/hooks/pre-commit")
    assert ".git/hooks/pre-commit" in changed(control)
    masks = ["--mask", "/workspace/.git", "--mask", "/workspace/**/.env"]
    client = serve("python", "--workspace", f"{project}:overlay", "--keep", "apply", *masks)
    run = client.shell(script)
    [warning] = [one for one in run["warnings"] if "mask" in one]
    assert run["changes"]["kept"] is True and ".git/hooks/pre-commit" in warning and "sub/.env" in warning
    assert changed(client) == {"fine": "added", "linked": "added", "sub": "added"}
    assert client.call("apply")["structuredContent"]["applied"] == 3
    assert content(project) == {".git/config": "[core]\n", "app.py": "print('hello')\n", "data/in.csv": "1,2\n", "fine": "fine\n",
                                "linked": "x\n"}
    client.shell(script)
    assert client.close() == (0, "")  # nothing is left to be kept


def test_a_tree_too_deep_for_the_masks_does_not_end_the_session(serve, project):
    client = serve("python", "--workspace", f"{project}:overlay", "--mask", "/workspace/**/.env")
    for depth, kept in ((63, True), (64, False)):
        run = client.shell(f"d=.; for i in $(seq {depth}); do d=$d/d; done; mkdir -p $d")
        assert run["changes"]["kept"] is kept and ("64 levels" in str(run["warnings"])) is not kept
    assert "64 levels" in client.refused("write_file", path="e/" * 70 + "f", text="x")
    assert client.shell("rm -r d; ls")["stdout"]["text"] == "app.py\ndata\n"


def test_apply_follows_no_link_of_a_commands(client, project, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    client.shell(f"rm -r data; ln -s {victim} data; ln -s {victim}/made made; mkdir x; ln -s /etc/passwd x/p")
    client.refused("write_file", path="data/f", text="x")
    assert client.call("apply")["structuredContent"]["conflicts"] == []
    assert not list(victim.iterdir()) and (project / "data").is_symlink()  # a link is applied as what it is
    # The operator's own link, put there meanwhile, is not gone through either.
    client.shell("mkdir deep; echo x > deep/f")
    (project / "deep").symlink_to(victim)
    assert client.call("apply", paths=["deep"])["isError"] and not list(victim.iterdir())


@pytest.mark.parametrize("keep", ["none", "diff"])
def test_a_client_applies_only_where_the_operator_says_so(serve, project, keep):
    client = serve("python", "--workspace", f"{project}:overlay", "--keep", keep)
    client.shell("echo x > app.py")
    assert "--keep apply" in client.refused("apply")
    assert content(project)["app.py"] == "print('hello')\n"
    code, said = client.close()
    listed = json.loads(client.sbx.call("diff", "--json").stdout)
    if keep == "none":
        assert (code, said, listed) == (0, "", [])
        return
    [kept] = listed
    assert code == 0 and f"sbx diff {kept['run']}" in said and kept["modified"] == 1
    assert client.sbx.call("apply", kept["run"]).code == 0  # the operator, later
    assert content(project)["app.py"] == "x\n"


def test_keep_needs_no_word_for_the_copy_that_a_session_has_anyway(serve, project):
    client = serve("python", "--keep", "apply", "--set", "workspace.size=1M")
    client.shell("echo x > app.py")
    assert client.call("apply")["structuredContent"]["applied"] == 1
    assert content(project)["app.py"] == "x\n"
    refused = client.sbx.call("mcp", "--keep", "apply", "--workspace", ".:ro")  # the control: somebody has said it
    assert refused.code == 125 and "mode: overlay" in refused.err, refused
    assert client.sbx.call("run", "--keep", "apply", "--", "true").code == 125  # a run has no copy unless it is said


def test_what_a_client_has_not_applied_is_kept_for_the_operator(client, project):
    client.shell("echo one > one; echo two > two")
    client.call("apply", paths=["one"])
    assert "sbx diff" in client.close()[1]
    [kept] = json.loads(client.sbx.call("diff", "--json").stdout)
    assert (kept["added"], kept["workspace"]) == (1, str(project))
    assert client.sbx.call("discard", kept["run"]).code == 0


def test_files_that_a_command_has_closed_are_applied_with_the_others(client, project):
    before = (project / "app.py").read_text()
    run = client.shell("echo work > work; echo x > new; chmod 0 new app.py")
    [warning] = run["warnings"]
    assert "closed to its owner is open to it" in warning, warning
    applied = client.call("apply")
    assert not applied["isError"] and applied["structuredContent"]["applied"] == 3, applied
    assert (project / "work").read_text() == "work\n" and (project / "app.py").stat().st_mode & 0o7777 == 0o400
    assert client.shell("cat new; chmod 644 app.py")["stdout"]["text"] == "x\n"
    assert not client.call("apply")["isError"]
    assert (project / "app.py").read_text() == before and (project / "app.py").stat().st_mode & 0o7777 == 0o644


def test_a_hostile_tree_is_no_trouble(client):
    client.shell("""
        mkdir closed; echo x > closed/f; chmod 0 closed; echo y > y; chmod 0 y; mkfifo fifo
        d=.; for i in $(seq 150); do d=$d/d; done; mkdir -p $d; printf x > "$(printf 'a\\nb\\377')"
        for i in $(seq 2000); do : > f$i; done""")
    diff = client.call("diff")
    assert not diff["isError"] and diff["structuredContent"]["added"] > 2000
    listed = client.call("list_files")
    assert not listed["isError"] and len(listed["structuredContent"]["files"]) > 2000
    assert not client.call("collect_artifacts", patterns=["**"])["isError"]
    client.shell("chmod 700 closed y; rm -rf closed y fifo d f* a?b*")
    assert changed(client) == {}


def test_the_copy_has_what_the_folder_had(serve, project):
    (project / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (project / "run.sh").chmod(0o755)
    (project / "link").symlink_to("app.py")
    (project / "two").hardlink_to(project / "app.py")
    client = serve("python")
    assert changed(client) == {}
    assert client.shell("./run.sh; readlink link; stat -c %h two")["stdout"]["text"] == "ran\napp.py\n2\n"
    assert changed(client) == {}


def test_what_the_operator_saves_as_a_session_begins_is_no_change_of_it(serve, project):
    """Its copy may have it or not; what the session is compared with has the same."""
    for i in range(1500):
        (project / f"f{i:04}").write_text("x" * 4096)
    over = threading.Event()

    def save():
        count = 0
        while not over.is_set():
            (project / f"f{count % 1500:04}").write_text(f"{count}" + "y" * 4096)
            (project / f"new{count}").touch()
            count += 1

    saver = threading.Thread(target=save)
    saver.start()
    try:
        client = serve("python", "--workspace", f"{project}:overlay")
    finally:
        over.set()
        saver.join()
    assert changed(client) == {}
    client.shell("echo x > app.py")
    assert changed(client) == {"app.py": "modified"}


@pytest.mark.parametrize("how", ["{}", "{}/.", "{}-link"])
def test_the_current_folder_is_left_out_when_it_is_a_home(serve, project, monkeypatch, how):
    project.with_name(project.name + "-link").symlink_to(project)
    monkeypatch.setenv("HOME", how.format(project))
    for flags in ((), ("--keep", "apply")):
        client = serve("python", *flags)
        assert client.call("list_files")["structuredContent"]["files"] == []
        assert client.shell("ls -A")["stdout"]["text"] == ""
        code, said = client.close()
        assert code == 0 and "more than a project" in said
