"""The runs of one sandbox that are under way, so that close() can end them all, and none starts after it."""
from __future__ import annotations

import os
import time
from typing import List, Protocol

PATIENCE = 10.0  # seconds from the request to end to SIGKILL, for an sbx that is stopped; the kernel then ends the tree
LOOK = 0.01


class Endable(Protocol):
    """What can be ended, from any thread."""

    def ask(self) -> None:
        """Ends it, or has it end as soon as it starts."""

    def gone(self) -> bool:
        """Whether it has ended."""

    def kill(self) -> None:
        """Ends what did not end when it was asked to."""


class Runs:
    """Lists are changed in one call of C each, so that threads need no lock, and a forked child finds none taken."""

    def __init__(self) -> None:
        self._active: List[Endable] = []
        self._owner = os.getpid()
        self.closed = False

    def check(self) -> None:
        """Raises ValueError when the sandbox is closed."""
        if self.closed:
            raise ValueError("this sandbox is closed")

    def add(self, run: Endable) -> None:
        """It is about to start; raises ValueError when it is not to. Whoever calls this removes it in any case."""
        self._forked()
        self._active.append(run)
        self.check()  # after it: close() sees the run, or the run sees that

    def remove(self, run: Endable) -> None:
        """It has ended, or was not started."""
        if run in self._active:
            self._active.remove(run)

    def _forked(self) -> None:
        """A forked child has none of its parent's: threads of its parent are not there."""
        if os.getpid() != self._owner:
            self._active.clear()
            self._owner = os.getpid()

    def close(self) -> None:
        """Ends them, and returns when nothing of them is left. Callbacks that are under way elsewhere go on."""
        self.closed = True
        self._forked()
        left = list(self._active)
        for run in left:
            run.ask()
        deadline = time.monotonic() + PATIENCE
        while left:
            left = [run for run in left if run in self._active and not run.gone()]
            if left:
                time.sleep(LOOK)
            if time.monotonic() > deadline:
                for run in left:
                    run.kill()
