"""SIGKILL of the supervisor at random moments: nothing of the run lives on, and the next run sweeps
what only a living process could have removed."""
import os
import random
import subprocess
import time

import pytest

from support import cgroups, leftovers

KILLS = int(os.environ.get("SBX_TEST_KILLS", "500"))
SEED = int(os.environ.get("SBX_TEST_SEED", "20260722"))
SET_UP_MS = 6  # the whole set-up fits in there on an idle machine
BATCH = 25
SWEPT_WITHIN = 10  # seconds; a group has to be a few seconds old before another run takes it for abandoned


def moments(count, seed):
    """When to kill, in ms after exec: most during the set-up, the rest while the payload runs."""
    chance = random.Random(seed)
    for _ in range(count):
        yield chance.uniform(0, SET_UP_MS) if chance.random() < 0.8 else chance.uniform(SET_UP_MS, 40)


def kill_after(argv, cwd, ms):
    process = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + ms / 1000
    while time.monotonic() < deadline:
        pass
    process.kill()
    process.wait()


def sweep(sbx, before):
    """Runs sbx until the killed runs' groups are gone; what is still there after a while."""
    deadline = time.monotonic() + SWEPT_WITHIN
    while True:
        sbx.run(cmd=["true"]).assert_ok()
        left = cgroups.groups_of_runs() - before
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["version: 1\n", "version: 1\nstdio: {tty: always}\nworkspace: {mode: overlay}\n"],
                         ids=["default", "overlay-and-terminal"])
def test_nothing_outlives_a_killed_supervisor(sbx, probe, profile):
    groups = cgroups.groups_of_runs()
    watch = leftovers.Watch()
    argv = [sbx.binary, "run", sbx.profile(profile), *sbx.degraded, "--timeout", "none", *probe.flags, "--",
            probe.path, "ignore-signals", "20000", "killed-supervisor"]
    started = time.monotonic()
    for number, ms in enumerate(moments(KILLS // 2, SEED), 1):
        kill_after(argv, sbx.cwd, ms)
        if number % BATCH == 0:
            problems = watch.problems(swept=False)
            assert not problems, f"kill {number}, seed {SEED}:\n" + "\n".join(problems)
            leftovers.reap_orphans("sbx", set())
    assert not watch.problems(swept=False)
    leftovers.reap_orphans("sbx", set())
    assert not sweep(sbx, groups)
    assert time.monotonic() - started < 120, "too slow for the suite"
