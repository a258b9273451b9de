"""Reads the outputs of a run in a thread of its own while callbacks are busy: sbx gives up events that nobody takes for
five seconds."""
from __future__ import annotations

import os
import select
import threading
from typing import Callable, Dict, List, Optional

CHUNK = 1 << 16
MOST = 64 << 20  # bytes of events that wait for a callback; then no more are read


class Relay:
    """Outputs go to their sinks at once, events wait until `take`. Whoever is to take them is told by a byte in `wake`."""

    def __init__(self, outputs: Dict[int, Callable[[bytes], None]], events: int, wake: int) -> None:
        """outputs: what is read, the events as well, of which alone the sink is not called."""
        self._outputs, self._events, self._wake = outputs, events, wake
        self._changed = threading.Condition()
        self._waiting: List[bytes] = []
        self._size = 0
        self._reading = False
        self._left = False
        self._error: Optional[BaseException] = None
        self.over = False
        """Whether all outputs have come to their end: what `take` gives after this was seen is the last."""

    def start(self) -> None:
        """Starts the thread. An exception of a signal handler may come in here: `leave` is right in any case."""
        threading.Thread(target=self._run, name="sbx-relay", daemon=True).start()

    def _run(self) -> None:
        with self._changed:
            if self._left:
                return
            self._reading = True
        try:
            self._read()
        except BaseException as error:
            self._error = error
        with self._changed:
            self.over = True
            self._tell()
            self._reading = False  # from here on the descriptors may be closed
            self._changed.notify_all()

    def _read(self) -> None:
        poll = select.poll()
        for fd in self._outputs:
            poll.register(fd, select.POLLIN)
        left = len(self._outputs)
        while left:
            for fd, _ in poll.poll():
                data = os.read(fd, CHUNK)
                if not data:
                    poll.unregister(fd)
                    left -= 1
                elif fd == self._events:
                    self._keep(data)
                else:
                    self._outputs[fd](data)

    def _keep(self, data: bytes) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._size < MOST or self._left)
            if self._left:
                return
            self._waiting.append(data)
            self._size += len(data)
            if len(self._waiting) == 1:
                self._tell()

    def _tell(self) -> None:
        try:
            os.write(self._wake, b"x")
        except OSError:  # nobody listens any more
            pass

    def take(self) -> List[bytes]:
        """The events that have come since. Raises what reading came to."""
        with self._changed:
            taken, self._waiting, self._size = self._waiting, [], 0
            self._changed.notify_all()
        if self._error is not None:
            raise self._error
        return taken

    def drop(self) -> None:
        """Has events thrown away from now on."""
        with self._changed:
            self._left = True
            self._changed.notify_all()

    def leave(self) -> None:
        """Returns when nothing is read any more; whoever writes the outputs has ended."""
        self.drop()
        with self._changed:
            self._changed.wait_for(lambda: not self._reading)
