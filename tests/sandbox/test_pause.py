"""`sbx pause` and `resume`: nothing of a paused run goes on, its time limits do not, and it can be ended."""
import os
import select
import signal
import time

import pytest

from sandbox.live_runs import ended_by_kill, only, start
from support.waiting import wait_until

TICKS = "echo ready; i=0; while [ $i -lt 2000 ]; do sleep 0.02; echo tick; i=$((i+1)); done"


def assert_silent(running, seconds):
    """Nothing more comes, but for what was under way."""
    time.sleep(0.3)
    while select.select([running.process.stdout], [], [], 0)[0]:
        os.read(running.process.stdout.fileno(), 1 << 20)
    assert not select.select([running.process.stdout], [], [], seconds)[0]


def test_a_paused_run_stands_still_and_its_clocks_with_it(sbx):
    running = start(sbx, TICKS, "--timeout", "3s", "--idle", "1s")
    name = only(sbx)["id"]
    assert sbx.call("pause", name).code == 0 and sbx.call("pause", name).code == 0
    assert only(sbx)["state"] == "paused"
    assert_silent(running, 4)
    assert sbx.call("resume", name).code == 0 and sbx.call("resume", name).code == 0
    assert only(sbx)["state"] == "running"
    running.read_until(b"tick")
    run = running.wait(timeout=10).assert_status("timeout", 124)
    assert run.seconds > 6 and 3 <= float(run.result["reason"]["observed"].rstrip("s")) < 5, run


COUNTERS = '''
import mmap, os, struct, sys
with open("counter", "r+b") as file:
    shared = mmap.mmap(file.fileno(), 0)
workers = int(sys.argv[1])
own = next((i for i in range(workers - 1) if os.fork() == 0), workers - 1)
if own == workers - 1:
    os.write(1, b"ready\\n")
count = 0
while True:
    count += 1
    struct.pack_into("q", shared, 8 * own, count)
'''


@pytest.mark.parametrize("flags", [[], ["--memory", "none", "--pids", "none", "--set", "limits.swap=none"]], ids=["groups", "signals"])
def test_once_pause_has_returned_nothing_runs(sbx, tmp_path, flags):
    workers = 8  # so many that init has to wait for a processor
    counter = tmp_path / "counter"
    counter.write_bytes(bytes(8 * workers))
    counter.chmod(0o666)
    running = sbx.spawn(flags=["--workspace", f"{tmp_path}:rw", "--timeout", "none", *flags],
                        cmd=["/usr/bin/python3", "-I", "-S", "-c", COUNTERS, str(workers)])
    running.read_until(b"ready")
    name = only(sbx)["id"]
    for _ in range(10):
        assert sbx.call("pause", name).code == 0
        before = counter.read_bytes()
        time.sleep(0.05)
        assert counter.read_bytes() == before
        assert sbx.call("resume", name).code == 0
        wait_until(lambda was=before: counter.read_bytes() != was, "it does not go on")
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)


def test_a_paused_run_can_be_killed(sbx):
    running = start(sbx, TICKS)
    name = only(sbx)["id"]
    assert sbx.call("pause", name).code == 0
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)


def test_a_paused_run_ends_when_its_supervisor_is_asked_to(sbx):
    running = start(sbx, TICKS)
    assert sbx.call("pause", only(sbx)["id"]).code == 0
    running.signal(signal.SIGTERM)
    assert running.wait(timeout=10).status == "interrupted"


def test_a_paused_run_that_is_asked_to_end_can_heed_that(sbx):
    running = start(sbx, "trap 'echo saved; exit 3' TERM; echo ready; while :; do sleep 0.05; done")
    assert sbx.call("pause", only(sbx)["id"]).code == 0
    running.signal(signal.SIGTERM)
    assert "saved" in running.wait(timeout=10).assert_nonzero(3).out


def test_a_run_that_is_being_ended_is_not_paused(sbx):
    running = start(sbx, "trap '' TERM; echo ready; while :; do sleep 0.05; done", "--grace", "20s")
    running.signal(signal.SIGTERM)
    name = only(sbx)["id"]
    wait_until(lambda: "being ended" in sbx.call("pause", name).err or None, "it can be paused")
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)


def test_a_paused_run_goes_with_its_killed_supervisor(sbx):
    running = start(sbx, TICKS)
    assert sbx.call("pause", only(sbx)["id"]).code == 0
    running.kill()
    running.process.wait()  # the rest is the fixture's: nothing is left after two seconds


def test_stop_and_continue_of_the_supervisor_leave_a_pause_alone(sbx):
    running = start(sbx, TICKS)
    name = only(sbx)["id"]
    assert sbx.call("pause", name).code == 0
    running.signal(signal.SIGCONT)
    assert_silent(running, 0.3)
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)
