"""limits.pids: processes and threads that live at once, init not counted."""
import time

import pytest

from escape.attacks import CONTAINED, ESCAPED
from support import slow

pytestmark = pytest.mark.needs("cgroup:pids")

# Every process forks for as long as it lives, and tries again when it is refused. Nice, because a fork
# that is refused costs the kernel nearly a whole one, and who watches needs the processor, too.
BOMB = """
import os, time
os.nice(19)
until = time.monotonic() + %d
while time.monotonic() < until:
    try:
        os.fork()
    except OSError:
        time.sleep(%g)
os._exit(0)
""" % (min(2 * slow.FACTOR, 4), 0.1 * slow.FACTOR)


def most_seen(sbx, pids):
    """The most processes of the tree that lived at once, init not counted, and the run."""
    running = sbx.spawn(flags=["--pids", pids], cmd=["/usr/bin/python3", "-S", "-c", BOMB])
    most = 0
    while running.process.poll() is None:
        most = max(most, len(running.processes()) - 1)
        time.sleep(0.02 * slow.FACTOR)
    return most, running.wait()


def test_a_bomb_never_has_more_than_the_limit(sbx):
    most, run = most_seen(sbx, 32)
    assert most <= 32, (most, run)
    assert run.result["pids"]["limit_hits"] > 0, run  # it did get there
    assert run.result["pids"]["peak"] in (None, *range(24, 33)), run


def test_control_a_higher_limit_has_more(sbx):
    most, run = most_seen(sbx, 48)
    # More than the other limit ever had: seen, or counted by the kernel, which refuses none before the 49th.
    assert most > 32 or run.result["pids"]["limit_hits"] > 0, (most, run)


def test_the_last_fork_is_refused(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--pids", "32"], cmd=[probe.path, "fork-bomb", "100"])
    assert run.code == CONTAINED and "31 children" in run.out and "EAGAIN" in run.out, run


def test_control_without_the_limit_all_forks_succeed(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--pids", "none"], cmd=[probe.path, "fork-bomb", "100"])
    assert run.code == ESCAPED, run
