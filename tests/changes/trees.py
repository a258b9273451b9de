"""Trees as values: what is in them, byte for byte, and how two differ."""
import hashlib
import os
import shutil
import stat
from collections import defaultdict


def snapshot(top):
    """{path: (kind, mode, content or target, attributes)}, and the sets of names that are one file."""
    entries, nodes = {}, defaultdict(set)
    top = os.fsencode(top)
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            path = os.path.join(folder, name)
            what = os.lstat(path)
            key = os.path.relpath(path, top)
            entries[key] = _entry(path, what)
            if stat.S_ISREG(what.st_mode) and what.st_nlink > 1:
                nodes[what.st_ino].add(key)
    return entries, {frozenset(names) for names in nodes.values() if len(names) > 1}


def remove_tree(folder):
    """Also what is closed to its owner."""
    for path, _, _ in os.walk(folder):
        os.chmod(path, 0o700)
    shutil.rmtree(folder)


def _entry(path, what):
    mode = stat.S_IMODE(what.st_mode) & 0o1777
    if stat.S_ISLNK(what.st_mode):
        return ("symlink", 0, os.readlink(path), ())
    if stat.S_ISDIR(what.st_mode):
        return ("folder", mode, b"", _attributes(path))
    if stat.S_ISFIFO(what.st_mode):
        return ("fifo", mode, b"", ())
    if not stat.S_ISREG(what.st_mode):
        return ("other", mode, b"", ())
    return ("file", mode, _digest(path, mode), _attributes(path))


def _digest(path, mode):
    if not mode & 0o400 and os.geteuid() != 0:
        os.chmod(path, mode | 0o400)
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").digest() if hasattr(hashlib, "file_digest") \
                else hashlib.sha256(file.read()).digest()
    finally:
        os.chmod(path, mode)


def _attributes(path):
    try:
        return tuple(sorted((name, os.getxattr(path, name)) for name in os.listxattr(path) if name.startswith("user.")))
    except PermissionError:
        return ()


def difference(before, after):
    """{path: "added" | "modified" | "deleted"}"""
    names = {}
    for path in before.keys() | after.keys():
        if path not in before:
            names[path] = "added"
        elif path not in after:
            names[path] = "deleted"
        elif before[path] != after[path]:
            names[path] = "modified"
    return names
