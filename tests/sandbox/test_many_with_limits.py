"""Hundreds of sandboxes that one user starts at once: each gets limits of its own, and nothing of them is left."""
import os
import time
from pathlib import Path

import pytest

from support import cgroups, leftovers, slow

pytestmark = [pytest.mark.needs("cgroup:memory"), pytest.mark.needs("cgroup:pids")]

AT_ONCE = 200 if slow.FACTOR < 2 else 100  # an emulated machine makes scopes at one or two a second
SECONDS = 30 * min(slow.FACTOR, 5)  # until all of them are up, and again until all of them have ended
FILES = {"memory": {1: "memory.limit_in_bytes", 2: "memory.max"}, "pids": {1: "pids.max", 2: "pids.max"}}


def limits_of(number):
    """Different ones for each, so that it shows whose group is whose."""
    return {"memory": (64 + number) << 20, "pids": 32 + number}


def start(sbx, number, stdin):
    limits = limits_of(number)
    return sbx.spawn(flags=["--memory", f"{limits['memory'] >> 20}M", "--pids", limits["pids"], "--timeout", "none"],
                     cmd=["sh", "-c", "echo ready; read line; exit 0", f"run-{number}"], stdin=stdin)


def has_started(run, deadline):
    try:
        run.read_until(b"ready", max(0, deadline - time.monotonic()))
    except AssertionError:  # it ended, or is late; its own words say more
        return False
    return True


def payloads():
    """{number of the run: pid of its payload}, of all that live."""
    found = {}
    for pid, _ in leftovers.descendants():
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        if words[0] == "sh" and words[-2].startswith("run-"):
            found[int(words[-2].removeprefix("run-"))] = pid
    return found


def groups_of(pid):
    """{controller: (the process's group, what its limit says)}, as the host sees it."""
    found, groups = {}, cgroups.own(pid)
    for name, files in FILES.items():
        hierarchy = next(h for h in groups if h.has(name))
        limit = int((hierarchy.path / files[hierarchy.version]).read_text())
        # init is in the group of v2, and allowed for.
        found[name] = hierarchy.path, limit - (name == "pids" and hierarchy.version == 2)
    return found


def remains(parent, pids):
    """What of the runs is in the group that theirs were in, which others may use as well."""
    try:
        processes = set(map(int, (parent / "cgroup.procs").read_text().split()))
        return [child for child in parent.iterdir() if child.is_dir()] + sorted(pids & processes)
    except OSError:  # a scope goes with its run (ENODEV: just now)
        return []


def test_all_of_them_get_their_limits_and_leave_nothing(sbx):
    others = {pid for pid, _ in leftovers.descendants()}  # of fixtures that stay
    waits, ends = os.pipe()  # no payload ends before this one does
    runs = [start(sbx, number, waits) for number in range(AT_ONCE)]
    os.close(waits)
    deadline = time.monotonic() + SECONDS
    failed = [run for run in runs if not has_started(run, deadline)]
    if failed:
        os.close(ends)
        pytest.fail(f"{len(failed)} of {AT_ONCE} did not start, one of them so:\n{failed[0].wait(timeout=SECONDS)}")
    pids = payloads()
    assert sorted(pids) == list(range(AT_ONCE)), "all of them at the same time"
    everybody = {pid for pid, _ in leftovers.descendants()} - others
    groups = {number: groups_of(pid) for number, pid in pids.items()}
    os.close(ends)
    results = [run.wait(timeout=SECONDS).assert_ok() for run in runs]

    for number, run in enumerate(results):
        limits = limits_of(number)
        assert {"memory", "pids"} <= set(run.result["isolation"]["enforced"]), run
        assert run.result["memory"]["limit_bytes"] == limits["memory"], run
        assert groups[number]["memory"][1] == limits["memory"], run
        assert groups[number]["pids"][1] == limits["pids"], run
    for name in FILES:
        paths = {group[name][0] for group in groups.values()}
        assert len(paths) == AT_ONCE, f"groups shared: {name}"
        assert not [path for path in paths if path.exists()]
        # systemd removes a scope some time after its last process.
        parents, deadline = {path.parent for path in paths}, time.monotonic() + leftovers.SECONDS_ALLOWED
        while left := [what for parent in parents for what in remains(parent, everybody)]:
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
