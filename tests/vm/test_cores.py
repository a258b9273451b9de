"""A command that dies starts no program of the host's: core_pattern(5) may name one, which runs as root, outside of every
limit, and reads all that the command had in memory. That is a setting of the whole machine, so it takes one of our own."""
import os
from pathlib import Path

import pytest

from support import bed, machine
from vm import beds

ROW = beds.read().get(bed.NAME)
PATTERN = Path("/proc/sys/kernel/core_pattern")
pytestmark = pytest.mark.skipif(ROW is None, reason="not in a virtual machine of tests/vm")

DIE = """
import ctypes, os, resource, sys
libc = ctypes.CDLL(None)
none = (ctypes.c_uint64 * 2)(0, 0)
if sys.argv[1] == "setrlimit": libc.syscall(SETRLIMIT, resource.RLIMIT_CORE, none)
if sys.argv[1] == "prlimit": libc.syscall(PRLIMIT, 0, resource.RLIMIT_CORE, none, None)
if sys.argv[1] == "both": libc.syscall(PRLIMIT, 0, resource.RLIMIT_CORE, none, (ctypes.c_uint64 * 2)())
os.abort()
""".replace("SETRLIMIT", str(machine.call(160, 164))).replace("PRLIMIT", str(machine.call(302, 261)))


@pytest.fixture
def told(tmp_path):
    """The file that the host's program writes to."""
    if os.geteuid() != 0 or ROW.way == "container" or "linux-5.12" in ROW.lacks:
        pytest.skip("for another kind of bed: one of root's, whose core_pattern can be set")
    program, told = tmp_path / "program", tmp_path / "told"
    # Before it reads: the command is not dead until all of its core is in the pipe, which holds less.
    program.write_text(f"#!/bin/sh\n: >{told}\ncat >/dev/null\n")
    program.chmod(0o755)
    before = PATTERN.read_text()
    PATTERN.write_text(f"|{program}")
    yield told
    PATTERN.write_text(before)


def die(sbx, way, *flags):
    flags = [*flags, "--degrade", "cgroup", "--degrade", "landlock"]
    run = sbx.run(flags=flags, cmd=["/usr/bin/python3", "-c", DIE, way])
    assert run.code == 134, run


@pytest.mark.parametrize("way", ["-", "setrlimit", "prlimit", "both"])
def test_no_program_of_the_hosts_is_started(sbx, told, way):
    die(sbx, way)
    assert not told.exists()


@pytest.mark.parametrize("flags", [["--rlimit", "core=1M"], ["--rlimit", "core=none"]], ids=["some", "any"])
def test_control_one_is_where_the_profile_allows_cores(sbx, told, flags):
    die(sbx, "-", *flags)
    assert told.exists()
