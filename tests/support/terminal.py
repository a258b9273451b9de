"""A pseudo-terminal for a child, and reading with a deadline."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time


def read_until(fd, text, timeout):
    """Reads `fd` until `text` was seen and returns everything read; fails at its end or deadline."""
    seen, deadline = b"", time.monotonic() + timeout
    while text not in seen:
        if not select.select([fd], [], [], max(0, deadline - time.monotonic()))[0]:
            raise AssertionError(f"no {text!r} within {timeout} s; seen: {seen!r}")
        try:
            part = os.read(fd, 65536)
        except OSError:  # EIO: the last one who had the terminal open is gone
            part = b""
        if not part:
            raise AssertionError(f"ended before {text!r}; seen: {seen!r}")
        seen += part
    return seen


class Terminal:
    """One pty: `fd` is our end, `side` the child's."""

    def __init__(self, columns=80, lines=24):
        self.fd, self.side = pty.openpty()
        self.resize(columns, lines)

    def resize(self, columns, lines):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def write(self, data):
        os.write(self.fd, data)

    def adopt(self):
        """In the child: a session of its own, with this as its controlling terminal."""
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def drain(self, process, timeout):
        """All output until the child has ended and the terminal is empty."""
        seen, deadline = b"", time.monotonic() + timeout
        while True:
            ready = select.select([self.fd], [], [], 0.05)[0]
            if ready:
                try:
                    part = os.read(self.fd, 65536)
                except OSError:
                    part = b""
                seen += part
                if part:
                    continue
            if process.poll() is not None:
                return seen
            if ready:
                time.sleep(0.01)  # hung up, but the child still runs
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(process.args, timeout, seen)

    def close_side(self):
        os.close(self.side)

    def close(self):
        os.close(self.fd)
