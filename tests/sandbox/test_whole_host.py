"""The host's `/`, where somebody has asked for it, is the host's and not the sandbox's own."""
import os
from pathlib import Path

import pytest

SHOWN = {
    "bind": (["--ro", "/:/host"], "/host"),
    "writable": (["--rw", "/:/host"], "/host"),
    "workspace": (["--workspace", "/"], "/workspace"),
}


@pytest.mark.parametrize("flags, place", SHOWN.values(), ids=list(SHOWN))
def test_the_host_is_shown(sbx, flags, place):
    # Of root's runs, what else is mounted there keeps it from being id-mapped.
    run = sbx.run(flags=[*flags, "--degrade", "idmap"], cmd=["sh", "-c", f"ls -A {place}; echo; cat {place}/etc/passwd"])
    names, users = run.assert_ok().out.split("\n\n", 1)
    assert set(names.split("\n")) == set(os.listdir("/")), run
    assert users == Path("/etc/passwd").read_text(), run


def test_it_stays_read_only(sbx):
    run = sbx.run(flags=["--ro", "/:/host", "--degrade", "idmap"], cmd=["touch", "/host/etc/new"])
    assert run.code == 1 and "Read-only" in run.err, run


@pytest.mark.parametrize("flags, place", SHOWN.values(), ids=list(SHOWN))
def test_no_process_of_the_host_is_seen_in_it(sbx, flags, place):
    assert os.path.exists("/proc/1/status")
    run = sbx.run(flags=[*flags, "--degrade", "idmap"], cmd=["sh", "-c", f"ls -A {place}/proc; cat {place}/proc/1/status"])
    assert run.code == 1 and run.out == "", run


@pytest.mark.parametrize("source", ["/proc", "/proc/1", "/proc/self", "/proc/1/status"])
@pytest.mark.parametrize("flag", ["--ro {}:/place", "--copy-in {}:/tmp/place"])
def test_nor_by_itself(sbx, source, flag):
    run = sbx.run(flags=[*flag.format(source).split(), "--degrade", "idmap"], cmd=["true"])
    run.assert_refused("the processes of the host")


def test_what_the_machine_has_can_be_shown(sbx):
    run = sbx.run(flags=["--ro", "/proc/cpuinfo:/cpus", "--degrade", "idmap"], cmd=["grep", "-c", "^processor", "/cpus"])
    assert int(run.assert_ok().out) == open("/proc/cpuinfo").read().count("processor\t"), run
