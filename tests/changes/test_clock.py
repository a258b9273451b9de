"""Files get their times from the host's clock, and that can be set back while a command runs."""
import os
import time

import pytest

from support import bed

pytestmark = [pytest.mark.needs("overlay"),
              pytest.mark.skipif(not bed.NAME or os.getuid() != 0, reason="not in a virtual machine of tests/vm as root")]


@pytest.fixture
def step():
    """Sets the clock; all is as it was afterwards."""
    ahead = time.clock_gettime(time.CLOCK_REALTIME) - time.clock_gettime(time.CLOCK_BOOTTIME)
    yield lambda seconds: time.clock_settime(time.CLOCK_REALTIME, time.time() + seconds)
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_BOOTTIME) + ahead)


@pytest.mark.parametrize("seconds, told", [(-100, True), (0, False), (100, False)])
def test_what_the_host_saves_is_not_overwritten_however_its_clock_was_set(kept, step, seconds, told):
    file = kept.sbx.cwd / "file"
    file.write_text("before")
    running = kept.start("echo ready; read word; echo mine > file", keep="apply")
    step(seconds)
    file.write_text("host")
    run = running.wait(stdin=b"on\n")
    assert (run.code, file.read_text()) == (125, "host"), run
    assert any("clock was set back by 1m40" in warning for warning in run.result["warnings"]) == told, run
