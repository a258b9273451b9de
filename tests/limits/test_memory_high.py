"""limits.memory_high: slows the tree down instead of ending it, and says so. Only cgroup v2 has it."""
import pytest

from escape.attacks import ESCAPED
from support import features

LACKING = features.why_not("cgroup:memory") or features.why_not("cgroup-v2")
on_v2 = pytest.mark.needs("cgroup:memory", "cgroup-v2")
# A little above: without swap nothing can be taken back, so that the kernel lets whoever wants more sleep,
# the longer the further above (mm/memcontrol.c, calculate_high_delay()).
HIGH, USED = "32M", "32"  # and what any process needs


def use(sbx, probe, *flags):
    """A payload that uses more than HIGH, and a second later ends by itself: by then it has to be told."""
    run = sbx.run(flags=[*probe.flags, *flags], events=True, timeout=120,
                  cmd=["sh", "-c", f"{probe.path} memory-bomb {USED}; code=$?; sleep 1; exit $code"])
    assert run.code == ESCAPED and run.status == "nonzero", run
    return run, [event for event in run.events if event["type"] == "warning"]


def told_at_the_end(run):
    return [text for text in run.result["warnings"] if "limits.memory_high" in text]


@on_v2
def test_going_above_is_told_and_ends_nothing(sbx, probe):
    run, events = use(sbx, probe, "--memory-high", HIGH)
    count = run.result["memory"]["high_events"]
    assert count >= 1 and run.result["memory"]["oom_kills"] == 0, run
    assert [event["code"] for event in events] == ["memory_high"] and f"({HIGH})" in events[0]["text"], events
    assert len(told_at_the_end(run)) == 1 and told_at_the_end(run)[0].endswith(f": {count}"), run
    assert told_at_the_end(run)[0] in run.err, run
    assert "memory-high" in run.result["isolation"]["enforced"], run
    # When it happens, not when all is over.
    ended = next(event for event in run.events if event["type"] == "exit")
    assert ended["t_ms"] - events[0]["t_ms"] >= 900, run.events


@on_v2
def test_control_what_stays_below_is_not_told(sbx, probe):
    run, events = use(sbx, probe, "--memory-high", "256M")
    assert run.result["memory"]["high_events"] == 0 and not events and not told_at_the_end(run), run


@on_v2
def test_a_short_run_is_told_as_well(sbx, probe):
    """It may have ended before the supervisor looks."""
    run = sbx.run(flags=[*probe.flags, "--memory-high", HIGH], events=True, timeout=120,
                  cmd=[probe.path, "memory-bomb", USED])
    types = [event["type"] for event in run.events]
    assert types.count("warning") == 1 and types.index("warning") < types.index("exit"), run.events
    assert len(told_at_the_end(run)) == 1, run


@on_v2
def test_the_hard_limit_still_ends_it(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--memory-high", "31M", "--memory", HIGH, "--timeout", "120s"], timeout=180,
                  cmd=[probe.path, "memory-bomb", "64"])
    run.assert_status("oom", 137)


def test_where_v1_has_the_memory_it_is_refused(sbx):
    """By its place in the profile, with the way to a host that can."""
    profile = sbx.profile("version: 1\nlimits: {memory_high: 400M}\n")
    run = sbx.run(profile, cmd=["true"], bare=True)
    if LACKING:
        run.assert_refused("limits.memory_high", f"{profile}:2:23", "--degrade cgroup")
    else:
        run.assert_ok()
    if features.why_not("cgroup-v1") is None:
        run.assert_refused("memory of cgroup v2", "unified_cgroup_hierarchy")


def test_where_it_may_be_missing_it_is_reported(sbx, probe):
    run, events = use(sbx, probe, "--memory-high", HIGH, "--degrade", "cgroup")
    isolation = run.result["isolation"]
    assert "memory-high" in isolation["required"], run
    assert ("memory-high" in isolation["degraded"]) == bool(LACKING), run
    assert bool(events) != bool(LACKING) and (run.result["memory"]["high_events"] is None) == bool(LACKING), run
    assert "memory-high" not in isolation["approximate"], run
