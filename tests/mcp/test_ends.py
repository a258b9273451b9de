"""However a call, a client or the server ends: nothing of it is left, and nobody waits for ever."""
import contextlib
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import pytest

from support import leftovers, slow
from support.terminal import Terminal
from support.waiting import SOON, state_of, wait_until, words_of


def tree(seconds):
    """A script of a tree of processes, which says when it is there."""
    return f"trap '' TERM INT HUP; (setsid sleep {seconds} &) ; sleep {seconds} & nohup sleep {seconds} & echo there; wait"


def test_cancelling_ends_the_tree_and_is_not_answered(client, sleepers):
    seconds, count = sleepers
    number = client.start("run_shell", progress=1, script="echo lost > lost; " + tree(seconds))
    client.wait_for_note("there")
    wait_until(lambda: count() == 3, "the tree is not there")
    client.notify("notifications/cancelled", requestId=number, reason="changed my mind")
    wait_until(lambda: count() == 0, "the tree has not ended")
    # The server goes on, what the call had written is dropped, and no answer comes.
    assert client.shell("cat lost 2>/dev/null; echo on")["stdout"]["text"] == "on\n"
    assert number not in client.answers
    client.notify("notifications/cancelled", requestId=number)  # too late, and no harm
    assert client.request("ping") == {}


def test_a_call_that_has_hardly_begun_is_cancelled(client):
    """Its run has no result then."""
    client.shell("echo kept > kept")
    for pause in [0] * 10 + [i / 1000 for i in range(10)]:
        number = client.start("run_shell", script="echo lost > lost; sleep 100")
        time.sleep(pause)
        client.notify("notifications/cancelled", requestId=number)
        assert client.request("ping") == {}
    assert client.shell("cat kept; cat lost 2>/dev/null; echo on")["stdout"]["text"] == "kept\non\n"
    assert not client.answers


def test_a_client_that_closes_its_end_as_a_call_begins_loses_nothing(serve, project):
    for pause in (0, 0, 0.002, 0.005):
        client = serve("python", "--workspace", f"{project}:overlay", "--keep", "diff")
        client.call("write_file", path="kept", text="kept")
        client.start("run_shell", script="sleep 100")
        time.sleep(pause)
        code, said = client.close()
        assert code == 0 and "the session's changes are kept: sbx diff " in said, said


