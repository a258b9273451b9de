"""Whenever a server or what works for it is killed, write_file leaves the old content or the new, and nothing else.

The moment is the worst: the new file has a name already, and not yet its own. strace(1) ends there who writes."""
import os
import signal

import pytest

from support import leftovers
from support.waiting import wait_until, words_of

WRAPPER = """#!/bin/sh
[ "$1" = mcp ] || exec "$SBX" "$@"
exec strace -f -qq -o /dev/null -e "trace=$CALL" -e "inject=$CALL:signal=SIGKILL" "$SBX" "$@"
"""
OLD = "print('hello')\n"


def unfinished(project):
    return [path for path in project.rglob("*") if path.name.startswith(".sbx-write-")]


@pytest.fixture
def killed_at(sbx, serve, project, tmp_path, monkeypatch):
    """killed_at(CALL): a server of a workspace that it may write to; whoever makes this system call is killed by it."""
    wrapper = tmp_path / "sbx-killed"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)

    def start(call):
        own, sbx.binary = sbx.binary, str(wrapper)
        client = serve("shell", "--workspace", f"{project}:rw", env={"SBX": own, "CALL": call})
        sbx.binary = own
        return client

    return start


@pytest.fixture
def broken(killed_at, project):
    """A server of which somebody was killed as it was about to replace app.py in a folder; what it left is there."""
    (project / "sub").mkdir()
    (project / "sub" / "app.py").write_text(OLD)
    client = killed_at("renameat")
    assert "in the midst" in client.refused("write_file", path="sub/app.py", text="new")
    [left] = unfinished(project)
    assert left.read_text() == "new" and left.parent.name == "sub"
    yield client
    assert (project / "sub" / "app.py").read_text() == OLD and not unfinished(project)


def servers(client):
    """The server, and its heir."""
    return [pid for (pid, _), name in leftovers.descendants(client.process.pid).items() if name == "sbx" and b"mcp" in words_of(pid)]


def kill(client, pids):
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    client.sbx.killed = True
    client.process.wait(10)


def test_the_next_write_takes_it_away(broken):
    assert broken.call("write_file", path="new", text="x")["structuredContent"]["replaced"] is False


def test_the_end_of_the_session_does(broken):
    assert broken.close()[0] == 0


def test_the_heir_of_a_killed_server_does(broken, project):
    server = min(servers(broken))
    kill(broken, [server])
    wait_until(lambda: not unfinished(project), "a file is left", leftovers.SECONDS_ALLOWED)


def test_the_next_server_does_when_the_heir_is_killed_too(broken, serve, project):
    kill(broken, sorted(servers(broken), reverse=True))
    assert unfinished(project)
    serve("shell", "--workspace", "none")


@pytest.mark.parametrize("theirs", ["a folder", "a link", "nothing", "a link to the folder"])
def test_what_a_command_has_made_of_it_meanwhile_leads_nowhere(broken, project, tmp_path, theirs):
    victim = tmp_path / "victim"
    victim.mkdir()
    [left] = unfinished(project)
    (victim / left.name).write_text("the operator's")
    if theirs == "a link to the folder":
        (project / "sub").rename(project / "moved")
        (project / "sub").symlink_to(victim)
    else:
        left.unlink()
    if theirs == "a folder":
        left.mkdir()
    if theirs == "a link":
        left.symlink_to(victim / left.name)
    assert broken.close()[0] == 0
    assert (victim / left.name).read_text() == "the operator's"
    if theirs == "a folder":
        left.rmdir()
    if theirs == "a link to the folder":
        (project / "sub").unlink()
        (project / "moved").rename(project / "sub")
        (project / "sub" / left.name).unlink()


@pytest.mark.parametrize("path", ["app.py", "new"])
def test_before_that_moment_nothing_has_a_name(killed_at, project, path):
    client = killed_at("fdatasync")  # all of it is written
    assert "in the midst" in client.refused("write_file", path=path, text="new")
    assert {one.name for one in project.iterdir()} == {"app.py", "data"} and (project / "app.py").read_text() == OLD
