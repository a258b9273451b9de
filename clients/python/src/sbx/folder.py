"""Files of a workspace, which a hostile command may have filled with links, FIFOs and deep trees.

Every step of a path is opened by itself, on a descriptor and with O_NOFOLLOW (open(2)), so that nothing
outside of the folder is read or written whatever the command does meanwhile.
"""
from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
from typing import Dict, List, Tuple, Union

READ_LIMIT = 64 << 20  # bytes of one file that are read unless more are asked for
CHUNK = 1 << 20
MAX_DEPTH = 100  # folders inside each other that list_files goes into
GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # what was a folder is none any more
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TooLong(OSError):
    """A file has more bytes than are to be read."""


def parts(path: str) -> List[str]:
    """The names that a relative path is made of. ValueError: it is absolute, empty, or has a `..`."""
    names = [name for name in path.split("/") if name not in ("", ".")]
    if path.startswith("/") or not names or ".." in names or "\0" in path:
        raise ValueError(f"{path!r} is no path inside the workspace: it must be relative and without `..`")
    return names


def _enter(root: str, names: List[str], make: bool) -> int:
    """A descriptor of the folder `names` below `root`; makes what is missing if asked."""
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for name in names:
        try:
            if make:
                try:
                    os.mkdir(name, 0o755, dir_fd=here)
                except FileExistsError:
                    pass
            below = os.open(name, FOLDER, dir_fd=here)
        finally:
            os.close(here)
        here = below
    return here


def _open_file(root: str, path: str, flags: int, mode: int = 0o644) -> int:
    names = parts(path)
    above = _enter(root, names[:-1], bool(flags & os.O_CREAT))
    try:
        # O_NONBLOCK: a FIFO without another end must not hold us; of a plain file it means nothing.
        fd = os.open(names[-1], flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode, dir_fd=above)
    finally:
        os.close(above)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(errno.EINVAL, "not a plain file", path)
    return fd


def read(root: str, path: str, limit: int) -> bytes:
    """The content of a plain file. OSError: it is not there, a link is in the way, or it is no plain file.

    EFBIG: it has more than `limit` bytes, as it was made or because it grows while it is read.
    """
    found: List[bytes] = []
    with os.fdopen(_open_file(root, path, os.O_RDONLY), "rb", 0) as file:
        left = limit if os.fstat(file.fileno()).st_size <= limit else -1
        while left >= 0:
            chunk = file.read(min(CHUNK, left + 1))
            if not chunk:
                return b"".join(found)
            found.append(chunk)
            left -= len(chunk)
    raise TooLong(errno.EFBIG, f"longer than the limit of {limit} bytes", path)


def read_all(root: str, path: str, limit: int) -> Dict[str, bytes]:
    """The plain files of a folder by their paths in it, or a file itself by ""; what is no plain file is left out.

    OSError as for list_files; EFBIG: they have more than `limit` bytes in all.
    """
    found: Dict[str, bytes] = {}
    try:
        return {"": read(root, path, limit)}
    except TooLong:
        raise
    except (OSError, ValueError):  # it is a folder
        pass
    for name in list_files(root):
        if path == "." or name.startswith(path + "/"):
            try:
                data = found[name if path == "." else name[len(path) + 1:]] = read(root, name, limit)
            except TooLong:
                raise
            except OSError:  # a link, a FIFO
                continue
            limit -= len(data)
    return found


def write(root: str, path: str, data: Union[bytes, bytearray, memoryview], mode: int) -> None:
    """Writes a plain file, new ones with `mode`, and the folders above it. OSError as for read."""
    with os.fdopen(_open_file(root, path, os.O_WRONLY | os.O_CREAT, mode), "wb") as file:
        file.truncate(0)
        file.write(data)


def _entries(root: str, names: Tuple[str, ...]) -> Tuple[List[Tuple[str, ...]], List[Tuple[str, ...]]]:
    """The folders in a folder, and what is none."""
    folders: List[Tuple[str, ...]] = []
    files: List[Tuple[str, ...]] = []
    here = _enter(root, list(names), False)
    try:
        with os.scandir(here) as entries:
            for entry in entries:
                (folders if entry.is_dir(follow_symlinks=False) else files).append((*names, entry.name))
    finally:
        os.close(here)
    return folders, files


def list_files(root: str) -> List[str]:
    """Sorted relative paths of everything but folders; links are named and not followed. What goes meanwhile is left out.

    OSError: a folder is closed to us, or folders are deeper than 100.
    """
    found: List[str] = []
    todo: List[Tuple[str, ...]] = [()]
    while todo:
        names = todo.pop()
        if len(names) > MAX_DEPTH:
            raise OSError(errno.ELOOP, f"more than {MAX_DEPTH} folders inside each other", "/".join(names[:3]))
        try:
            folders, files = _entries(root, names)
        except OSError as error:
            if names and error.errno in GONE:
                continue
            raise
        todo += folders
        found += ["/".join(one) for one in files]
    return sorted(found)


def remove(root: str) -> None:
    """Removes a folder with all that is in it, also what is closed to us. OSError: it is still there."""
    try:
        shutil.rmtree(root)
    except (OSError, RecursionError):
        # A folder without rights, or deeper than Python can go; neither program follows a link below its argument.
        subprocess.run(["chmod", "-R", "u+rwX", "--", root], stderr=subprocess.DEVNULL, check=False)
        ended = subprocess.run(["rm", "-rf", "--", root], stderr=subprocess.PIPE, check=False)
        if os.path.lexists(root):
            raise OSError(errno.ENOTEMPTY, ended.stderr.decode(errors="replace").strip(), root) from None
