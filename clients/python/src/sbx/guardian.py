"""Ends the runs, and removes the folders, of a client that died.

sbx does not end with its caller. So each client process has a guardian: a shell that leads a process group,
which every sbx is started in, and reads a pipe that only the client holds. The kernel closes that pipe
however the client ends. The guardian then asks the group to end (SIGTERM), kills it a second later, and
removes the folders whose names it was told. A client that ends in order dismisses it instead.

That no process is missed follows from the group: it is joined by posix_spawn(3) before sbx is executed.
"""
from __future__ import annotations

import atexit
import os
import signal
import threading
from typing import Any, Callable, Dict, List, Tuple

from . import ear
from .pipes import close, close_all, pipe

# $0 names it in ps(1). It takes no notice of signals but SIGKILL, and sleep(1) inherits that. What it reads, a
# line each: "+" a folder to remove at the end, "-" one to forget, "." to leave. Whoever removes the folders
# does so in a session of its own (setsid(1)), because the last signal to the group ends the guardian, too.
SCRIPT = r"""
trap '' TERM HUP INT QUIT TSTP
cd / && set -f
IFS='
'
list=$IFS
while read -r line; do
  case $line in
    +*) list=$list${line#+}$IFS ;;
    -*) name=$IFS${line#-}$IFS; list=${list%%"$name"*}$IFS${list#*"$name"} ;;
    .) exit 0 ;;
  esac
done
kill -TERM 0
sleep 1
setsid sh -c 'echo
  for try in 1 2 3 4 5 6 7 8 9 10; do
    sleep 0.1
    chmod -R u+rwX -- "$@"  # fails for a folder that has gone
    rm -rf -- "$@" && break
  done' sh $list | { read -r line; kill -KILL 0; }
"""

_lock = threading.RLock()  # of a thread that holds it the collector may take a Sandbox, whose end calls forget()
_pid = 0
_pipe = -1
_held: List[int] = []  # that end, and the other until the guardian has it
_folders: List[str] = []


def group(beside_main: bool = False) -> int:
    """The process group to start sbx in; starts the guardian where there is none. Raises OSError.

    beside_main: for a run of another thread than the main one, to which Ctrl-C is to be passed on.
    """
    with _lock:
        if not _pid or _ended(_pid):
            _start()
        if beside_main:
            ear.listen(_pid)
        return _pid


def _ended(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return True


def _start() -> None:
    global _pid, _pipe
    _close()
    reading, _pipe = pipe(_held)
    try:
        actions: List[Tuple[Any, ...]] = [(os.POSIX_SPAWN_DUP2, reading, 0),
                                          (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                          (os.POSIX_SPAWN_DUP2, 1, 2)]
        _pid = os.posix_spawn("/bin/sh", ["sh", "-c", SCRIPT, "sbx-guardian"], {"PATH": "/usr/bin:/bin"},
                              file_actions=actions, setpgroup=0, setsigmask=[])
    except OSError:
        _close()
        raise
    finally:
        if reading in _held:
            close(_held, reading)
    for folder in list(_folders):
        _tell("+" + folder)


def _tell(line: str) -> None:
    if _pipe >= 0:
        try:
            os.write(_pipe, os.fsencode(line) + b"\n")  # below PIPE_BUF: never cut, see pipe(7)
        except BrokenPipeError:
            pass  # it was killed: the next run starts another one


def keep(folder: str) -> None:
    """Has `folder` removed should this process die. A name with a line end is not taken."""
    group()
    if "\n" not in folder:
        with _lock:
            _folders.append(folder)
            _tell("+" + folder)


def forget(folder: str) -> None:
    """`folder` has been removed."""
    with _lock:
        if folder in _folders:
            _folders.remove(folder)
            _tell("-" + folder)


def _close() -> None:
    global _pid, _pipe
    _pid, _pipe = 0, -1
    close_all(_held)


def renew() -> None:
    """Has the next run start another guardian: this one leads a group that cannot be joined any more."""
    with _lock:
        for folder in list(_folders):
            _tell("-" + folder)  # the next one's
        _close()


def dismiss() -> None:
    """Lets the guardian go; runs that are still under way in other threads are killed first.

    Where a folder could not be removed, as while a run makes files in it, it is left to do both, as of a client that died.
    """
    with _lock:
        ear.leave()
        pid, left = _pid, list(_folders)
        if not pid:
            return
        if _running and not left:
            os.killpg(pid, signal.SIGKILL)
        elif not left:
            _tell(".")
        _close()
        if left:
            return
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:
            pass


_running: Dict[object, Callable[[], None]] = {}  # whoever has a run of sbx that may not have been waited for


def started(run: object, abandon: Callable[[], None]) -> None:
    """`run` starts an sbx now; a child that is forked before it has ended calls `abandon`."""
    _running[run] = abandon


def ended(run: object) -> None:
    """It has been waited for, or was not started."""
    _running.pop(run, None)


def _after_fork() -> None:
    """A forked child has a guardian of its own, and runs: the pipes of its parent's must have one holder."""
    global _lock
    _lock = threading.RLock()
    for abandon in list(_running.values()):
        abandon()
    _running.clear()
    _folders.clear()
    _close()
    ear.abandon()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(dismiss)
