"""What is done to the workspace may take long: the server hears its client meanwhile, and ends when it is to.

A test makes it long by a lock on the store of kept changes, for which `diff` and `apply` wait."""
import contextlib
import fcntl
import os
import signal

import pytest

from support import leftovers
from support.waiting import SOON, are_waiting, state_of, wait_until, words_of


@pytest.fixture
def changed(client):
    """A session that has changed something."""
    client.shell("echo x > made")
    return client


@pytest.fixture
def held(state):
    """held() is a context in which nobody else gets the lock."""
    @contextlib.contextmanager
    def hold():
        folder = os.open(state / "sbx" / "changes", os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(folder)
    return hold


def workers(client):
    """The copies of the server that work; its heir has no streams of the client's."""
    def is_one(pid):
        try:
            return b"\0mcp\0" in words_of(pid) and os.readlink(f"/proc/{pid}/fd/0") != "/dev/null"
        except FileNotFoundError:
            return False  # it has ended since
    return [pid for (pid, _), name in leftovers.descendants(client.process.pid).items() if name == "sbx" and is_one(pid)]


def begun(client, tool, **arguments):
    number = client.start(tool, **arguments)
    wait_until(lambda: workers(client), "nobody works")
    return number


@pytest.mark.parametrize("tool", ["diff", "apply"])
def test_a_ping_is_answered_while_a_tool_works(changed, held, tool):
    with held():
        number = begun(changed, tool)
        assert changed.request("ping") == {} and changed.request("tools/list")["tools"]
        assert number not in changed.answers and workers(changed)
    assert not changed.response(number)["result"]["isError"]


def test_tools_are_used_one_after_the_other(changed, held):
    with held():
        numbers = [begun(changed, "diff"), changed.start("write_file", path="later", text="y"),
                   changed.start("run_shell", script="cat later"), changed.start("read_file", path="later")]
        assert changed.request("ping") == {} and len(workers(changed)) == 1 and not changed.answers
    diff, _, run, read = (changed.response(number)["result"]["structuredContent"] for number in numbers)
    assert [one["path"] for one in diff["changes"]] == ["made"]
    assert run["stdout"]["text"] == read["text"] == "y"


def runs(client):
    return [pid for (pid, _), name in leftovers.descendants(client.process.pid).items() if b"\0run\0" in words_of(pid)]


def is_still(client):
    return are_waiting([client.process.pid, *(pid for pid, _ in leftovers.descendants(client.process.pid))])


@pytest.mark.parametrize("tool, begins", [("apply", False), ("diff", True)])
def test_no_run_begins_while_the_workspace_is_changed(changed, held, tool, begins):
    with held():
        number = begun(changed, tool)
        run = changed.start("run_shell", script="cat made")
        assert changed.request("ping") == {}
        wait_until(lambda: is_still(changed), "all wait for the lock", 2 * SOON)
        assert bool(runs(changed)) is begins
    assert not changed.response(number)["result"]["isError"]
    assert changed.response(run)["result"]["structuredContent"]["stdout"]["text"] == "x\n"


def test_a_tool_that_looks_is_cancelled_in_the_midst_of_it(changed, held):
    with held():
        looking, waiting = begun(changed, "diff"), changed.start("list_files")
        changed.notify("notifications/cancelled", requestId=waiting)
        changed.notify("notifications/cancelled", requestId=looking)
        assert changed.request("ping") == {} and not workers(changed)
        assert changed.call("read_file", path="made")["structuredContent"]["text"] == "x\n"
    assert not changed.call("diff")["isError"] and not {looking, waiting} & set(changed.answers)


def test_a_tool_that_changes_something_does_it_to_its_end(changed, held, project):
    with held():
        number = begun(changed, "apply")
        changed.notify("notifications/cancelled", requestId=number)  # too late
        assert changed.request("ping") == {} and workers(changed)
    assert changed.response(number)["result"]["structuredContent"]["applied"] == 1
    assert (project / "made").read_text() == "x\n"


def test_a_client_that_closes_its_end_waits_for_no_tool_that_looks(serve, held, project):
    client = serve("python", "--workspace", f"{project}:overlay")
    client.call("diff")
    with held():
        begun(client, "diff")
        client.start("diff")
        assert client.close(SOON)[0] == 0


def test_what_is_applied_as_the_client_closes_its_end_is_applied(changed, held, project):
    with held():
        begun(changed, "apply")
        changed.process.stdin.close()
        changed.process.send_signal(signal.SIGTERM)
        [worker] = workers(changed)
        assert state_of(changed.process.pid)[0] != "Z" and state_of(worker)[0] not in "XZ"
    assert changed.ended()[0] == 0 and (project / "made").read_text() == "x\n"


def test_a_killed_server_takes_its_work_with_it(changed, held, state, project):
    with held():
        begun(changed, "apply")
        [worker] = workers(changed)
        changed.kill()
        wait_until(lambda: state_of(worker)[0] in "XZ", "it goes on", leftovers.SECONDS_ALLOWED)
        wait_until(lambda: not list((state / "sbx" / "mcp").iterdir()), "the folder is left", leftovers.SECONDS_ALLOWED)
    assert not (project / "made").exists()


def test_work_that_breaks_off_is_told_and_the_session_goes_on(changed, held):
    with held():
        number = begun(changed, "diff")
        [worker] = workers(changed)
        os.kill(worker, signal.SIGKILL)
        result = changed.response(number)["result"]
        assert result["isError"] and "in the midst" in result["content"][0]["text"]
    assert not changed.call("diff")["isError"]


def test_work_holds_no_input_of_a_run_open(serve, held, state, project, tmp_path):
    """A program that reads to the end of its input gets there, whoever works meanwhile."""
    (tmp_path / "flags").mkdir()
    client = serve("python", "--workspace", f"{project}:overlay", "--ro", f"{tmp_path}/flags:/flags")
    client.shell("echo x > made")
    big = "x" * (5 << 20)
    number = client.start("run_shell", progress=1, stdin=big,
                          script="echo there; until [ -e /flags/go ]; do sleep 0.02; done; wc -c")
    client.wait_for_note("there")
    with held():
        diff = begun(client, "diff")
        (tmp_path / "flags" / "go").touch()
        client.wait_for_note(str(len(big)))
        assert diff not in client.answers
    assert client.response(number)["result"]["structuredContent"]["exit_code"] == 0
