"""The Python client when things go wrong: clients that die, commands that leave traps, callers that err."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from clients import python_table as table
from clients.conftest import PYTHON

STUBBORN = "trap '' TERM INT HUP; mkdir -p a/b; chmod 0 a/b; sleep {0} & echo ready; wait; sleep {0}"
SCRIPT = """
    import os, sys, threading
    from sbx import Sandbox
    box = Sandbox(timeout=60, degrade={degrade})
    print(box.workspace, flush=True)
    def start():
        box.run(["sh", "-c", {command!r}], on_stdout=lambda text: print("ready", flush=True))
    {start}
"""


def wait_for(what, seconds=20):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "too late"
        time.sleep(0.02)


def start_client(tree, degraded, start="start()"):
    """A client process with a command under way; its temporary workspace."""
    code = textwrap.dedent(SCRIPT).format(degrade=["cgroup"] if degraded else [], command=STUBBORN.format(tree),
                                          start=start)
    process = subprocess.Popen([sys.executable, "-B", "-c", code], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(PYTHON / "src")})
    workspace = process.stdout.readline().strip()
    assert process.stdout.readline() == "ready\n"
    wait_for(lambda: table.running_with(tree))
    assert os.path.isdir(workspace)
    return process, workspace


def gone(tree, workspace):
    return not table.running_with(tree) and not os.path.lexists(os.path.dirname(workspace))


@pytest.fixture
def tree():
    return f"4{os.getpid():07}"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
def test_client_that_is_killed_leaves_nothing(client, sbx, tree, degraded, number):
    sbx.killed = True  # its guardian kills sbx, which the next run cleans up after
    process, workspace = start_client(tree, degraded)
    process.send_signal(number)
    process.stdout.read()  # nobody of the run holds the client's own output
    process.wait(20)
    wait_for(lambda: gone(tree, workspace))


@pytest.mark.parametrize("leave", ["os._exit(3)", "sys.exit(3)"])
def test_client_that_leaves_during_a_run(client, sbx, tree, degraded, leave):
    sbx.killed = True
    start = f"threading.Thread(target=start, daemon=True).start(); sys.stdin.read(); {leave}"
    process, workspace = start_client(tree, degraded, start)
    process.stdin.close()
    assert process.wait(20) == 3
    wait_for(lambda: gone(tree, workspace))


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


def test_guardian_that_is_killed_is_replaced(client, degraded):
    from sbx import guardian
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        old = guardian.group()
        os.kill(old, signal.SIGKILL)
        wait_for(lambda: guardian.group() != old)
        assert box.run(["true"]).ok
    guardian.dismiss()


def test_sandbox_without_with_removes_its_folder(client, degraded):
    box = client.Sandbox(degrade=["cgroup"] if degraded else [])
    assert box.run(["touch", "x"]).ok
    place = box.workspace
    del box
    assert not os.path.lexists(place)


def test_traps_in_the_workspace(client, degraded):
    """A FIFO does not hold the client; a tree that is deep or closed does not stay behind."""
    script = ("import os\nos.mkfifo('pipe'); os.mkdir('shut'); open('shut/x', 'w'); os.chmod('shut', 0)\n"
              "for _ in range(3000): os.mkdir('deep'); os.chdir('deep')")
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        assert box.run(["/usr/bin/python3", "-I", "-S", "-c", script]).ok
        for act in (lambda: box.read_file("pipe"), lambda: box.write_file("pipe", "x"), lambda: box.read_file("deep"),
                    box.list_files):
            with pytest.raises(OSError):
                act()
    assert not os.path.lexists(box.workspace)


@pytest.mark.parametrize("words, status, code", [(["true"], "ok", 0), (["sh", "-c", "exit 3"], "nonzero", 3),
                                                 (["sh", "-c", "kill -9 $$"], "signal", 137),
                                                 (["no-such-command"], "not_found", 127)])
def test_caller_that_ignores_its_children(client, degraded, words, status, code):
    """With SIGCHLD ignored there is no exit status to wait for; the result has it all the same."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
            result = box.run(words)
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (result.status, result.code) == (status, code)


def test_callback_that_raises(client, degraded):
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, pytest.raises(ZeroDivisionError):
        box.run(["sh", "-c", "echo; exec sleep 50"], on_stdout=lambda _: 1 / 0)


def test_no_binary(client, monkeypatch):
    monkeypatch.setenv("SBX_BIN", "/no/such/sbx")
    with pytest.raises(client.SbxError, match="SBX_BIN=/no/such/sbx"):
        client.Sandbox()
    with pytest.raises(client.SbxError, match="binary=/etc/passwd"):
        client.Sandbox(binary="/etc/passwd")
    monkeypatch.delenv("SBX_BIN")
    monkeypatch.setenv("PATH", "/no/such/folder")
    with pytest.raises(client.SbxError, match="PATH"):
        client.Sandbox()


def test_binary_that_is_not_sbx(client):
    with client.Sandbox(binary="/bin/echo") as box, pytest.raises(client.SbxError, match="without a result"):
        box.run(["true"])


def test_callers_mistakes(client):
    with client.Sandbox() as box:
        with pytest.raises(TypeError, match="list of words"):
            box.run("ls -l")
        with pytest.raises(ValueError, match="--json"):
            box.run(["true"], json=True)
        with pytest.raises(ValueError, match="relative"):
            box.write_file("../x", "")
    with pytest.raises(ValueError, match="closed"):
        box.run(["true"])
    with pytest.raises(ValueError, match="neither a name nor a path"):
        client.Sandbox("-x")


def test_flags():
    from sbx.options import flags
    assert flags({"timeout": 0.25, "memory": 1 << 20, "wall": "2s", "quiet": True, "pids": None}) == \
        ["--timeout=250ms", "--memory=1048576B", "--timeout=2s", "--quiet"]
    assert flags({"ro": {"/a": "/b"}, "env": {"K": "v"}, "set": {"x": ["y"]}, "cap": ["a", "b"]}) == \
        ["--ro=/a:/b", "--env=K=v", '--set=x=["y"]', "--cap=a", "--cap=b"]


def test_input_from_a_file_and_own_folder(client, degraded, tmp_path, open_folder):
    (tmp_path / "own").mkdir()
    (tmp_path / "in").write_text("from a file")
    with client.Sandbox(workspace=f"{tmp_path}/own:rw", degrade=["cgroup"] if degraded else []) as box, \
            open(tmp_path / "in", "rb") as file:
        assert box.run(["tee", "out"], input=file).stdout_text == "from a file"
        assert box.read_file("out") == b"from a file" and box.list_files() == ["out"]
    assert (tmp_path / "own" / "out").exists()  # yours stays


def test_check_and_explain(client, degraded, tmp_path):
    (tmp_path / "bad.yaml").write_text("version: 1\nlimts: {}\n")
    [problem] = client.check(tmp_path / "bad.yaml")
    assert (problem.line, problem.column) == (2, 1) and "limits" in problem.message
    assert client.check("python") == []
    with pytest.raises(client.SbxError, match="no profile is named"):
        client.check("no-such-profile")
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box:
        assert box.explain(["true"])


def test_interrupt_ends_the_tree(client, tree, degraded):
    """KeyboardInterrupt, as Ctrl-C raises it in the main thread."""
    def interrupt(_):
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with client.Sandbox(degrade=["cgroup"] if degraded else []) as box, pytest.raises(KeyboardInterrupt):
        box.run(["sh", "-c", STUBBORN.format(tree)], on_stdout=interrupt)
    assert table.running_with(tree) == []
