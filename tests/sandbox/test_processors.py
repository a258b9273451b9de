"""init and the payload are begun on other processors than their parents', and may then run on all that their caller may."""
import os
import subprocess

import pytest

ASK = ["/usr/bin/python3", "-I", "-S", "-c", """
import os, subprocess
for pid in 1, 0:
    print(*sorted(os.sched_getaffinity(pid)), flush=True)
subprocess.run(["nproc"])"""]
USABLE = sorted(os.sched_getaffinity(0))


@pytest.fixture(params=[1, len(USABLE)], ids=["one", "all"])
def caller(request):
    """The processors that the caller may use, set for this process and what it starts."""
    mine = USABLE[-request.param:]
    os.sched_setaffinity(0, mine)
    yield mine
    os.sched_setaffinity(0, USABLE)


@pytest.mark.parametrize("flags", [[], ["--memory", "none", "--pids", "none", "--set", "limits.swap=none"]],
                         ids=["cgroups", "no-cgroups"])
def test_it_may_use_all_that_its_caller_may(sbx, caller, flags):
    out = sbx.run("python", flags=flags, cmd=ASK).assert_ok().out
    assert out == 2 * f"{' '.join(map(str, caller))}\n" + f"{len(caller)}\n"


@pytest.fixture
def held():
    """Somebody has all processors but one."""
    holders = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"],
                                preexec_fn=lambda one=processor: os.sched_setaffinity(0, {one})) for processor in USABLE[1:]]
    yield
    for holder in holders:
        holder.kill()
        holder.wait()


def test_it_may_use_all_where_others_have_them(sbx, held):
    """init or the payload does not get on where it was sent to, and is called back."""
    for _ in range(5):
        out = sbx.run("python", cmd=ASK).assert_ok().out
        assert out == 2 * f"{' '.join(map(str, USABLE))}\n" + f"{len(USABLE)}\n"
