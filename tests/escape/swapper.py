"""Swaps two directory entries back and forth, as fast as it can, while something else looks."""
import contextlib
import ctypes
import os
import threading

AT_FDCWD = -100
RENAME_EXCHANGE = 2


@contextlib.contextmanager
def swapping(first, second):
    """One atomic renameat2(RENAME_EXCHANGE) after the other. Yields a function: how many were done."""
    libc = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    stop, done, problem = threading.Event(), [0], []

    def swap():
        while not stop.is_set():
            if libc.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) != 0:
                problem.append(os.strerror(ctypes.get_errno()))
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
