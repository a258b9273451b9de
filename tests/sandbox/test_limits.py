"""The limits of a whole tree, as cgroups enforce them."""
import os
import re

import pytest

from support import cgroups
from support.waiting import wait_until

pytestmark = pytest.mark.needs("cgroup")


def test_processes_are_counted_and_refused(sbx):
    script = "i=0; while [ $i -lt 40 ]; do sleep 3 & i=$((i+1)); done"  # not for bash, which tries again for 15 s
    run = sbx.run(flags=["--pids", "10"], cmd=["sh", "-c", script])
    assert run.result["pids"]["limit_hits"] > 0 and run.result["pids"]["peak"] in (None, *range(1, 12)), run


def test_one_process_means_one(sbx):
    sbx.run(flags=["--pids", "1"], cmd=["true"]).assert_ok()
    run = sbx.run(flags=["--pids", "1"], cmd=["sh", "-c", "ls; echo"])
    assert run.code != 0 and "fork" in run.err.lower(), run


def test_files_in_memory_count_as_memory(sbx):
    run = sbx.run(flags=["--memory", "32M", "--tmpfs", "/big:200M"], cmd=["sh", "-c", "head -c 100M /dev/zero > /big/x"])
    assert run.status == "oom" and run.result["memory"]["oom_kills"] >= 1, run


@pytest.mark.needs("cgroup:cpu")
def test_a_share_of_a_processor_holds(sbx):
    run = sbx.run(flags=["--cpus", "0.2", "--timeout", "1500ms"], cmd=["sh", "-c", "while :; do :; done"])
    run.assert_status("timeout", 124)
    used = run.result["cpu_ms"]["user"] + run.result["cpu_ms"]["system"]
    assert used < 800 and run.result["cpu_ms"]["throttled"] > 0, run


@pytest.mark.needs("cgroup:cpuset")
def test_the_processors_are_the_named_ones(sbx):
    first = min(os.sched_getaffinity(0))
    run = sbx.run(flags=["--cpuset", str(first)], cmd=["grep", "Cpus_allowed_list", "/proc/self/status"]).assert_ok()
    assert run.out.split()[1] == str(first)


def test_a_processor_that_does_not_exist_is_refused(sbx):
    sbx.run(flags=["--cpuset", "4000"], cmd=["true"]).assert_refused("cpuset")


@pytest.mark.needs("cgroup:cpuset")
def test_of_a_processor_that_does_not_exist_those_that_do_are_told(sbx):
    run = sbx.run(flags=["--cpuset", "8191"], cmd=["true"]).assert_refused("cpuset.cpus = 8191")
    there = re.search(r"where there are the processors (\d[\d,-]*)\)", run.err)
    assert there and int(re.split("[,-]", there[1])[-1]) >= max(os.sched_getaffinity(0)), run


def test_the_payload_cannot_see_or_change_its_group(sbx):
    run = sbx.run(cmd=["sh", "-c", "cat /proc/self/cgroup; ls /sys/fs/cgroup"])
    paths = {line.split(":", 2)[2] for line in run.out.splitlines() if ":" in line}
    assert run.code != 0 and not any("sbx-" in path or "testbed" in path for path in paths), run


def test_the_group_is_there_during_the_run_and_gone_after_it(sbx):
    before = cgroups.groups_of_runs()
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; sleep 20"])
    running.read_until(b"ready")
    during = cgroups.groups_of_runs() - before
    assert during
    running.signal(15)
    running.wait()
    wait_until(lambda: not cgroups.groups_of_runs() - before, "its group stays", 2)


def test_lifted_limits_are_not_enforced_nor_named(sbx):
    run = sbx.run(flags=["--memory", "none", "--pids", "none", "--swap", "none", "--timeout", "none"], cmd=["true"])
    isolation = run.assert_ok().result["isolation"]
    assert not {"memory", "pids"} & set(isolation["required"]) and run.result["memory"]["limit_bytes"] is None


def test_enforced_is_what_was_required(sbx):
    isolation = sbx.run(cmd=["true"], bare=True).assert_ok().result["isolation"]
    assert set(isolation["required"]) <= set(isolation["enforced"]) and isolation["degraded"] == []
    assert isolation["cgroup"] in ("v1", "v2")


def test_one_process_uses_no_more_than_the_time_that_passes(sbx):
    """Its supervisor may see the command begin when that is almost over."""
    for _ in range(30):
        result = sbx.run(cmd=["true"]).assert_ok().result
        assert result["cpu_ms"]["user"] + result["cpu_ms"]["system"] <= result["wall_ms"], result
