"""The registry of live runs: nothing stale is believed, nobody disturbs a run through it, and a run
does without where there can be none."""
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support import cgroups
from support.waiting import state_of, wait_until


@pytest.fixture
def registry(sbx):
    """The folder that this test's runs are registered in."""
    return Path(os.environ["XDG_RUNTIME_DIR"], "sbx")


def start(sbx, script="echo ready; exec sleep 30", *flags, **options):
    running = sbx.spawn(flags=flags, cmd=["bash", "-c", script], **options)
    running.read_until(b"ready")
    return running


def leave_socket(registry, pid, run="20260101-000000-00000000", seconds_ago=60):
    """The file of a supervisor that was killed."""
    registry.mkdir(mode=0o700, exist_ok=True)
    path = registry / f"{run}.{pid}.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))
    os.utime(path, (time.time() - seconds_ago,) * 2)
    return path


def free_pid():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


@pytest.mark.parametrize("sweeper", [["ps"], ["run", "--", "true"]], ids=["ps", "the_next_run"])
def test_a_killed_supervisors_socket_is_swept(sbx, registry, sweeper):
    running = start(sbx)
    running.kill()
    running.process.wait()
    assert len(os.listdir(registry)) == 1
    if sweeper[0] == "run":
        sweeper = ["run", *sbx.degraded, "--", "true"]
    run = sbx.call(*sweeper)
    assert run.code == 0 and "sleep" not in run.out and os.listdir(registry) == []


def test_one_whom_nobody_has_collected_is_swept(sbx, registry, monkeypatch):
    """Whoever kills a run may live on for days without waiting for it."""
    monkeypatch.chdir(sbx.folder)
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    alive = leave_socket(registry, os.getpid(), run="20260102-000000-00000000")
    leave_socket(registry, pid)
    sbx.run(cmd=["true"]).assert_ok()
    os.waitpid(pid, 0)
    assert os.listdir(registry) == [alive.name]
    alive.unlink()


def test_one_whom_nobody_has_collected_is_listed_no_more_and_leaves_nothing(sbx, registry):
    before = cgroups.groups_of_runs()
    running = start(sbx)
    tree = [pid for pid, _ in running.processes()]
    running.kill()
    wait_until(lambda: state_of(running.pid)[0] == "Z" and all(state_of(pid)[0] in "XZ" for pid in tree), "they live")
    assert len(os.listdir(registry)) == 1
    assert sbx.call("ps", "--json").out == "[]\n" and os.listdir(registry) == []
    assert not cgroups.groups_of_runs() - before


def test_one_that_has_ended_and_whom_nobody_has_collected_is_gone(sbx, registry):
    running = sbx.spawn(cmd=["true"])
    wait_until(lambda: state_of(running.pid)[0] == "Z", "it does not end")
    assert os.listdir(registry) == [] and sbx.call("ps", "--json").out == "[]\n"


