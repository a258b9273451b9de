"""The Python client, interrupted by a signal's handler at each moment of a start: nobody's run goes on, nothing stays open."""
import asyncio
import gc
import inspect
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from clients import python_table as table

FILES = ("/sbx/process.py", "/sbx/guardian.py", "/sbx/pipes.py", "/sbx/relay.py", "/sbx/runs.py")
PLACES = (*FILES, "/sbx/sandbox.py", "/sbx/aio.py", "/weakref.py")
MOST = 1000  # moments of a start; there are some fifty


class Started(Exception):
    """The run is under way: all moments of its start have been."""


def raise_at(number):
    """Has KeyboardInterrupt raised at the n-th place of a start where Python calls handlers: as a function is entered,
    left, or one of C has returned. Returns what to call at the end."""
    seen = 0

    def moment(frame, event, arg):
        nonlocal seen
        if not frame.f_code.co_filename.endswith(FILES):
            return
        if frame.f_code.co_name == "communicate" and event == "c_call" and arg.__name__ == "poll" and arg.__self__:
            sys.setprofile(None)
            raise Started
        if event in ("call", "return", "c_return"):
            seen += 1
        if seen == number:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(moment)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_interrupted_at_each_moment_of_a_start(client, tree, degraded):
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        before = descriptors()
        for number in range(1, MOST):
            raise_at(number)
            with pytest.raises((KeyboardInterrupt, Started)) as caught:
                box.run(["sleep", tree], input="x", on_stdout=print)
            sys.setprofile(None)
            assert table.running_with(tree) == [] and descriptors() == before, f"interrupted at moment {number}"
            if caught.type is Started:
                break
        assert 30 < number < MOST - 1
        assert box.run(["true"]).ok


def raise_within(function, number):
    """The same for a call of `function`. Whether there was such a moment."""
    seen = 0

    def moment(frame, event, _):
        nonlocal seen
        suspended = event == "return" and frame.f_code.co_flags & inspect.CO_COROUTINE
        if suspended or not frame.f_code.co_filename.endswith(PLACES):
            return
        seen += event in ("call", "return", "c_return")
        if seen == number:
            sys.setprofile(None)
            raise KeyboardInterrupt

    sys.setprofile(moment)
    try:
        function()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


@pytest.mark.parametrize("profile", [None, {"version": 1}], ids=["workspace", "profile"])
def test_interrupted_at_each_moment_of_making_a_sandbox(client, tmp_path, monkeypatch, profile):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    made = []
    for number in range(1, MOST):
        there_is_one = raise_within(lambda: made.append(client.Sandbox(profile)), number)
        made.clear()
        gc.collect()
        assert os.listdir(tmp_path / "tmp") == [], f"interrupted at moment {number}"
        if not there_is_one:
            break
    assert 20 < number < MOST - 1


def test_interrupted_at_each_moment_before_its_thread_runs(client, degraded):
    """AsyncSandbox: whoever is to tell the thread to stop has a pipe for it."""
    async def begin(number):
        coroutine = client.AsyncSandbox.of(box).run(["true"])
        there_is_one = raise_within(lambda: coroutine.send(None), number)
        coroutine.close()
        return there_is_one

    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, asyncio.Runner() as runner:
        runner.run(asyncio.sleep(0))
        before = descriptors()
        for number in range(1, MOST):
            there_is_one = runner.run(begin(number))
            assert descriptors() == before, f"interrupted at moment {number}"
            if not there_is_one:
                break
    assert 10 < number < MOST - 1


def test_pipe_of_who_has_no_standard_descriptors_and_hardly_any_left(client):
    """What cannot be moved above them is closed: the process has as many as before."""
    from sbx import pipes
    script = """import os, resource, sys
sys.path.insert(0, sys.argv[1])
from sbx import pipes
kept = os.dup(2)
for most in range(3, kept + 4):
    os.closerange(0, 3)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    held = []
    try:
        pipes.pipe(held)
        assert min(held) > 2 and len(held) == 2
    except OSError:
        pass
    pipes.close_all(held)
    opened = [fd for fd in range(64) if fd != kept and os.path.exists(f"/proc/self/fd/{fd}")]
    assert opened == [], opened
os.dup2(kept, 2)
print("all closed", file=sys.stderr)"""
    done = subprocess.run([sys.executable, "-c", script, Path(pipes.__file__).parents[1]], stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.stderr == "all closed\n", done


def test_start_that_fails_is_not_a_run(client, degraded):
    """Nothing counts as under way after it, so that the guardian is dismissed in peace."""
    from sbx import guardian
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        box.binary = "/no/such/sbx"
        with pytest.raises(client.SbxError, match="cannot start /no/such/sbx: No such file"):
            box.run(["true"])
    assert not guardian._running
