"""The folder that relative paths are relative to: the process's own when a sandbox was made, wherever that goes later."""
from __future__ import annotations

import os
from typing import List, Optional

from .errors import SbxError

ENTER = 'cd "$0" && exec "$@"'


def here() -> Optional[str]:
    """The process's folder; None when it is there no more."""
    try:
        return os.getcwd()
    except OSError:
        return None


def words_in(place: Optional[str], words: List[str]) -> List[str]:
    """What to start for `words`, of which the first is a path, to run in `place`.

    posix_spawn(3) has no way for that in Python, so where the process is elsewhere now, a shell goes there first. Raises
    SbxError where it could not.
    """
    if place is None or place == here():
        return words
    try:
        os.stat(f"{place}/.")
    except OSError as error:
        raise SbxError(f"the folder that this sandbox was made in cannot be entered: {place}: {error.strerror}") from error
    return ["/bin/sh", "-c", ENTER, place, *words]
