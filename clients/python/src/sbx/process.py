"""Starts one sbx, feeds and reads it without deadlock, and sees that it ends."""
from __future__ import annotations

import errno
import functools
import json
import os
import select
import signal
import subprocess
import threading
import time
from typing import Callable, Dict, List, Optional, Tuple, Union

from . import guardian
from .binary import no_start
from .pipes import close, close_all, pipe
from .place import words_in
from .relay import Relay
from .runs import Runs

CHUNK = 1 << 16
NOT_OURS = -1000  # no exit code: a handler of SIGCHLD, or SIG_IGN, has taken it
LOOK_MS = 1000  # how often whoever is to be watched is looked at
PATIENCE = 5.0  # seconds that a run gets to end after `sbx kill`, before sbx itself is killed
DEFAULT_SIGNALS = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD]  # Python, or the caller, may ignore them
Input = Union[bytes, int]  # what to write, or a descriptor to read from


class Cancelled(Exception):
    """Whoever holds the other end of the cancel pipe asked for the end, or who was watched is no more."""


class Process:
    """One sbx. Use as a context manager; `communicate` starts it, and leaving, by an exception too, ends the whole tree.

    Nothing is started or opened before the `with` block has been entered: an exception of a signal handler, as
    KeyboardInterrupt is, may come anywhere, and there `__exit__` follows it.
    """

    def __init__(self, argv: List[str], source: Input, events: Optional[Callable[[bytes], None]], runs: Runs,
                 place: Optional[str] = None) -> None:
        """For `argv`, which is a path, `run`, and flags; --events is added if there is a sink. One of `runs`, in `place`."""
        self._argv, self._source, self._events, self._runs, self._place = argv, source, events, runs, place
        self._relay: Optional[Relay] = None  # with events: whoever reads while their sink is busy
        self._wake, self._alone = -1, True
        self._reaping = threading.Lock()  # whoever signals by the pid, and whoever gives the pid back
        self.asked = False
        """Whether somebody else had it end."""
        self._open: List[int] = []
        self._sinks: Dict[int, Callable[[bytes], None]] = {}
        self._input = memoryview(source if isinstance(source, bytes) else b"")
        self._stdin = -1
        self._pids: List[int] = []  # of sbx; none: it was not started
        self.stdout, self.stderr = bytearray(), bytearray()
        self.code: Optional[int] = None

    def _start(self) -> None:
        theirs: List[int] = []
        actions: List[Tuple[int, ...]] = []
        argv, source = self._argv, self._source
        try:
            if isinstance(source, int):
                actions.append((os.POSIX_SPAWN_DUP2, source, 0))
            elif source:
                reading, self._stdin = pipe(self._open)
                theirs.append(reading)
                os.set_blocking(self._stdin, False)
                actions.append((os.POSIX_SPAWN_DUP2, reading, 0))
            for target, sink in ((1, self.stdout.extend), (2, self.stderr.extend)):
                actions.append((os.POSIX_SPAWN_DUP2, self._output(theirs, sink), target))
            if self._events:
                writing = self._output(theirs, self._events)
                events = next(reversed(self._sinks))
                actions.append((os.POSIX_SPAWN_DUP2, writing, writing))  # to itself: no longer close-on-exec
                argv = [*argv[:2], f"--events=fd:{writing}", *argv[2:]]
            if source == b"":
                actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))  # type: ignore[arg-type]
            guardian.started(self, self._abandon)
            self._spawn(argv, actions)
        finally:
            for end in theirs:
                close(self._open, end)
        if self._events:
            self._wake, waking = pipe(self._open)
            os.set_blocking(waking, False)
            self._relay = Relay(dict(self._sinks), events, waking)
            self._relay.start()
            self._sinks = {self._wake: self._events}

    def _output(self, theirs: List[int], sink: Callable[[bytes], None]) -> int:
        reading, writing = pipe(self._open)
        theirs.append(writing)
        self._sinks[reading] = sink
        return writing

    def _spawn(self, argv: List[str], actions: List[Tuple[int, ...]]) -> None:
        beside = self._alone and threading.current_thread() is not threading.main_thread()
        words = words_in(self._place, argv)
        for attempt in (1, 2):
            spawn = functools.partial(os.posix_spawn, words[0], words, file_actions=actions, setpgroup=guardian.group(beside),
                                      setsigdef=DEFAULT_SIGNALS, setsigmask=[])
            try:
                # The start and the note of its pid are one call of C: no signal handler of Python comes between them.
                self._pids.extend(map(spawn, [os.environ]))
                return
            except OSError as error:
                if attempt == 2 or error.errno != errno.EPERM:
                    raise no_start(argv[0], error) from error
                guardian.renew()  # setpgid(2): the group has just gone, or is of another session

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._under_way():
                self._end_tree()
        finally:
            self.kill()
            if self._relay:
                self._relay.leave()
            self._close_all()
            if self._under_way():
                self._reap(0)
            guardian.ended(self)
            self._runs.remove(self)

    def _abandon(self) -> None:
        """Lets go of a run that is another process's: in a child that was forked meanwhile."""
        self._pids.clear()
        self._relay = None
        self._close_all()
        self._runs.remove(self)

    def _under_way(self) -> bool:
        """Whether it was started and has not been waited for."""
        return bool(self._pids) and self.code is None

    def ask(self) -> None:
        """Ends the whole tree, from any thread: at a second signal sbx does (sbx(1), SIGNALS). `communicate` returns."""
        self.asked = True
        self._signal(signal.SIGTERM)
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends sbx itself, and leaves its cgroup to the next run."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        with self._reaping:
            if self._under_way():
                try:
                    os.kill(self._pids[0], number)
                except ProcessLookupError:  # somebody else has waited for it
                    pass

    def gone(self) -> bool:
        """Whether sbx has ended. Its outputs may still be read."""
        try:
            with self._reaping:
                return self.code is not None or bool(self._pids) and \
                    os.waitid(os.P_PID, self._pids[0], os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def communicate(self, cancel: int = -1, watch: Optional[Callable[[], bool]] = None) -> None:
        """Starts it, feeds the input, reads all outputs to their end, and waits.

        Raises SbxError when it cannot be started, ValueError when its sandbox is closed, and Cancelled when `cancel` is
        readable or `watch` is true, which is asked once a second.
        """
        self._runs.add(self)
        self._alone = cancel < 0  # nobody else is to end it
        self._start()
        if self.asked:
            self.ask()  # whoever did, did not know its pid
        poll = select.poll()
        for fd in self._sinks:
            poll.register(fd, select.POLLIN)
        if self._stdin >= 0:
            poll.register(self._stdin, select.POLLOUT)
        if cancel >= 0:
            poll.register(cancel, select.POLLIN)
        while self._sinks:
            ready = poll.poll(LOOK_MS if watch else None)
            if watch and watch():
                raise Cancelled
            for fd, _ in ready:
                if fd == cancel:
                    raise Cancelled
                if not (self._feed() if fd == self._stdin else self._read(fd)):
                    poll.unregister(fd)
                    self._close(fd)
        if self._stdin >= 0:
            self._close(self._stdin)
        self._reap(0)

    def _read(self, fd: int) -> bool:
        data = os.read(fd, CHUNK)
        if self._relay and self._events:
            over = self._relay.over
            for data in self._relay.take():
                self._events(data)
            return not over
        if data:
            self._sinks[fd](data)
        return bool(data)

    def _feed(self) -> bool:
        try:
            self._input = self._input[os.write(self._stdin, self._input[:CHUNK]):]
        except BlockingIOError:
            return True
        except BrokenPipeError:  # the command does not want all of it, which is its right
            return False
        return len(self._input) > 0

    def _close(self, fd: int) -> None:
        self._sinks.pop(fd, None)
        if fd == self._stdin:
            self._stdin = -1
        close(self._open, fd)

    def _close_all(self) -> None:
        self._sinks.clear()
        self._stdin = -1
        close_all(self._open)

    def _reap(self, options: int) -> bool:
        """Waits for sbx, with WNOHANG only looks. `code` is NOT_OURS when somebody else has done so."""
        if self.code is None:
            try:
                os.waitid(os.P_PID, self._pids[0], os.WEXITED | os.WNOWAIT | options)  # who waits does not hold the lock
            except ChildProcessError:
                pass
            with self._reaping:
                try:
                    pid, status = os.waitpid(self._pids[0], options)
                except ChildProcessError:
                    pid, status = self._pids[0], -1
                if pid == 0:
                    return False
                exited = status >= 0 and os.WIFEXITED(status)
                self.code = os.WEXITSTATUS(status) if exited else -os.WTERMSIG(status) if status >= 0 else NOT_OURS
        return True

    def _end_tree(self) -> None:
        """`sbx kill` leaves nothing; where it does not help in time, SIGKILL leaves a cgroup to the next run."""
        deadline = time.monotonic() + PATIENCE
        asked = False
        while not self._reap(os.WNOHANG) and time.monotonic() < deadline:
            asked = asked or self._ask()
            self._drain(20)

    def _drain(self, wait_ms: int) -> None:
        """Throws outputs away for up to `wait_ms`, so that a full pipe does not hold sbx."""
        if self._relay:
            self._relay.drop()
            time.sleep(wait_ms / 1000)
            return
        poll = select.poll()
        for fd in self._sinks:
            poll.register(fd, select.POLLIN)
        for fd, _ in poll.poll(wait_ms):
            if not os.read(fd, CHUNK):
                self._close(fd)

    def _ask(self) -> bool:
        """Has this run killed. False: it is not registered yet, or no more."""
        try:
            for run in json.loads(self._call("ps", "--json").stdout or b"[]"):
                if _parent(run.get("pid", 0)) == self._pids[0]:
                    return self._call("kill", run["id"]).returncode == 0
        except (OSError, ValueError, subprocess.TimeoutExpired):
            pass
        return False

    def _call(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([self._argv[0], *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False)


def _parent(pid: int) -> int:
    """The parent of a process, from proc_pid_stat(5); 0 when there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            return int(stat.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0
