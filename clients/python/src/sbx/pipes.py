"""Pipes that do not get in the way of standard input, output and error."""
from __future__ import annotations

import fcntl
import os
from typing import Tuple


def pipe() -> Tuple[int, int]:
    """A pipe whose ends are above 2, close-on-exec, so that dup2(2) to 0, 1 and 2 never hits them.

    A process may have been started with those closed; what it then prints would go to whoever reads the pipe.
    """
    ends = os.pipe()
    if min(ends) > 2:
        return ends
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
