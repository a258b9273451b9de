"""Has Ctrl-C reach the runs of other threads than the main one.

A terminal sends it to the client's process group, and sbx is in the guardian's. In the main thread KeyboardInterrupt comes
of it, which ends a run that goes on there; whoever then waits for other threads, as a pool of them does, would wait for
their runs' limits. So a second small shell, in the client's own group, passes it on: at a second signal sbx ends the whole
tree (sbx(1), SIGNALS). There is one only where there are a terminal and such a thread.
"""
from __future__ import annotations

import os
import signal
from typing import Any, List, Tuple

from .pipes import close, close_all, pipe

# $1 is the guardian's group. The pipe that it reads ends with the client; a signal, too, ends read.
SCRIPT = r"""
trap 'heard=1; kill -s TERM -- "-$1"; kill -s INT -- "-$1"' INT
while heard=; read -r line || [ "$heard" ]; do :; done
"""

_pid = 0
_group = 0
_held: List[int] = []  # the end of its pipe


def listen(group: int) -> None:
    """Sees that it is there, for this group. Whoever calls this holds the guardian's lock."""
    global _pid, _group
    if _group == group and _pid and not _waited(os.WNOHANG):
        return
    leave()
    if not _terminal():
        return
    reading, _ = pipe(_held)
    try:
        actions: List[Tuple[Any, ...]] = [(os.POSIX_SPAWN_DUP2, reading, 0),
                                          (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                          (os.POSIX_SPAWN_DUP2, 1, 2)]
        _pid = os.posix_spawn("/bin/sh", ["sh", "-c", SCRIPT, "sbx-ear", str(group)], {"PATH": "/usr/bin:/bin"},
                              file_actions=actions, setsigmask=[])
        _group = group
    finally:
        if reading in _held:
            close(_held, reading)


def leave() -> None:
    """Ends it."""
    global _pid
    close_all(_held)
    if _pid and not _waited(os.WNOHANG):
        os.kill(_pid, signal.SIGKILL)  # at its end it would be in a moment, unless somebody stops it
        _waited(0)
    _pid = 0


def abandon() -> None:
    """It is the parent's of this process, which was forked."""
    global _pid
    _pid = 0
    close_all(_held)


def _waited(options: int) -> bool:
    """Whether it has ended, and was waited for."""
    try:
        return os.waitpid(_pid, options)[0] != 0
    except ChildProcessError:
        return True


def _terminal() -> bool:
    """Whether this process has a terminal, of which signals may come."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError:
        return False
    return True
