"""What a Python client leaves behind: nothing, however it ends; the guardian sees to it."""
import os
import signal
import subprocess
import sys
import textwrap

import pytest

from clients import python_table as table
from clients.conftest import PYTHON, STUBBORN
from support.waiting import wait_until

SECONDS = 20  # for what has to come about
SCRIPT = """
    import os, sys, threading
    from sbx import Sandbox
    box = Sandbox(timeout=60, degrade={degrade})
    print(box.workspace, flush=True)
    def start():
        box.run(["sh", "-c", {command!r}], on_stdout=lambda text: print("ready", flush=True))
    {start}
"""


def start_client(tree, degraded, start="start()"):
    """A client process with a command under way; its temporary workspace."""
    code = textwrap.dedent(SCRIPT).format(degrade=["cgroup"] if degraded else [], command=STUBBORN.format(tree),
                                          start=start)
    process = subprocess.Popen([sys.executable, "-B", "-c", code], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(PYTHON / "src")})
    workspace = process.stdout.readline().strip()
    assert process.stdout.readline() == "ready\n"
    wait_until(lambda: table.running_with(tree), "the command does not run", SECONDS)
    assert os.path.isdir(workspace)
    return process, workspace


def run_script(text, seconds=SECONDS, **options):
    """What a client process of its own prints; one that hangs is killed."""
    env = {**os.environ, "PYTHONPATH": str(PYTHON / "src")}
    return subprocess.run([sys.executable, "-B", "-c", textwrap.dedent(text)], text=True, stdout=subprocess.PIPE,
                          env=env, timeout=seconds, **options)


def gone(tree, workspace):
    return not table.running_with(tree) and not os.path.lexists(os.path.dirname(workspace))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
def test_client_that_is_killed_leaves_nothing(client, sbx, tree, degraded, number):
    sbx.killed = True  # its guardian kills sbx, which the next run cleans up after
    process, workspace = start_client(tree, degraded)
    process.send_signal(number)
    process.stdout.read()  # nobody of the run holds the client's own output
    process.wait(20)
    wait_until(lambda: gone(tree, workspace), "not all of it has ended", SECONDS)


@pytest.mark.parametrize("leave", ["os._exit(3)", "sys.exit(3)"])
def test_client_that_leaves_during_a_run(client, sbx, tree, degraded, leave):
    sbx.killed = True
    start = f"threading.Thread(target=start, daemon=True).start(); sys.stdin.read(); {leave}"
    process, workspace = start_client(tree, degraded, start)
    process.stdin.close()
    assert process.wait(20) == 3
    wait_until(lambda: gone(tree, workspace), "not all of it has ended", SECONDS)


THREE = """
    import os, shutil, signal
    from sbx import Sandbox
    boxes = [Sandbox() for _ in range(3)]
    places = [os.path.dirname(box.workspace) for box in boxes]
    shutil.rmtree(places[0])
    print(*places, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_folder_that_has_gone_already(client):
    """It keeps the guardian from no other."""
    places = run_script(THREE).stdout.split()
    assert len(places) == 3
    wait_until(lambda: not any(map(os.path.lexists, places)), "not all of them have gone", SECONDS)


SESSION = """
    import os
    from sbx import Sandbox
    ended, open_until_then = os.pipe()
    os.set_inheritable(open_until_then, True)
    with Sandbox(degrade={degrade}) as box:  # and its guardian, whose session this process leaves
        os.close(open_until_then)
        os.setsid()
        box.write_file("file", "kept")
        assert box.run(["true"]).ok
        assert os.read(ended, 1) == b""  # the guardian has gone, and everything that it has started
        print(box.read_file("file").decode())
"""


def test_session_of_its_own(client, degraded):
    """setsid(2) leaves the guardian behind; the one that follows has the folders, which are in use."""
    assert run_script(SESSION.format(degrade=["cgroup"] if degraded else [])).stdout == "kept\n"


def test_forked_child_has_a_guardian_of_its_own(client, degraded):
    from sbx import guardian
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        before = guardian.group()
        pid = os.fork()
        if pid == 0:
            code = 9
            try:
                good = box.run(["true"]).ok and guardian.group() != before
                guardian.dismiss()
                code = 0 if good else 1
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert box.run(["true"]).ok and guardian.group() == before


def test_forked_child_leaves_the_run_to_its_parent(client, degraded):
    """It holds no pipe of a run, of which the command would never see the end."""
    reading, writing = os.pipe()
    children = []

    def fork(_):
        pid = 0 if children else os.fork()
        if pid:
            children.append(pid)
        elif not children:
            os.close(writing)
            os.read(reading, 1)  # until its parent has gone on
            os._exit(0)

    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        result = box.run(["sh", "-c", "echo; cat"], timeout=5, input=b"x" * 1_000_000, on_stdout=fork)
    assert result.ok and len(result.stdout) == 1_000_001
    os.close(writing)
    os.close(reading)
    assert os.waitpid(children[0], 0)[1] == 0


def test_forked_child_leaves_the_folder_to_its_parent(client):
    with client.Sandbox() as box:
        pid = os.fork()
        if pid == 0:
            try:
                box.close()
            finally:
                os._exit(0)
        os.waitpid(pid, 0)
        assert os.path.isdir(box.workspace)


def test_forked_child_closes_without_its_parents_runs(client, degraded):
    """A run that another thread is just about to start is none of the child's."""
    from sbx.process import Process
    box = client.Sandbox(degrade=["cgroup"] if degraded else [])
    box._runs.add(Process([box.binary, "run", "true"], b"", None, box._runs))
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(5)
            box.close()
        finally:
            os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    box._runs._active.clear()
    box.close()