def test_where_many_live_one_run_in_each_second_sweeps(sbx, registry, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    for number in range(17):
        leave_socket(registry, os.getpid(), run=f"20260102-000000-000000{number:02}")
    sbx.run(cmd=["true"]).assert_ok()
    dead = leave_socket(registry, free_pid())
    sbx.run(cmd=["true"]).assert_ok()
    assert dead.exists() and (registry / "swept").exists()
    for seconds in (-2, 60):  # two seconds later, and after the clock was put back
        os.utime(registry / "swept", (time.time() + seconds,) * 2)
        sbx.run(cmd=["true"]).assert_ok()
        assert not dead.exists(), seconds
        dead = leave_socket(registry, free_pid())
    assert sbx.call("ps").code == 0 and not dead.exists()


def test_a_pid_that_somebody_else_has_now_is_not_believed(sbx, registry, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    path = leave_socket(registry, os.getpid())
    sbx.call("kill", "00000000").assert_refused("no live run")
    assert not path.exists()
    path = leave_socket(registry, os.getpid())
    sbx.run(cmd=["true"]).assert_ok()
    assert path.exists(), "a run asks only the sockets whose pid is gone"
    assert sbx.call("ps", "--json").out == "[]\n" and not path.exists()


def test_a_socket_that_is_about_to_listen_is_left_alone(sbx, registry, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    path = leave_socket(registry, os.getpid(), seconds_ago=0)
    sbx.run(cmd=["true"]).assert_ok()
    assert sbx.call("ps", "--json").out == "[]\n" and path.exists()
    path.unlink()


def test_a_live_socket_is_never_swept_whatever_its_pid(sbx, registry, monkeypatch):
    """A supervisor in another pid namespace has a pid there that nobody may have here."""
    monkeypatch.chdir(sbx.folder)
    registry.mkdir(mode=0o700)
    path = registry / f"20260101-000000-00000000.{free_pid()}.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))
        server.listen(8)
        sbx.run(cmd=["true"]).assert_ok()
        sbx.call("ps")
        assert path.exists()
    path.unlink()


def test_other_files_are_left_alone(sbx, registry):
    registry.mkdir(mode=0o700)
    names = ["ids.lock", "x.sock", "20260101-000000-00000000.sock", "20260101-000000-00000000.12x.sock",
             "20260101-000000-0000000g.1.sock", "20260101-000000-00000000.-1.sock"]
    for name in names:
        (registry / name).write_text("")
    sbx.run(cmd=["true"]).assert_ok()
    assert sbx.call("ps", "--json").out == "[]\n" and set(os.listdir(registry)) == set(names)
    for name in names:
        (registry / name).unlink()


def test_no_run_is_delayed_by_who_knocks_and_says_nothing_sensible(sbx, registry, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    running = start(sbx, "echo ready; sleep 2; echo end")
    path = os.path.relpath(next(registry.iterdir()))
    began = time.monotonic()
    kept = []

    def knock(data):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(10)
        client.connect(path)
        try:
            client.sendall(data)
        except BrokenPipeError:
            pass
        kept.append(client)
        return client

    def answer(client):
        try:
            return client.makefile("rb").readline()
        except ConnectionResetError:
            return b""

    for data in (b"rubbish\n", b"\0" * 100 + b"\n", b"[" * 1000 + b"\n", b"[]\n", b"null\n", b"{}\n", b"\xff\xfe\n",
                 b'{"do":"kil"}\n', b'{"do":7}\n', b'{"do":["kill"]}\n', b'{"do":"kill","signal":"STOP"}\n',
                 b'{"do":"kill","signal":9}\n', b'{"do":"pause","signal":"TERM"}\n', b"x" * 1100, b"x" * 100000):
        refusal = answer(knock(data))
        assert not refusal or json.loads(refusal)["ok"] is False, data
    for data in [b"", b'{"do":"kill"'] * 6:  # more than it serves at once
        knock(data)
    for _ in range(20):
        kept.pop(0).close()
    assert sbx.call("ps", "--json").code == 0
    run = running.wait().assert_ok()
    assert "end" in run.out and run.seconds < 8 and time.monotonic() - began < 8
    assert all(answer(client) == b"" for client in kept), "who is late is dropped, not answered"
    for client in kept:
        client.close()


def test_a_client_that_leaves_before_its_answer_is_no_harm(sbx, registry, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    running = start(sbx, "echo ready; sleep 1; echo end")
    for _ in range(50):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(os.path.relpath(next(registry.iterdir())))
            client.sendall(b'{"do":"stats"}\n')
    assert "end" in running.wait().assert_ok().out


def make_link(registry):
    registry.symlink_to("/tmp")


def make_open_folder(registry):
    registry.mkdir()
    registry.chmod(0o755)


def make_file(registry):
    registry.write_text("")


@pytest.mark.parametrize("make", [make_link, make_open_folder, make_file])
def test_a_run_does_without_a_registry_that_cannot_be_trusted(sbx, registry, make):
    make(registry)
    before = set(os.listdir("/tmp"))
    run = sbx.run(flags=["--log", "log"], cmd=["true"])
    run.assert_ok()
    assert run.err == "" and "sbx ps does not list it" in (sbx.cwd / "log").read_text()
    assert not [n for n in set(os.listdir("/tmp")) - before if n.endswith(".sock")]
    sbx.call("ps").assert_refused("cannot look for live runs")
    registry.rmdir() if registry.is_dir() and not registry.is_symlink() else registry.unlink()


def test_a_runtime_folder_that_is_not_ours_is_not_used(sbx, monkeypatch):
    for value in ("relative", "/nonexistent", ""):
        monkeypatch.setenv("XDG_RUNTIME_DIR", value)
        sbx.run(cmd=["true"]).assert_ok()
    assert not (sbx.cwd / "relative").exists()


def test_nothing_is_registered_for_a_run_that_never_was(sbx, registry):
    for line in (["--ro", "/nonexistent"], ["--workdir", "/nowhere"]):
        sbx.run(flags=line, cmd=["true"]).assert_refused()
    assert sbx.run(cmd=["/no/such/command"]).code == 127
    assert not registry.exists() or os.listdir(registry) == []


CLIENT = """
import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
client.sendall(b'{"do":"%s"}\\n' % sys.argv[2].encode())
print(client.makefile().readline())
"""


@pytest.mark.needs("program:python3")
def test_a_payload_that_was_shown_the_registry_steers_nothing(sbx, registry):
    """Not even itself: as an ordinary user's, its uid is the supervisor's."""
    victim = start(sbx)
    path = next(registry.iterdir())
    flags = ["--ro", f"{registry}:{registry}", "--workspace", "none"]
    client = ["python3", "-c", CLIENT, path, "kill"]
    run = sbx.run("python", flags=flags, cmd=client)
    assert '"ok":true' not in run.out and "Traceback" in run.err or '"ok":false' in run.out, run
    assert victim.process.poll() is None
    # The control: the same from outside.
    done = sbx.call("ps", "--json")
    assert json.loads(done.out)[0]["state"] == "running"
    subprocess.run([sys.executable, "-c", CLIENT, path, "kill"], check=True, stdout=subprocess.DEVNULL)
    victim.wait(timeout=10).assert_status("interrupted", 137)


def test_the_registry_is_not_in_the_sandbox(sbx, registry):
    victim = start(sbx)
    run = sbx.run(cmd=["sh", "-c", f"ls -a {registry} /run /tmp; env | grep XDG; true"]).assert_ok()
    assert ".sock" not in run.out and ".sbx" not in run.out and "XDG" not in run.out
    victim.signal(signal.SIGINT)
    victim.wait()


@pytest.mark.needs("cgroup:cpu", "cgroup:cpuset")
@pytest.mark.parametrize("by", ["the next run", "ps"])
def test_groups_that_the_next_run_has_none_beside_go_too(sbx, by):
    """On v1 they are elsewhere. By the next run, that is the fixture's, which looks for all."""
    before = cgroups.groups_of_runs()
    running = start(sbx, "echo ready; exec sleep 30", "--cpus", "1", "--cpuset", "0")
    assert cgroups.groups_of_runs() - before
    tree = [pid for pid, _ in running.processes()]
    running.kill()
    running.process.wait()
    if by == "ps":
        wait_until(lambda: all(state_of(pid)[0] in "XZ" for pid in tree), "they live")
        assert sbx.call("ps", "--json").out.strip() == "[]" and not cgroups.groups_of_runs() - before
