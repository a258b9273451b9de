#!/usr/bin/env python3
"""Started in a sandbox by bench/compare: tries one thing, and prints what came of it.

    look.py home PATH | env NAME | connect PORT | abstract NAME | type | processes N | memory MIB | flood MIB
"""
import fcntl
import os
import socket
import subprocess
import sys
import termios


def tried(action):
    try:
        action()
    except (OSError, MemoryError) as error:
        return getattr(error, "strerror", None) or type(error).__name__
    return "yes"


def connect(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as peer:
        peer.settimeout(3)
        peer.connect(address)


def processes(count):
    started = []
    try:
        for _ in range(count):
            started.append(subprocess.Popen(["/bin/sleep", "60"]))
    finally:
        for process in started:
            process.kill()
            process.wait()


def memory(mib):
    block = bytearray(mib << 20)
    for at in range(0, len(block), 4096):
        block[at] = 1


def flood(mib):
    for _ in range(mib):
        os.write(1, b"x" * (1 << 20))


WAYS = {
    "home": lambda path: tried(lambda: os.stat(path)),
    "env": lambda name: "yes" if name in os.environ else "not there",
    "connect": lambda port: tried(lambda: connect(socket.AF_INET, ("127.0.0.1", int(port)))),
    "abstract": lambda name: tried(lambda: connect(socket.AF_UNIX, f"\0{name}")),
    "type": lambda: tried(lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x")),
    "processes": lambda count: tried(lambda: processes(int(count))),
    "memory": lambda mib: tried(lambda: memory(int(mib))),
}

if __name__ == "__main__":
    if sys.argv[1] == "flood":
        flood(int(sys.argv[2]))
    else:
        print(f"look: {WAYS[sys.argv[1]](*sys.argv[2:])}")