def test_guardian_that_is_killed_is_replaced(client, degraded):
    from sbx import guardian
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        old = guardian.group()
        os.kill(old, signal.SIGKILL)
        wait_until(lambda: guardian.group() != old, "no new guardian", SECONDS)
        assert box.run(["true"]).ok
    guardian.dismiss()


def test_sandbox_without_with_removes_its_folder(client, degraded):
    box = client.Sandbox(degrade=["cgroup"] if degraded else [])
    assert box.run(["touch", "x"]).ok
    place = box.workspace
    del box
    assert not os.path.lexists(place)


CLOSED = """
    import os, sys
    from sbx import Sandbox
    kept = os.dup(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT))
    for fd in range(3):
        os.close(fd)
    with Sandbox(degrade={degrade}) as box:
        place = os.path.dirname(box.workspace)
        for fd in range(3):
            try:
                os.write(fd, b"-" + place.encode() + bytes([10]))  # as if it printed that
            except OSError:
                pass
        os.write(kept, box.run(["cat"], input="fine", on_stdout=len).stdout + b" " + place.encode())
        os.kill(os.getpid(), 9)
"""


def test_client_without_standard_descriptors(client, sbx, tmp_path, degraded):
    """None of its pipes takes their place, where whatever it prints would be orders to the guardian."""
    text = textwrap.dedent(CLOSED).format(degrade=["cgroup"] if degraded else [])
    env = {**os.environ, "PYTHONPATH": str(PYTHON / "src")}
    subprocess.run([sys.executable, "-B", "-c", text, tmp_path / "said"], env=env, timeout=SECONDS)
    said, _, place = (tmp_path / "said").read_text().partition(" ")
    assert said == "fine"
    wait_until(lambda: not os.path.lexists(place), "the folder has not gone", SECONDS)


BUSY = """
    import os, sys, threading, time
    from sbx import Sandbox
    box = Sandbox(timeout=60, degrade={degrade})
    print(os.path.dirname(box.workspace), flush=True)
    script = "i=0; while :; do i=$((i+1)); mkdir -p d$((i%50))/e; : > d$((i%50))/e/$i; done; exec sleep {tree}"
    threading.Thread(target=lambda: box.run(["sh", "-c", script]), daemon=True).start()
    while len(os.listdir(box.workspace)) < 50: time.sleep(0.01)
"""


def test_client_that_leaves_while_files_are_made(client, sbx, tree, degraded):
    """What cannot be removed at its exit, because the command makes more, is removed all the same."""
    sbx.killed = True
    done = run_script(BUSY.format(degrade=["cgroup"] if degraded else [], tree=tree), stderr=subprocess.DEVNULL)
    assert done.returncode == 0
    wait_until(lambda: not os.path.lexists(done.stdout.strip()), "the folder has not gone", SECONDS)


COLLECTED = """
    import gc, os, signal
    from sbx import Sandbox, guardian
    gc.disable()  # comes when it is called, and at no other time
    lost = Sandbox()
    lost.itself = lost
    place = os.path.dirname(lost.workspace)
    others = [Sandbox() for _ in range(3)]
    del lost
    told, tell = [], guardian._tell
    def collect(line):
        gc.collect()
        told.append(line)
        tell(line)
    guardian._tell = collect
    before = guardian.group()
    os.kill(before, signal.SIGKILL)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    assert guardian.group() != before
    assert not os.path.lexists(place) and f"-{place}" in told
    assert {f"+{os.path.dirname(one.workspace)}" for one in others} <= set(told)
    print("done")
"""


def test_collector_while_the_guardian_is_told(client):
    """It comes when it likes: also to a thread that tells a new guardian of all folders, and takes a Sandbox."""
    assert run_script(COLLECTED).stdout == "done\n"
