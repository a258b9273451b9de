"""A run that ends while it unpacks: what there was of the image goes at once, however it ends."""
import os
import signal
import time
from pathlib import Path

import pytest

from images.layouts import Image, member
from support.waiting import SOON, children_of, state_of, wait_until


def who_unpacks(pid):
    """The child that is confined already, and who else there is; looked for without a pause, because it is soon ready."""
    until = time.monotonic() + SOON
    while time.monotonic() < until:
        children = children_of(pid)
        confined = [child for child in children if "Seccomp:\t2" in Path("/proc", child, "status").read_text()]
        if confined:
            return int(confined[0]), [int(child) for child in children if child not in confined]
    raise AssertionError("nobody unpacks")


@pytest.fixture
def unpacking(images):
    """A run that is at it, and goes no further."""
    image = Image(images.base(*[member(f"d{i}/f", os.urandom(1 << 18)) for i in range(96)]), pack="gzip")
    running = images.sbx.spawn(flags=["--root", f"oci:{images.write(image)}"], cmd=["/bin/probe", "finds", "/nothing"])
    confined, others = who_unpacks(running.pid)
    os.kill(confined, signal.SIGSTOP)
    wait_until(images.left_over, "nothing is unpacked")
    return running, confined, others


# One from a terminal goes to all in the foreground.
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_nothing_stays(images, unpacking, number):
    running, confined, others = unpacking
    if number != signal.SIGKILL:
        for other in others:
            os.kill(other, number)
    running.signal(number)
    assert running.wait().code == -number
    wait_until(lambda: not images.left_over(), "what was unpacked is left", seconds=2)
    assert images.roots() == []
    wait_until(lambda: all(state_of(pid)[0] in "XZ" for pid in (confined, *others)), "somebody is left", seconds=2)


def test_what_stays_when_all_are_killed_goes_with_ps(images, unpacking):
    """And nothing of a run that is at it."""
    running, confined, others = unpacking
    (images.store / ".at-killed/rootfs/usr").mkdir(parents=True)
    (images.store / ".at-killed/rootfs/usr/file").write_text("x")
    [working] = [name for name in images.left_over() if name != ".at-killed"]
    assert images.sbx.call("ps").code == 0
    assert images.left_over() == [working]
    os.kill(confined, signal.SIGCONT)
    running.wait().assert_ok()
    assert len(images.roots()) == 1 and images.left_over() == []
