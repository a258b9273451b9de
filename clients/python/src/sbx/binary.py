"""Finds the sbx binary, and runs its short verbs (check, explain, artifacts)."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import List, Optional, Union

from .errors import SbxError
from .place import words_in

StrPath = Union[str, "os.PathLike[str]"]


def find(binary: Optional[StrPath] = None) -> str:
    """The path of sbx: `binary`, else the variable SBX_BIN, else `sbx`; a name without a slash is looked up in PATH.

    Raises SbxError, with what was looked at, when that is no executable file.
    """
    named = os.fspath(binary) if binary is not None else os.environ.get("SBX_BIN", "")
    # Empty entries stand for the current folder, where an earlier command may have put one.
    folders = [folder for folder in os.environ.get("PATH", os.defpath).split(os.pathsep) if folder]
    found = shutil.which(named or "sbx", path=os.pathsep.join(folders))
    if found:
        return os.path.abspath(found)
    if named:
        where = "binary=" if binary is not None else "SBX_BIN="
        raise SbxError(f"sbx not found: {where}{named} is no executable file{'' if '/' in named else ' in PATH'}")
    raise SbxError("sbx not found: no `sbx` in PATH; install it, set SBX_BIN, or pass binary=")


def start(words: List[str], place: Optional[str] = None) -> subprocess.CompletedProcess[bytes]:
    """Runs `words`, of which the first is the path of sbx, to their end, in the folder `place` or the process's own.

    Raises SbxError when that does not start.
    """
    try:
        return subprocess.run(words_in(place, words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise no_start(words[0], error) from error


def no_start(binary: str, error: OSError) -> SbxError:
    """What to raise where the kernel has not started it: a text, say, or a script whose interpreter is missing."""
    return SbxError(f"cannot start {binary}: {error.strerror}")


def call(binary: str, words: List[str], place: Optional[str] = None) -> bytes:
    """Standard output of `sbx WORDS`, as for start. Raises SbxError with the binary's message when it fails."""
    ended = start([binary, *words], place)
    if ended.returncode != 0:
        raise SbxError(message(ended.stderr) or f"sbx {words[0]} ended with {ended.returncode}", ended.returncode)
    return ended.stdout


def message(stderr: bytes) -> str:
    """What sbx said on standard error, without the prefix of its lines."""
    lines = stderr.decode(errors="replace").splitlines()
    return "\n".join(line[5:] if line.startswith("sbx: ") else line for line in lines)
