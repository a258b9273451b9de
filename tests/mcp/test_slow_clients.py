"""A client that reads late, or not at all, or sends much at once: it costs little memory, and nobody waits for ever."""
import os
import signal
import socket
from selectors import EVENT_READ, SelectSelector

import pytest

from support import leftovers, slow
from support.waiting import SOON, are_waiting, resident, state_of, wait_until, words_of


def has_something(client):
    """Is there something to read from its server?"""
    with SelectSelector() as selector:
        selector.register(client.process.stdout, EVENT_READ)
        return bool(selector.select(0))


def is_still(client):
    """Do the server and all that it runs wait?"""
    return are_waiting([client.process.pid, *(pid for pid, _ in leftovers.descendants(client.process.pid))])


def peak_of(client):
    """The most memory that its server has had, in KiB."""
    with open(f"/proc/{client.process.pid}/status") as file:
        [peak] = [int(line.split()[1]) for line in file if line.startswith("VmHWM:")]
    return peak


def kept_runs(state):
    """What runs have kept, and no server has brought into its workspace yet."""
    return [path for path in (state / "sbx" / "changes").iterdir() if not path.name.startswith(".")]


def test_a_client_that_does_not_read_costs_no_memory_and_waits_for_nobody(client):
    """A megabyte waits for it at most; the runs wait with it, until their own time is over."""
    numbers = [client.start("run_shell", progress=i, script="yes | head -c 300000000", output="8M", timeout="2s")
               for i in range(8)]
    wait_until(lambda: has_something(client) and is_still(client), "all wait for the client", 20 * slow.FACTOR)
    assert resident(client.process.pid) < 60 << 20  # of 64 MiB that the runs are allowed to write, which come twice
    for number in numbers:
        assert client.response(number)["result"]["structuredContent"]["stdout"]["bytes"] > 0
    assert client.request("ping") == {}


def test_many_long_answers_that_nobody_reads_are_not_made(client):
    client.call("write_file", path="long", text="x" * (1 << 20))
    client.process.send_signal(signal.SIGSTOP)  # it finds all requests at once, and so has read them
    numbers = [client.ask("tools/call", name="read_file", arguments={"path": "long"}) for _ in range(60)]
    client.process.send_signal(signal.SIGCONT)
    wait_until(lambda: has_something(client) and is_still(client), "it waits for its client")
    assert resident(client.process.pid) < 60 << 20  # of 120 MiB
    assert len(client.response(numbers[0])["result"]["structuredContent"]["text"]) == 1 << 20
    assert len(client.response(numbers[-1])["result"]["structuredContent"]["text"]) == 1 << 20


def test_no_answer_is_made_for_a_client_that_does_not_read(serve, state, project, tmp_path):
    """Of calls that end all at once it makes as many answers as may wait for the client; the rest stay as they are, and
    so do their changes. The server stands still meanwhile, so that it finds all of them ended at the same time."""
    flags = tmp_path / "flags"
    flags.mkdir()
    flags.chmod(0o777)
    client = serve("python", "--workspace", f"{project}:overlay", "--rw", f"{flags}:/flags")
    script = ("touch /flags/$1; until [ -e /flags/go ]; do sleep 0.02; done; echo x > f$1; "
              "head -c 40000 /dev/zero | tr '\\0' '\\377'")
    numbers = [client.start("run_shell", script=script, args=[str(i)]) for i in range(16)]
    wait_until(lambda: len(os.listdir(flags)) == 16, "all sixteen run", 20 * slow.FACTOR)
    server = client.process.pid
    runs = [pid for (pid, _), name in leftovers.descendants(server).items() if name != "sbx" or b"\0run\0" in words_of(pid)]
    client.process.send_signal(signal.SIGSTOP)
    (flags / "go").touch()
    wait_until(lambda: all(state_of(pid)[0] in "ZX" for pid in runs), "all have ended", 20 * slow.FACTOR)
    assert len(kept_runs(state)) == 16
    client.process.send_signal(signal.SIGCONT)
    wait_until(lambda: len(kept_runs(state)) < 16, "the first are answered")
    wait_until(lambda: is_still(client), "it waits for its client")
    assert 0 < len(kept_runs(state)) < 16
    assert all(client.response(number)["result"]["structuredContent"]["changes"]["kept"] for number in numbers)
    assert not kept_runs(state) and len(client.shell("ls")["stdout"]["text"].split()) == 16 + 2


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_client_that_reads_nothing_and_closes_its_end_is_gone(serve, project, sleepers, kind):
    """Its requests are not read while much waits for it; that it sends no more is seen all the same."""
    seconds, count = sleepers
    ours, theirs = socket.socketpair()
    with ours, theirs:
        client = serve("python", "--workspace", f"{project}:overlay", ends=(theirs, ours) if kind == "socket" else None)
        theirs.close()
        client.call("write_file", path="long", text="x" * (1 << 20))
        client.start("run_shell", script=f"sleep {seconds}")
        wait_until(lambda: count() == 1, "the run has begun")
        for _ in range(4):
            client.ask("tools/call", name="read_file", arguments={"path": "long"})
        wait_until(lambda: has_something(client) and is_still(client), "it waits for its client")
        assert client.process.poll() is None and count() == 1
        if kind == "socket":
            ours.shutdown(socket.SHUT_WR)  # our other half stays open
        else:
            client.process.stdin.close()
        assert client.process.wait(SOON) == 0 and count() == 0


