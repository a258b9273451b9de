"""Pipes that do not get in the way of standard input, output and error, and that no interrupt leaves open."""
from __future__ import annotations

import collections
import fcntl
import itertools
import os
from typing import List, Tuple


def pipe(held: List[int]) -> Tuple[int, int]:
    """A pipe whose ends are above 2, close-on-exec, so that dup2(2) to 0, 1 and 2 never hits them.

    A process may have been started with those closed; what it then prints would go to whoever reads the pipe.
    Both ends are noted in `held`, for whoever made it to close, in the one call of C that opens them: the handler of a
    signal, which may raise, comes between no two steps of that.
    """
    first = len(held)
    held.extend(itertools.chain.from_iterable(itertools.starmap(os.pipe, [()])))
    if min(held[first:]) <= 2:
        for end in held[first:]:
            held.extend(map(fcntl.fcntl, [end], [fcntl.F_DUPFD_CLOEXEC], [3]))
            close(held, end)
    reading, writing = held[first:]
    return reading, writing


def close(held: List[int], end: int) -> None:
    """Closes what is noted in `held`, and takes it out in the same call of C."""
    collections.deque(map(os.close, map(held.pop, [held.index(end)])), 0)


def close_all(held: List[int]) -> None:
    """Closes all that is noted in `held`."""
    while held:
        close(held, held[-1])
