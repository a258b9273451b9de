"""The Python client whose callbacks are slow: nothing of the output is lost, and nobody waits for one that does not end."""
import asyncio
import os
import threading
import time

import pytest

from clients import python_table as table
from support.waiting import wait_until

SECONDS = 20  # for what has to come about
# sbx waits five seconds for a reader; what it writes meanwhile is more than all pipes hold.
STEADY = "i=0; while [ $i -lt 40 ]; do head -c 100000 /dev/zero; i=$((i+1)); sleep 0.05; done"
TOO_LONG = 6.5


@pytest.mark.parametrize("kind", ["threads", "asyncio"])
def test_slow_callback_loses_nothing(client, degraded, kind):
    got, before = [], len(os.listdir("/proc/self/fd"))

    def slow(data):
        got.append(len(data))
        if len(got) == 1:
            time.sleep(TOO_LONG)

    async def slow_async(data):
        got.append(len(data))
        if len(got) == 1:
            await asyncio.sleep(TOO_LONG)

    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        if kind == "threads":
            result = box.run(["sh", "-c", STEADY], on_stdout=slow)
        else:
            result = asyncio.run(client.AsyncSandbox.of(box).run(["sh", "-c", STEADY], on_stdout=slow_async))
    assert (sum(got), result.events_lost, len(result.stdout)) == (4_000_000, 0, 4_000_000)
    assert [one.name for one in threading.enumerate() if one.name.startswith("sbx-")] == []
    assert len(os.listdir("/proc/self/fd")) <= before


def test_what_waits_for_a_callback_is_bounded():
    """Then no more is read; whoever ends the run has the rest thrown away, so that the reader comes to its end."""
    from sbx import relay
    reading, writing = os.pipe()
    woken, wake = os.pipe()
    beside, nothing = os.pipe()
    os.close(nothing)
    os.set_blocking(wake, False)
    one = relay.Relay({reading: len, beside: len}, reading, wake)
    one.start()
    chunk = bytes(relay.CHUNK)
    written = []

    def write():
        for _ in range(3 * relay.MOST // len(chunk)):
            written.append(os.write(writing, chunk))
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    wait_until(lambda: sum(written) >= relay.MOST, "too little is read", SECONDS)
    time.sleep(0.2)
    kept = sum(written)
    assert kept < relay.MOST + 4 * relay.CHUNK and writer.is_alive()
    assert relay.MOST <= sum(map(len, one.take())) <= kept
    wait_until(lambda: sum(written) > kept, "nothing is read any more", SECONDS)
    one.leave()
    writer.join(SECONDS)
    assert one.over and not writer.is_alive()
    for fd in (reading, woken, wake, beside):
        os.close(fd)


@pytest.mark.parametrize("kind", ["threads", "asyncio"])
def test_closed_while_a_callback_does_not_end(client, tree, degraded, kind):
    """close() does not wait for it, also if the callback itself calls it."""
    go_on, asked = threading.Event(), threading.Event()
    failed = []
    box = client.Sandbox(degrade=["cgroup"] if degraded else [])
    command = ["sh", "-c", f"echo; sleep {tree} & while :; do echo; done"]

    def hold(_):
        asked.set()
        go_on.wait()

    async def hold_async(_):
        asked.set()
        await asyncio.sleep(1000)

    def run():
        try:
            if kind == "threads":
                box.run(command, on_stdout=hold)
            else:
                asyncio.run(client.AsyncSandbox.of(box).run(command, on_stdout=hold_async))
        except client.SbxError as error:
            failed.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert asked.wait(SECONDS)
        wait_until(lambda: table.running_with(tree), "it does not run", SECONDS)
        begun = time.monotonic()
        box.close()
        assert time.monotonic() - begun < SECONDS / 2 and table.running_with(tree) == []
        assert not os.path.lexists(box.workspace)
        if kind == "threads":
            go_on.set()
        thread.join(SECONDS)
    finally:
        go_on.set()
    assert not thread.is_alive() and failed == ["this sandbox was closed"]


def test_callback_that_closes_its_own_sandbox(client, tree, degraded):
    box = client.Sandbox(degrade=["cgroup"] if degraded else [])
    with pytest.raises(client.SbxError, match="this sandbox was closed"):
        box.run(["sh", "-c", f"echo; sleep {tree}"], on_stdout=lambda _: box.close())
    assert table.running_with(tree) == [] and not os.path.lexists(box.workspace)


def test_closed_at_each_moment_of_a_start(client, tree, degraded):
    """Nothing of the run stays, whether close() came before it was started, or had it ended."""
    for delay in range(0, 30, 3):
        box = client.Sandbox(timeout=60, degrade=["cgroup"] if degraded else [])
        said = []

        def run():
            try:
                said.append(box.run(["sleep", tree]).status)
            except (client.SbxError, ValueError) as error:
                said.append(str(error))
        thread = threading.Thread(target=run)
        thread.start()
        time.sleep(delay / 1000)
        box.close()
        assert table.running_with(tree) == [], f"after {delay} ms"
        thread.join(SECONDS)
        assert said in (["this sandbox was closed"], ["this sandbox is closed"]), said
