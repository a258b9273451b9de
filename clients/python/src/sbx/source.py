"""What a command reads: text, bytes, or a file from where it stands.

A file of the system's is handed over as a descriptor, whose place in the file is behind that of a reader who reads ahead.
Whatever else can be read, as a file in memory or a compressed one, is read here.
"""
from __future__ import annotations

import fcntl
import io
import os
from typing import IO, Any, Optional, Union

from .process import Input

Bytes = Union[bytes, bytearray, memoryview]
Data = Union[str, Bytes, IO[Any], None]


def source(data: Data) -> Input:
    """What Process takes: bytes, or a descriptor. Raises ValueError for a terminal, and where something would be lost."""
    if data is None:
        return b""
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    inner = getattr(data, "file", data)  # of tempfile
    file = inner if isinstance(inner, io.IOBase) else data
    descriptor = _descriptor(file)
    if descriptor is None:
        return _rest(file)
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    if flags & os.O_PATH or flags & os.O_ACCMODE == os.O_WRONLY:  # to the command it would be at its end
        raise ValueError("the input is not open for reading")
    if not _placed(file, descriptor):
        return _rest(file)
    # sbx runs in a group of its own, which never is the one that a terminal listens to.
    if os.isatty(descriptor):
        raise ValueError("a terminal cannot be a command's input: read it yourself, and pass the text")
    return descriptor


def _raw(file: Any) -> Any:
    """The unbuffered file below; a GzipFile has a descriptor as well, and is none."""
    return getattr(getattr(file, "buffer", file), "raw", file)


def _descriptor(file: Any) -> Optional[int]:
    raw = _raw(file)
    plain = isinstance(raw, io.FileIO) or not hasattr(file, "read") or type(raw).__module__ == "socket"
    try:
        return int(file.fileno()) if plain else None
    except (AttributeError, OSError):  # OSError: io.UnsupportedOperation
        return None


def _placed(file: Any, descriptor: int) -> bool:
    """Has the descriptor stand where the file does. False: only the file itself knows where that is."""
    if file is _raw(file):
        return True
    if not file.seekable():
        if _ahead(file):
            raise ValueError("what was read ahead of this pipe would be lost: open it unbuffered, or pass what it gives")
        return True
    try:
        if file.writable():
            file.flush()
        place = int(file.tell())
    except OSError:  # of a text whose lines are iterated over
        return False
    if place >= 1 << 63:  # of a text in the midst of what its decoder knows
        return False
    os.lseek(descriptor, place, os.SEEK_SET)
    return True


def _ahead(file: Any) -> object:
    """What was read of a pipe and not taken yet; reads no more of it, which might wait."""
    raw = _raw(file)
    raw.readinto, raw.readall = (lambda into: 0), bytes  # as if it was at its end
    try:
        return file.peek() if hasattr(file, "peek") else file.read()
    finally:
        del raw.readinto, raw.readall


def _rest(file: Any) -> bytes:
    rest = file.read() if hasattr(file, "read") else None
    if isinstance(rest, str):
        return rest.encode(getattr(file, "encoding", None) or "utf-8")
    if not isinstance(rest, (bytes, bytearray)):
        raise TypeError(f"input is text, bytes, or a file, and no {type(file).__name__}")
    return bytes(rest)
