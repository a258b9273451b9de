"""What a sandboxed program sees: run me with `sbx run python -- python3 examples/hello.py`."""

import os
import pathlib
import socket
import sys


def attempt(what, action):
    try:
        action()
    except OSError as error:
        print(f"  {what}: refused ({error.strerror})")
    else:
        print(f"  {what}: it worked")


print(f"Hello from Python {sys.version.split()[0]}, process {os.getpid()} on {socket.gethostname()}")
print(f"I am user {os.getuid()}, in {os.getcwd()}, and I see in /: {' '.join(sorted(os.listdir('/')))}")
print("What I tried:")
attempt("write to /tmp", lambda: pathlib.Path("/tmp/note").write_text("hello\n"))
attempt("write to this folder", lambda: pathlib.Path("note").write_text("hello\n"))
attempt("connect to a name server", lambda: socket.create_connection(("9.9.9.9", 53), timeout=2))
attempt("list /home", lambda: os.listdir("/home"))
