"""What a run left behind on the host: processes, cgroups, mounts, temporary files.

The test process is made a subreaper, so that whatever outlives its supervisor becomes our child: the
check then sees exactly our own runs' processes, whatever else this host is doing.
"""
import contextlib
import ctypes
import os
import signal
import time
from pathlib import Path

from . import cgroups, slow

PR_SET_CHILD_SUBREAPER = 36
TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/run")
KEPT = {"/run/sbx"}  # the lock that root's runs share to tell their host ids apart
SECONDS_ALLOWED = 2.0 * slow.FACTOR  # what the contract gives


def become_subreaper():
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("prctl(PR_SET_CHILD_SUBREAPER) failed")


def _stat(pid):
    """(parent, state, start time, name) of a process; None when it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")  # a name may be any bytes
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return int(rest[1]), rest[0], rest[19], name


def descendants(ancestor=None):
    """{(pid, start time): name} of every living process below `ancestor` (default: ourselves)."""
    table = {int(p): _stat(p) for p in os.listdir("/proc") if p.isdigit()}
    children = {}
    for pid, entry in table.items():
        if entry:
            children.setdefault(entry[0], []).append(pid)
    found, todo = {}, [ancestor or os.getpid()]
    while todo:
        for pid in children.get(todo.pop(), []):
            _, state, start, name = table[pid]
            if state not in "ZX":
                found[pid, start] = name
            todo.append(pid)
    return found


def reap_orphans(name, known):
    """Collects dead processes called `name` that became our children and that nobody waits for."""
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) not in known:
            stat = _stat(entry)
            if stat and stat[0] == os.getpid() and stat[1] == "Z" and stat[3] == name:
                os.waitpid(int(entry), os.WNOHANG)


def _mounts():
    return set(Path("/proc/self/mountinfo").read_text().splitlines())


def _files():
    registries = {"sbx", f".sbx-{os.getuid()}"}  # kept; what lies in one is looked at by _sockets()
    found = set()
    for folder in TEMPORARY:
        try:
            found.update(f"{folder}/{n}" for n in os.listdir(folder) if n not in registries
                         and n.startswith(("sbx", ".sbx")) and not n.startswith("sbx-test"))  # tests' own
        except (FileNotFoundError, PermissionError, NotADirectoryError):
            continue
    return found - KEPT


def _sockets():
    """What live runs, or killed supervisors, have in the registry of this test; "swept" is nobody's, and says when."""
    folder = Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent"), "sbx")
    return {str(path) for path in folder.glob("*")} - {f"{folder}/swept"}


def _command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


class Watch:
    """Remembers what is there now; `problems` tells what has been added since and did not go away."""

    def __init__(self):
        self._processes = descendants()
        self._groups = cgroups.groups_of_runs()
        self._mounts = _mounts()
        self._files = _files()
        self._sockets = _sockets()

    def _added(self, swept):
        processes = {key: name for key, name in descendants().items() if key not in self._processes}
        lines = [f"process {pid} ({name}) {_command_line(pid)}" for (pid, _), name in processes.items()]
        if swept:
            lines += [f"cgroup {g}" for g in sorted(cgroups.groups_of_runs() - self._groups)]
            lines += [f"socket {s}" for s in sorted(_sockets() - self._sockets)]
        lines += [f"mount {m}" for m in sorted(_mounts() - self._mounts)]
        lines += [f"file {f}" for f in sorted(_files() - self._files)]
        return lines

    def end_processes(self):
        """Kills what a run left, so that it does not disturb the next test."""
        for (pid, start), _ in descendants().items():
            stat = None if (pid, start) in self._processes else _stat(pid)
            if stat and stat[2] == start:
                with contextlib.suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(pid, signal.SIGKILL)

    def problems(self, swept=True, seconds=SECONDS_ALLOWED):
        """One line for each thing still there after `seconds`; returns as soon as there is none.
        `swept=False` leaves out what after SIGKILL of the supervisor the next run sweeps: cgroups and
        sockets."""
        deadline = time.monotonic() + seconds
        while (lines := self._added(swept)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return lines
