"""An init that has reaped the command, and is stopped by somebody of the host before it has ended."""
import subprocess

import pytest

from support.waiting import children_of

pytestmark = pytest.mark.needs("root")  # nobody else may trace init


def test_it_is_killed_and_nobody_waits_for_it(sbx):
    running = sbx.spawn(cmd=["sh", "-c", "echo here; read line; kill -KILL $$"], stdin=subprocess.PIPE)
    running.read_until(b"here")
    init = children_of(running.pid)[0]
    stop_at_its_end = ["gdb", "-nx", "-batch", "-p", str(init), "-ex", "catch syscall close", "-ex", "echo caught\\n",
                       "-ex", "continue", "-ex", "continue", "-ex", f"shell kill -STOP {init}", "-ex", "detach"]
    with subprocess.Popen(stop_at_its_end, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as debugger:
        while b"caught" not in debugger.stdout.readline():
            assert debugger.poll() is None, "it could not be caught"
        running.process.stdin.write(b"\n")
        running.process.stdin.flush()
        running.process.wait(timeout=20)
        debugger.stdout.read()
    assert running.wait().status == "signal"
