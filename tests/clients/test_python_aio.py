"""AsyncSandbox when the loop, or whoever awaits, ends otherwise than by cancelling."""
import asyncio
import gc
import inspect
import os
import threading
import time

import pytest

from clients import python_table as table
from support.waiting import wait_until

SECONDS = 20  # for what has to come about


def test_coroutine_that_is_closed(client, tree, degraded):
    """As the collector closes that of a loop which was closed: the tree ends at once, and not by its limits."""
    with client.Sandbox(timeout=60, degrade=["cgroup"] if degraded else []) as box:
        loop = asyncio.new_event_loop()
        before = len(os.listdir("/proc/self/fd"))
        task = client.AsyncSandbox.of(box).run(["sleep", tree])

        async def begin():
            task.send(None)
            await asyncio.to_thread(wait_until, lambda: table.running_with(tree), "it does not run", SECONDS)
        loop.run_until_complete(begin())
        begun = time.monotonic()
        task.close()
        assert time.monotonic() - begun < SECONDS and table.running_with(tree) == []
        assert len(os.listdir("/proc/self/fd")) <= before
        loop.close()
    assert [one for one in threading.enumerate() if one.name == "sbx-run"] == []


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "in a callback"])
def test_loop_that_is_closed(client, tree, degraded, busy):
    """Also where the task is kept, so that nobody closes its coroutine: the run ends at once, and not by its limits."""
    asked = []

    async def hold(data):
        asked.append(data)
        await asyncio.sleep(1000)

    with client.Sandbox(timeout=60, degrade=["cgroup"] if degraded else []) as box:
        loop = asyncio.new_event_loop()
        before = set(os.listdir("/proc/self/fd"))

        async def begin():
            run = client.AsyncSandbox.of(box).run(["sh", "-c", f"echo; sleep {tree}"], on_stdout=hold if busy else None)
            task = asyncio.ensure_future(run)
            started = asyncio.to_thread(wait_until, lambda: table.running_with(tree), "it does not run", SECONDS)
            await asyncio.gather(started, asyncio.sleep(0.1))
            return task
        task = loop.run_until_complete(begin())
        loop.close()
        assert bool(asked) == busy
        wait_until(lambda: not table.running_with(tree), "it goes on", SECONDS)
        wait_until(lambda: not [one for one in threading.enumerate() if one.name.startswith("sbx-")], "a thread is left", SECONDS)
        task._log_destroy_pending = False
        del task
        gc.collect()
        assert set(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("error", [StopIteration, SystemExit, KeyboardInterrupt], ids=lambda error: error.__name__)
def test_callback_that_raises_what_ends_loops(client, tree, degraded, error):
    def err(_):
        raise error

    async def run():
        async with client.AsyncSandbox(degrade=["cgroup"] if degraded else []) as box:
            await asyncio.wait_for(box.run(["sh", "-c", f"echo; sleep {tree}"], on_stdout=err), SECONDS)

    with pytest.raises((error, RuntimeError)):  # a coroutine cannot raise StopIteration
        asyncio.run(run())
    assert table.running_with(tree) == []


def test_every_method_of_a_sandbox_can_be_awaited(client):
    def public(of):
        return {name for name, value in vars(of).items() if inspect.isfunction(value) and not name.startswith("_")}

    assert public(client.Sandbox) <= public(client.AsyncSandbox)
    for name in public(client.Sandbox):
        alike = [inspect.signature(getattr(of, name)) for of in (client.Sandbox, client.AsyncSandbox)]
        assert alike[0] == alike[1] and inspect.iscoroutinefunction(getattr(client.AsyncSandbox, name)), name


def test_artifacts_and_plan(client, tmp_path, degraded):
    async def run():
        async with client.AsyncSandbox(degrade=["cgroup"] if degraded else [], collect=["/workspace/*.txt"]) as box:
            result = await box.run(["sh", "-c", "echo kept > a.txt"])
            await box.save_artifacts(result, tmp_path / "out")
            return await box.explain(["true"], hostname="planned")

    plan = asyncio.run(run())
    assert (tmp_path / "out/workspace/a.txt").read_text() == "kept\n"
    assert "planned" in str(plan)
