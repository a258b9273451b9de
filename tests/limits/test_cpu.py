"""limits.cpus, a share of the processors, and limits.cpu, processor time of the whole tree."""
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
TRIES = 3  # a busy machine may give less than the limit, never more


def used_ms(run):
    return run.result["cpu_ms"]["user"] + run.result["cpu_ms"]["system"]


def shares(sbx, flags):
    run = sbx.run(flags=flags, cmd=["/usr/bin/python3", "-S", "-c", BUSY]).assert_ok()
    return float(run.out), used_ms(run) / run.result["wall_ms"], run


def test_half_a_processor_is_half(sbx):
    for _ in range(TRIES):
        inside, outside, run = shares(sbx, ["--cpus", "0.5"])
        assert inside <= 0.55 and outside <= 0.55, (inside, outside, run)
        assert run.result["cpu_ms"]["throttled"] > 0, run
        if inside >= 0.45 and outside >= 0.45:
            return
    pytest.fail(f"got less than half: {inside:.3f} by its own clock, {outside:.3f} by the result\n{run}")


def test_control_without_the_limit_it_is_more(sbx):
    found = []
    while len(found) < TRIES and max(found, default=0) <= 0.6:
        found.append(shares(sbx, [])[0])
    assert max(found) > 0.6, found


@pytest.mark.parametrize("seconds", [2, 3])  # each is the other's control: the number is what ends it
def test_processor_time_is_counted_over_the_tree(sbx, seconds):
    run = sbx.run(flags=["--cpu-time", f"{seconds}s"], cmd=["sh", "-c", SPINNERS])
    run.assert_status("cpu_limit", 124)
    assert seconds * 1000 <= used_ms(run) <= seconds * 1000 + 100 * slow.FACTOR, run


def test_less_than_the_limit_is_left_alone(sbx):
    sbx.run(flags=["--cpu-time", "20s"], cmd=["sh", "-c", "i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done"]).assert_ok()