def test_a_server_that_runs_out_of_memory_keeps_what_the_session_has_changed(serve, project):
    client = serve("python", "--workspace", f"{project}:overlay", "--keep", "diff")
    client.call("write_file", path="kept", text="kept")
    with open(f"/proc/{client.process.pid}/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    resource.prlimit(client.process.pid, resource.RLIMIT_AS, (mapped + (24 << 20),) * 2)
    with contextlib.suppress(BrokenPipeError):
        client.ask("ping", text="x" * (15 << 20))
    code, said = client.ended()
    assert code == 125 and "sbx: the session has ended: " in said
    assert client.sbx.call("diff", said.split("sbx diff ")[1].split()[0]).code == 0


def test_one_call_of_many_is_cancelled(client, sleepers):
    seconds, count = sleepers
    numbers = [client.start("run_shell", progress=i, script=f"echo there$1; sleep {seconds}", args=[str(i)]) for i in range(3)]
    for i in range(3):
        client.wait_for_note(f"there{i}")
    client.notify("notifications/cancelled", requestId=numbers[1])
    wait_until(lambda: count() == 2, "one should have ended, and one alone")
    assert client.request("ping") == {}
    for number in (numbers[0], numbers[2]):
        client.notify("notifications/cancelled", requestId=number)
    wait_until(lambda: count() == 0, "all should have ended")


def test_a_call_that_waits_for_its_turn_is_cancelled(client, sleepers):
    seconds, count = sleepers
    numbers = [client.start("run_shell", script=f"sleep {seconds}") for _ in range(18)]
    wait_until(lambda: count() == 16, "sixteen run at once", 20 * slow.FACTOR)
    client.notify("notifications/cancelled", requestId=numbers[17])
    client.notify("notifications/cancelled", requestId=numbers[0])
    for number in numbers[1:17]:
        client.notify("notifications/cancelled", requestId=number)
    wait_until(lambda: count() == 0, "all should have ended", 20 * slow.FACTOR)
    assert client.request("ping") == {} and not client.answers


def test_a_timeout_ends_the_tree(client, sleepers):
    seconds, count = sleepers
    result = client.call("run_shell", script=tree(seconds), timeout="500ms")
    assert result["structuredContent"]["status"] == "timeout" and count() == 0


def kept_runs(state):
    """What runs have kept, and nobody has taken yet."""
    return [path for path in (state / "sbx" / "changes").iterdir() if not path.name.startswith(".")]


def running(client, seconds, count, calls=4):
    for i in range(calls):
        client.start("run_shell", progress=i, script=f"echo there$1; sleep {seconds}", args=[str(i)])
    for i in range(calls):
        client.wait_for_note(f"there{i}")
    wait_until(lambda: count() == calls, "the runs are there")


def test_a_server_that_can_run_nothing_says_why_and_ends(sbx, state, project):
    """The operator sees it when the server starts, and the client that there is none."""
    ended = sbx.call("mcp", "--root", "empty", "--ro", "/no/such/thing", *sbx.degraded)
    assert ended.code == 125 and ended.out == "" and ended.err.startswith("sbx: ") and "sbx: sbx: " not in ended.err
    assert "/no/such/thing" in ended.err and not list((state / "sbx" / "mcp").iterdir())


def test_a_client_that_closes_its_end_ends_all(client, sleepers, state):
    seconds, count = sleepers
    running(client, seconds, count)
    assert client.close(SOON)[0] == 0
    assert count() == 0 and not list((state / "sbx" / "mcp").iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all(client, sleepers, state, number):
    seconds, count = sleepers
    running(client, seconds, count)
    client.process.send_signal(number)
    assert client.ended(SOON)[0] == 0
    assert count() == 0 and not list((state / "sbx" / "mcp").iterdir())


def test_a_reader_that_is_gone_ends_all(client, sleepers, state):
    seconds, count = sleepers
    running(client, seconds, count)
    client.process.stdout.close()  # stdin stays open
    assert client.process.wait(SOON) == 0
    assert count() == 0 and not list((state / "sbx" / "mcp").iterdir())


def test_a_reader_at_a_socket_that_is_gone_ends_all(sbx, state, project):
    """Its end is no error of the socket, as it is one of a pipe."""
    ours, theirs = socket.socketpair()
    with theirs, subprocess.Popen([str(sbx.binary), "mcp", "python", *sbx.degraded], stdin=subprocess.PIPE, stdout=theirs,
                                  cwd=sbx.cwd) as server:
        theirs.close()
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        assert b'"result"' in ours.recv(4096)
        ours.close()
        try:
            assert server.wait(SOON) == 0  # its standard input stays open
        finally:
            server.kill()
    assert not list((state / "sbx" / "mcp").iterdir())


def test_a_killed_server_leaves_nothing(client, sleepers, state):
    seconds, count = sleepers
    running(client, seconds, count)
    client.kill()
    wait_until(lambda: count() == 0, "the runs outlive their server", leftovers.SECONDS_ALLOWED)
    wait_until(lambda: not list((state / "sbx" / "mcp").iterdir()), "the session's folder is left", leftovers.SECONDS_ALLOWED)


def test_what_nobody_could_remove_the_next_server_does(serve, client, sleepers, state, project):
    seconds, count = sleepers
    running(client, seconds, count, 1)
    heirs = [pid for (pid, _), name in leftovers.descendants(client.process.pid).items() if name == "sbx"
             and b"mcp" in words_of(pid)]
    assert heirs
    for pid in heirs:
        os.kill(pid, signal.SIGKILL)
    client.kill()
    wait_until(lambda: count() == 0, "the runs outlive their server", leftovers.SECONDS_ALLOWED)
    # An heir that is still dying holds the folder.
    wait_until(lambda: all(state_of(pid)[0] in "ZX" for pid in heirs), "the heirs live")
    [left] = (state / "sbx" / "mcp").iterdir()
    other = serve("python", "--workspace", f"{project}:overlay")
    assert not left.exists() and other.shell("cat app.py")["stdout"]["text"] == "print('hello')\n"


def test_what_a_run_has_kept_for_a_session_that_is_gone_the_next_server_forgets(serve, sbx, state, project, tmp_path):
    """As of a killed server, when its heir has been through before its run had ended. Nobody else's is touched."""
    def keep(folder):
        folder.mkdir(parents=True)
        done = sbx.run(cmd=["sh", "-c", "echo x > made"], json=True, flags=["--workspace", f"{folder}:overlay", "--keep", "diff"])
        return done.result["changes"]["run"]

    live = serve("python", "--workspace", f"{project}:overlay")
    [session] = (state / "sbx" / "mcp").iterdir()
    gone, mine = state / "sbx" / "mcp" / "session-gone" / "tree", tmp_path / "session-gone" / "tree"
    kept = {name: keep(folder) for name, folder in (("gone", gone), ("mine", mine), ("live", session / "other"))}
    (gone / "..").resolve().rename(tmp_path / "moved")
    assert {path.name for path in kept_runs(state)} == set(kept.values())
    other = serve("python")
    assert {path.name for path in kept_runs(state)} == {kept["mine"], kept["live"]}
    assert other.request("ping") == live.request("ping") == {}
    assert sbx.call("discard", kept["live"]).code == 0 and sbx.call("discard", kept["mine"]).code == 0


DYING_CLIENT = """
import json, os, subprocess, sys, time
server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def send(message): server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\\n"); server.stdin.flush()
send({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "d", "version": "1"}}})
server.stdout.readline()
send({"id": 2, "method": "tools/call", "params": {"_meta": {"progressToken": 1}, "name": "run_shell", "arguments": {"script": "echo there; sleep SECONDS"}}})
server.stdout.readline()
print(server.pid, flush=True)
time.sleep(1000)
"""


def test_a_client_that_is_killed_ends_all(client, sleepers, state):
    seconds, count = sleepers
    program = DYING_CLIENT.replace("SECONDS", seconds)
    with subprocess.Popen([sys.executable, "-c", program, *client.words], stdout=subprocess.PIPE, cwd=client.sbx.cwd) as dying:
        server = int(dying.stdout.readline())
        wait_until(lambda: count() == 1, "the run is there")
        dying.kill()
    wait_until(lambda: count() == 0, "the run outlives the client")
    wait_until(lambda: not leftovers.descendants(server) and not os.path.exists(f"/proc/{server}/exe"), "the server is left")


def test_a_person_at_a_terminal_is_told_what_it_waits_for(sbx):
    terminal = Terminal()
    words = [sbx.binary, "mcp", *sbx.degraded, "--workspace", "none"]
    with subprocess.Popen(words, stdin=terminal.side, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=sbx.cwd) as server:
        assert server.stderr.readline() == b"sbx: mcp is for an agent's program to start and to speak to; Ctrl-D ends it\n"
        terminal.write(b"\x04")
        assert server.wait(SOON) == 0
        assert server.stdout.read() == b""


def test_descriptors_do_not_run_out(client):
    def descriptors():
        return len(os.listdir(f"/proc/{client.process.pid}/fd"))
    client.shell("true")
    before = descriptors()
    for _ in range(15):
        client.call("run_shell", script="echo x > f", stdin="y")
        client.call("read_file", path="f")
        client.call("list_files")
        client.call("diff")
        client.refused("read_file", path="../f")
    assert descriptors() <= before
