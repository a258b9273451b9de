"""SIGKILL of the supervisor while it clears away: what is left then is found by the next run, also where that
limits less, and so has no group of its own beside it."""
import subprocess

import pytest

from support import cgroups, leftovers

FIRST, LAST = 1, 6  # the calls that remove something at the end of a run: a group of each hierarchy, its socket


@pytest.mark.parametrize("nth", range(FIRST, LAST + 1))
def test_killed_while_it_removes_its_groups(sbx, nth):
    before, watch = cgroups.groups_of_runs(), leftovers.Watch()
    killed = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e", f"inject=unlinkat:signal=KILL:when={nth}"]
    profile = sbx.profile("version: 1\nlimits: {cpus: 1}\n")
    subprocess.run([*killed, sbx.binary, "run", profile, *sbx.degraded, "--", "true"], cwd=sbx.cwd, check=False)
    sbx.run(cmd=["true"]).assert_ok()
    assert cgroups.groups_of_runs() == before
    assert not watch.problems()
