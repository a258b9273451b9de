"""The session's copy of the operator's folder is made while the server hears its client, and both may end meanwhile.

A test makes that long by stopping who copies."""
import array
import fcntl
import os
import signal
import time

import pytest

from support import leftovers
from support.mcp_client import LATEST, PATIENCE
from support.waiting import SOON, state_of, wait_until

from .test_work import workers

FILES = 6000
GET_FLAGS, SET_FLAGS, TOPDIR = 0x80086601, 0x40086602, 0x20000  # ioctl_iflags(2)


@pytest.fixture
def large(project):
    for number in range(FILES):
        (project / "data" / str(number)).touch()
    return project


@pytest.fixture
def session(state):
    """session() is the folder of the only one."""
    def find():
        [folder] = (state / "sbx" / "mcp").iterdir()
        return folder
    return find


@pytest.fixture
def stopped(serve, large, session):
    """stopped(WORDS...) is a client that has said nothing, and the process that copies, in the midst of it."""
    def start(*words):
        client = serve("python", "--workspace", f"{large}:overlay", *words, revision=None)
        end, seen = time.monotonic() + PATIENCE, set()
        while not (found := seen & set(workers(client))):  # what is there twice is no run that has not been executed yet
            assert client.process.poll() is None and time.monotonic() < end, "nobody copies"
            seen = set(workers(client))
            time.sleep(0.005)
        [copier] = found
        os.kill(copier, signal.SIGSTOP)
        wait_until(lambda: state_of(copier)[0] == "T", "it does not stop")
        assert not (session() / "base" / "data").exists() or len(os.listdir(session() / "base" / "data")) < FILES
        return client, copier
    return start


def initialize(client):
    return client.request("initialize", protocolVersion=LATEST, capabilities={}, clientInfo={"name": "x", "version": "1"})


def test_the_client_is_heard_and_calls_wait(stopped):
    client, copier = stopped()
    assert client.request("ping") == {} and initialize(client)["protocolVersion"] == LATEST
    assert {"run_shell", "read_file"} < {tool["name"] for tool in client.request("tools/list")["tools"]}
    numbers = [client.start("write_file", path="data/new", text="x"), client.start("run_shell", script="ls data | wc -l"),
               client.start("diff")]
    unwanted = client.start("run_shell", script="echo x > unwanted")
    client.notify("notifications/cancelled", requestId=unwanted)
    assert client.request("ping") == {} and not client.answers
    os.kill(copier, signal.SIGCONT)
    _, run, diff = (client.response(number)["result"]["structuredContent"] for number in numbers)
    assert run["stdout"]["text"] == f"{FILES + 2}\n"
    assert [one["path"] for one in diff["changes"]] == ["data/new"] and not client.answers


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("how", ["closed", "SIGTERM", "SIGINT", "SIGHUP"])
def test_it_can_be_ended_in_the_midst_of_it(stopped, state, how, begun):
    client, _ = stopped("--keep", "diff")
    if begun:
        initialize(client)
        client.start("run_shell", script="echo x > made")
    if how == "closed":
        client.process.stdin.close()
    else:
        client.process.send_signal(getattr(signal, how))
    assert client.ended(SOON) == (0, "") and not list((state / "sbx" / "mcp").iterdir())
    changes = state / "sbx" / "changes"
    assert not changes.exists() or not list(changes.iterdir())


def test_what_waits_is_bounded_by_the_names_of_its_arguments_too(stopped):
    client, copier = stopped()
    initialize(client)
    numbers = [client.start("read_file", path="app.py", **{str(i) + "x" * (15 << 20): True}) for i in range(6)]
    for number in numbers[4:]:
        assert "too many calls" in client.response(number)["result"]["content"][0]["text"]
    os.kill(copier, signal.SIGCONT)
    assert all("there is no argument" in client.response(number)["result"]["content"][0]["text"] for number in numbers[:4])


def test_a_killed_server_leaves_no_half_of_it(stopped, state):
    client, copier = stopped()
    client.kill()
    wait_until(lambda: state_of(copier)[0] in "XZ", "it goes on", leftovers.SECONDS_ALLOWED)
    wait_until(lambda: not list((state / "sbx" / "mcp").iterdir()), "the folder is left", leftovers.SECONDS_ALLOWED)


def test_a_copy_that_fails_ends_the_server_which_says_why(stopped, session, state):
    client, copier = stopped()
    initialize(client)
    client.start("run_shell", script="true")
    data = session() / "base" / "data"
    names = (data / str(number) for number in range(FILES))
    (next(name for name in names if not name.exists()) if data.exists() else data).touch()
    os.kill(copier, signal.SIGCONT)
    code, said = client.ended()
    assert code == 125 and said == "sbx: cannot copy the session's workspace: File exists (EEXIST)\n"
    assert not client.answers and not list((state / "sbx" / "mcp").iterdir())


def test_a_copy_that_is_broken_off_is_none(stopped, state):
    client, copier = stopped("--keep", "diff")
    os.kill(copier, signal.SIGKILL)
    code, said = client.ended()
    assert code == 125 and said.startswith("sbx: the copy of the workspace was broken off")
    assert not list((state / "sbx" / "mcp").iterdir())


@pytest.mark.parametrize("folder", ["data", "link"])
def test_which_interpreters_start_is_tried_without_it(serve, project, tmp_path, folder):
    """Also where the profile needs something in there; the second is found when the copy is there."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "there").touch()
    (project / "deep" / "lib").mkdir(parents=True)
    (project / "file").touch()
    (project / "link").symlink_to("data")
    client = serve("python", "--workspace", f"{project}:overlay", "--workdir", f"/workspace/{folder}", "--ro",
                   f"{tmp_path}/lib:/workspace/deep/lib", "--ro", "/etc/passwd:/workspace/file")
    assert client.shell("pwd -P; ls; ls ../deep/lib; wc -l < ../file")["stdout"]["text"].split()[:3] == [
        "/workspace/data", "in.csv", "there"]
    assert {tool["name"] for tool in client.request("tools/list")["tools"]} > {"run_python", "run_shell"}


def flags_of(folder, more=0):
    """The attributes of a folder (chattr(1)), with `more`; 0: its file system has none, or not these."""
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    flags = array.array("i", [0, 0])
    try:
        fcntl.ioctl(held, GET_FLAGS, flags)
        flags[0] |= more
        fcntl.ioctl(held, SET_FLAGS, flags)
    except OSError:
        return 0
    finally:
        os.close(held)
    return flags[0]


def test_sessions_are_not_laid_next_to_each_other(serve, state, project, tmp_path):
    """Where the file system takes a hint: files that have just gone make new ones slow beside them."""
    serve("python", "--workspace", f"{project}:overlay")
    (tmp_path / "other").mkdir()
    takes = flags_of(tmp_path / "other", TOPDIR) & TOPDIR
    assert flags_of(state / "sbx" / "mcp") & TOPDIR == takes
