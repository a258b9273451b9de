"""Waiting for a condition, and what a process is doing meanwhile."""
import os
import resource
import time
from pathlib import Path

from . import slow

SOON = 5 * slow.FACTOR


def wait_until(condition, what, seconds=SOON):
    """What `condition()` gives once that is something; `what` it says when that does not come."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, what
        time.sleep(0.02)
    return found


def children_of(pid):
    """Of its first thread, as texts; none of a process that has gone."""
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []


def state_of(pid):
    """'S' or so, and the time that it has computed; ('X', None): there is none."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "X", None
    return words[0], (words[11], words[12])


def cpu_seconds(pid):
    """User and system time of a process so far, without children."""
    _, (user, system) = state_of(pid)
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def are_waiting(pids):
    """Do all of them sleep, and does none compute anything in between?"""
    looks = set()
    for _ in range(6):
        looks.add(tuple(state_of(pid) for pid in pids))
        time.sleep(0.02)
    return len(looks) == 1 and all(state in "SZX" for state, _ in looks.pop())


def words_of(pid):
    """The command line of a process, as the kernel has it; empty of one that has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def resident(pid):
    """Bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