def test_what_waits_is_bounded_in_number(client):
    numbers = [client.start("run_shell", script="sleep 1000", timeout="50s") for _ in range(256)]
    assert "too many calls" in client.refused("read_file", path="app.py") and not set(numbers) & set(client.answers)
    client.notify("notifications/cancelled", requestId=numbers[-1])
    client.call("read_file", path="app.py")


def test_what_waits_is_bounded_in_bytes(client):
    """Of calls with 15 MiB each no more than 64 MiB hold, and the next is taken when one has ended."""
    big = "x" * (15 << 20)
    numbers = [client.start("run_shell", script="sleep 1000", stdin=big, timeout="50s") for _ in range(12)]
    assert all("too many calls" in client.response(number)["result"]["content"][0]["text"] for number in numbers[4:])
    assert peak_of(client) < 250 << 10
    assert "too many calls" in client.refused("run_shell", script="wc -c", stdin=big)
    for number in numbers[:4]:
        client.notify("notifications/cancelled", requestId=number)
    wait_until(lambda: not client.call("run_shell", script="wc -c", stdin=big)["isError"], "there is room again", 2 * SOON)
    assert not client.answers


def test_what_waits_for_the_rest_of_its_batch_is_bounded(serve, project):
    """Some 21 MiB an answer, and each batch has to wait for a run: what is more than 64 MiB is not kept, in whatever
    batch, until one of them is done."""
    client = serve("python", "--workspace", f"{project}:overlay", revision="2025-03-26")
    client.call("run_shell", script="head -c 15000000 /dev/zero | tr '\\0' '\\377' > big")
    client.call("collect_artifacts", patterns=["big"])
    [kept] = client.request("resources/list")["resources"]
    run = {"name": "run_shell", "arguments": {"script": "sleep 1000", "timeout": "50s"}}

    def ask(name):
        read = {"jsonrpc": "2.0", "method": "resources/read", "params": {"uri": kept["uri"]}}
        client.send([{"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": run},
                     *({**read, "id": f"{name}{i}"} for i in range(9))])

    ask("a")
    ask("b")
    client.request("ping")
    assert peak_of(client) < 250 << 10  # KiB, of 380 MiB
    for name, whole in (("a", 4), ("b", 0)):
        client.notify("notifications/cancelled", requestId=name)
        answers = client.read()
        assert sum("result" in answer for answer in answers) == whole and len(answers) == 9
        assert all("dropped" in answer["error"]["message"] for answer in answers if "error" in answer)
    ask("c")
    client.notify("notifications/cancelled", requestId="c")
    assert sum("result" in answer for answer in client.read()) == 4


def test_what_a_program_does_not_read_is_no_trouble(client):
    big = "x" * (5 << 20)
    # Nothing tells a program that somebody still writes to it: it stays until the pipe was long found closed.
    assert client.shell("head -c 3; exec 0<&-; sleep 0.2", stdin=big)["stdout"]["text"] == "xxx"
    assert client.shell("wc -c", stdin=big)["stdout"]["text"].strip() == str(len(big))
    assert client.shell("cat; echo end")["stdout"]["text"] == "end\n"
