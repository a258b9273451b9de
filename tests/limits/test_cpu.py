"""limits.cpus, a share of the processors; limits.cpu_weight, a share of one that others want too; and
limits.cpu, processor time of the whole tree."""
import os
import time

import pytest

from support import slow

pytestmark = pytest.mark.needs("cgroup:cpu")

# Uses two seconds of processor time and prints its share of the time that went by.
BUSY = """
import time
cpu, wall = time.process_time(), time.monotonic()
while time.process_time() - cpu < 2:
    pass
print((time.process_time() - cpu) / (time.monotonic() - wall))
"""
# Four at once, for as long as they are let.
SPINNERS = "for i in 1 2 3 4; do (while :; do :; done) & done; wait"
# Waits for a time, is busy until another, and prints the processor time it got.
RIVAL = """
import sys, time
start, end = float(sys.argv[1]), float(sys.argv[2])
while time.monotonic() < start:
    time.sleep(0.001)
before = time.process_time()
while time.monotonic() < end:
    pass
print(time.process_time() - before)
"""
TRIES = 3  # on a busy machine a run gets less than it may


def used_ms(run):
    return run.result["cpu_ms"]["user"] + run.result["cpu_ms"]["system"]


def shares(sbx, *flags):
    """By the payload's own clock, and by the result."""
    run = sbx.run(flags=flags, cmd=["/usr/bin/python3", "-S", "-c", BUSY]).assert_ok()
    return float(run.out), used_ms(run) / run.result["wall_ms"], run


def test_half_a_processor_is_half(sbx):
    """Never more; and not less either, unless nobody gets more."""
    for _ in range(TRIES):
        free, _, _ = shares(sbx)  # the control: the same payload without the limit
        inside, outside, run = shares(sbx, "--cpus", "0.5")
        assert inside <= 0.55 and outside <= 0.55, (inside, outside, run)
        throttled = run.result["cpu_ms"]["throttled"] > 0  # not where others leave it less than that
        if throttled and min(inside, outside) >= 0.45 * min(free / 0.9, 1) and free > inside * 1.2:
            return
    pytest.fail(f"{inside:.3f} by its own clock, {outside:.3f} by the result, {free:.3f} without the limit\n{run}")


@pytest.mark.parametrize("seconds", [2, 3])  # each is the other's control: the number is what ends it
def test_processor_time_is_counted_over_the_tree(sbx, seconds):
    run = sbx.run(flags=["--cpu-time", f"{seconds}s"], cmd=["sh", "-c", SPINNERS])
    used = used_ms(run.assert_status("cpu_limit", 124))
    # Where others get most of the processors, the supervisor is woken late as well.
    free = min(4, len(os.sched_getaffinity(0)))
    busy = max(1, free * run.result["wall_ms"] / used)
    assert seconds * 1000 <= used <= seconds * 1000 + 100 * slow.FACTOR * busy, (used, busy, run)


def test_less_than_the_limit_is_left_alone(sbx):
    sbx.run(flags=["--cpu-time", "20s"], cmd=["sh", "-c", "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done"]).assert_ok()


def rivals(sbx, weights):
    """The processor time of runs with these weights that want the same processor at the same time."""
    start = time.monotonic() + 1 + slow.FACTOR / 2
    window = [str(start), str(start + 2 + slow.FACTOR / 4)]
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        running = [sbx.spawn(flags=["--cpu-weight", weight], cmd=["/usr/bin/python3", "-S", "-c", RIVAL, *window])
                   for weight in weights]
    finally:
        os.sched_setaffinity(0, before)
    runs = [one.wait().assert_ok() for one in running]
    assert all("cpu-weight" in run.result["isolation"]["enforced"] for run in runs), runs
    return [float(run.out) for run in runs]


@pytest.mark.parametrize("weights,low,high",
                         [((1000, 100), 6, 15), ((100, 100), 0.6, 1.7), ((100, 1000), 1 / 15, 1 / 6)],
                         ids=["ten-to-one", "control-as-much", "one-to-ten"])
def test_a_weight_is_a_share_among_rivals(sbx, weights, low, high):
    for _ in range(TRIES):
        first, second = rivals(sbx, weights)
        if low <= first / max(second, 1e-9) <= high:
            return
    pytest.fail(f"{first:.3f} s and {second:.3f} s of processor time for weights {weights}")
