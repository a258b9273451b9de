"""Ctrl-C at a terminal ends the runs of a Python client, whichever thread they are of."""
import fcntl
import os
import subprocess
import sys
import termios
import textwrap

import pytest

from clients import python_table as table
from clients.conftest import PYTHON, STUBBORN
from support.waiting import wait_until

SECONDS = 20  # for what has to come about

POOL = """
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, range(2)))
"""
THREAD = """
    import threading
    thread = threading.Thread(target=run, args=[0])
    thread.start()
    thread.join()
"""
LOOP = """
    import asyncio
    async def main():
        await asyncio.gather(asyncio.to_thread(run, 0), AsyncSandbox.of(box).run(words))
    asyncio.run(main())
"""
MAIN = "    run(0)\n"
HEAD = """
    import os
    from sbx import AsyncSandbox, Sandbox
    box = Sandbox(timeout=60, degrade={degrade})
    print(box.workspace, flush=True)
    words = ["sh", "-c", {command!r}]
    def run(_):
        os.write(1, f"status {{box.run(words).status}}\\n".encode())  # whole, beside other threads
"""


def others():
    """Guardians and ears that are there."""
    return [pid for name in ("sbx-guardian", "sbx-ear") for pid in table.running_with(name)]


class AtTerminal:
    """A client that leads a session of its own, at a terminal of which this has the other end."""

    def __init__(self, code):
        self.master, terminal = os.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-B", "-c", code], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(PYTHON / "src")}, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)

    def press(self, key):
        os.write(self.master, key)

    def rest(self):
        """What it has printed, once it has ended."""
        said = b""
        try:
            while data := os.read(self.master, 4096):
                said += data
        except OSError:  # EIO: nobody has the terminal any more
            pass
        return said.decode()


def program(tree, degraded, body):
    code = HEAD.format(degrade=["cgroup"] if degraded else [], command=STUBBORN.format(tree)) + body
    return textwrap.dedent(code)


@pytest.mark.parametrize("body", [POOL, THREAD, LOOP, MAIN], ids=["pool", "thread", "loop", "main"])
def test_ctrl_c(client, sbx, tree, degraded, body):
    """Also where the command takes no notice of it; the program ends as by KeyboardInterrupt, and nothing stays."""
    sbx.killed = True  # where the whole client is gone before its runs are, the guardian kills sbx
    before = others()
    with AtTerminal(program(tree, degraded, body)) as client_process:
        wait_until(lambda: len(table.running_with(tree)) >= (2 if body in (POOL, LOOP) else 1), "it does not run", SECONDS)
        client_process.press(b"\x03")
        client_process.process.wait(SECONDS)
        said = client_process.rest()
        assert client_process.process.returncode != 0 and "KeyboardInterrupt" in said, said
        if body == POOL:  # Python 3.11 does not wait for a thread after a join() that was interrupted
            assert said.count("status interrupted") == 2, said
        workspace = said.splitlines()[0].strip()
    wait_until(lambda: not table.running_with(tree), "the command goes on", SECONDS)
    wait_until(lambda: set(others()) <= set(before), "a shell is left", SECONDS)
    wait_until(lambda: not os.path.lexists(workspace), "the workspace is left", SECONDS)


FORKED = """
    import os, threading
    from sbx import ear
    def start():
        thread = threading.Thread(target=run, args=[0])
        thread.start()
        thread.join()
    words = ["true"]
    start()
    first = ear._pid
    child = os.fork()
    if child == 0:
        assert ear._pid == 0
        start()
        assert ear._pid != first
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    os.kill(first, 0)
    start()
    print("same", ear._pid == first != 0)
"""
WITHOUT = """
    import threading
    from sbx import ear
    thread = threading.Thread(target=run, args=[0])
    words = ["true"]
    thread.start()
    thread.join()
    print("none", ear._pid == 0)
"""


def test_fork_leaves_it_to_its_parent(client, tree, degraded):
    before = others()
    with AtTerminal(program(tree, degraded, FORKED)) as client_process:
        said = client_process.rest()
        client_process.process.wait(SECONDS)
    assert said.splitlines()[-1] == "same True", said
    wait_until(lambda: set(others()) <= set(before), "a shell is left", SECONDS)


def test_nobody_listens_where_there_is_no_terminal(client, tree, degraded):
    done = subprocess.run([sys.executable, "-B", "-c", program(tree, degraded, WITHOUT)], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(PYTHON / "src")}, timeout=60, start_new_session=True)
    assert done.stdout.splitlines()[-1] == "none True", done
