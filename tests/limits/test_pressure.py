"""pressure: how long processes had to wait, counted by the kernel for each v2 group (PSI)."""
import os

import pytest

from support import features, slow

KINDS = ("cpu", "memory", "io")
# Two that want the same processor at once, for a while.
RIVALS = "(while :; do :; done) & one=$!; (while :; do :; done) & two=$!; sleep {seconds}; kill $one $two"
SECONDS = max(1, slow.FACTOR / 4)


def figures(pressure):
    assert set(pressure) == set(KINDS), pressure
    return {f"{kind}.{key}": pressure[kind][key] for kind in KINDS for key in ("some_us", "full_us")}


def assert_figures(pressure):
    """Numbers, or null where this host does not count."""
    for name, value in figures(pressure).items():
        assert value is None or (isinstance(value, int) and value >= 0), (name, value)
    return pressure["cpu"]["some_us"]


@pytest.fixture
def one_cpu():
    """Everything that the test starts shares one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


def test_waiting_for_the_processor_is_counted(sbx, one_cpu):
    """Or null, on a host without v2 groups or without PSI."""
    waited = sbx.run(cmd=["sh", "-c", RIVALS.format(seconds=SECONDS)]).assert_ok()
    idle = sbx.run(cmd=["sleep", str(SECONDS)]).assert_ok()  # the control
    some, little = assert_figures(waited.result["pressure"]), assert_figures(idle.result["pressure"])
    if some is not None:
        assert some >= SECONDS * 1e6 * 0.3 and little < some, (waited, idle)
    if features.why_not("cgroup-v2") is None and os.path.exists("/proc/pressure/cpu"):
        assert some is not None, waited


def test_a_live_run_tells_figures_that_grow(sbx, one_cpu):
    run = sbx.run(flags=["--usage-interval", "200ms"], cmd=["sh", "-c", RIVALS.format(seconds=SECONDS)], events=True)
    run.assert_ok()
    seen = [assert_figures(event["pressure"]) for event in run.events if event["type"] == "usage"]
    seen.append(run.result["pressure"]["cpu"]["some_us"])
    assert len(seen) >= 3, run.events
    if seen[-1] is None:
        assert set(seen) == {None}, seen
    else:
        assert seen == sorted(seen) and seen[0] < seen[-1], seen
