"""check: every problem of a profile, before anything runs."""
from __future__ import annotations

import os
from typing import List, NamedTuple, Optional

from .binary import StrPath, find, message, start
from .errors import SbxError


class Problem(NamedTuple):
    """One line of `sbx check`."""

    file: str
    line: int
    column: int
    message: str


def check(profile: StrPath, binary: Optional[StrPath] = None) -> List[Problem]:
    """What `sbx check` says of a profile, a name or a path; [] when it is right. Warnings are among it.

    Raises SbxError when the profile cannot be read at all.
    """
    ended = start([find(binary), "check", "--", os.fspath(profile)])
    found: List[Problem] = []
    for text in ended.stdout.decode(errors="replace").splitlines():
        place, _, said = text.partition(": ")
        file, line, column = (place.rsplit(":", 2) + ["", ""])[:3]
        if line.isdigit() and column.isdigit():
            found.append(Problem(file, int(line), int(column), said))
    if ended.returncode != 0 and not found:
        raise SbxError(message(ended.stderr) or ended.stdout.decode(errors="replace").strip(), ended.returncode)
    return found
