"""Swaps two directory entries back and forth, as fast as it can, while something else looks."""
import contextlib
import ctypes
import os
import threading

AT_FDCWD = -100
RENAME_EXCHANGE = 2
LIBC = ctypes.CDLL(None, use_errno=True)


def exchange(first, second):
    """Each has the other's name, at one instant (rename(2))."""
    if LIBC.renameat2(AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second), RENAME_EXCHANGE) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(first))


@contextlib.contextmanager
def swapping(first, second):
    """One atomic renameat2(RENAME_EXCHANGE) after the other. Yields a function: how many were done."""
    stop, done, problem = threading.Event(), [0], []

    def swap():
        while not stop.is_set():
            try:
                exchange(first, second)
            except OSError as error:
                problem.append(error)
                return
            done[0] += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield lambda: done[0]
    finally:
        stop.set()
        thread.join()
    assert not problem, problem
