"""Tier `landlock`: no pid namespace ends the tree and no mount namespace the private folder. However the run ends, both
are gone; the `sbx` fixture looks for what is left."""
import json
import os
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from support import bed, leftovers

pytestmark = pytest.mark.needs("signal-scope")

# Three ways out of the payload's reach: another session, another parent, and a process that forks for ever.
DAEMONS = "(setsid sleep 300 &); (setsid sh -c '(sleep 301 &) & exit' &); sleep 0.2; echo ready"
HOPPING = "hop() { sleep 0.01; hop & }; hop & echo ready"


def init_of(running):
    """init is the only child of the supervisor."""
    found = [pid for pid, _ in running.processes()
             if int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]) == running.pid]
    assert len(found) == 1, found
    return found[0]


def private_folders(base="/tmp"):
    return {name for name in os.listdir(base) if name.startswith(".sbx-run-")}


@pytest.mark.parametrize("script", [DAEMONS, HOPPING], ids=["daemons", "hopping"])
def test_nothing_outlives_the_payload(shared, script):
    run = shared.run(cmd=["bash", "-c", script]).assert_ok()
    assert run.seconds < 5 and run.out == "ready\n", run


@pytest.mark.parametrize("script", [DAEMONS, HOPPING], ids=["daemons", "hopping"])
def test_nothing_outlives_the_deadline(shared, script):
    run = shared.run(flags=["--timeout", "1s"], cmd=["bash", "-c", f"{script}; sleep 60"])
    run.assert_status("timeout", 124)
    assert run.seconds < 6, run


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_sbx_is_the_commands(shared, number):
    running = shared.spawn(cmd=["bash", "-c", "trap 'echo told; exit 3' TERM INT; echo ready; while :; do sleep 0.01; done"])
    running.read_until(b"ready")
    running.signal(number)
    run = running.wait()
    assert run.assert_nonzero(3).out == "told\n", run


@pytest.mark.parametrize("script", [DAEMONS, HOPPING], ids=["daemons", "hopping"])
def test_a_killed_supervisor_takes_all_with_it(shared, script):
    before = private_folders()
    running = shared.spawn(cmd=["bash", "-c", f"touch $HOME/file; {script}; sleep 60"], env={"TMPDIR": "/tmp"})
    running.read_until(b"ready")
    init = init_of(running)
    assert private_folders() > before
    running.kill()
    running.process.wait()
    deadline = time.monotonic() + 2
    while private_folders() != before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert private_folders() == before
    assert not Path(f"/proc/{init}").exists() or "Z" in Path(f"/proc/{init}/stat").read_text()


def test_a_killed_init_leaves_its_tree_to_the_supervisor(shared):
    running = shared.spawn(cmd=["bash", "-c", f"touch $HOME/file; {DAEMONS}; sleep 60"])
    running.read_until(b"ready")
    os.kill(init_of(running), signal.SIGKILL)
    run = running.wait(timeout=20)
    assert run.status in ("internal_error", "signal", "setup_error"), run


@pytest.mark.parametrize("end", ["by itself", "by a kill of init"])
def test_children_that_a_shell_had_before_are_not_the_runs(shared, end):
    """`sh -c 'worker & exec sbx ...'`: they are children of sbx, and no matter what becomes of the run."""
    code = "exec sleep 0.2" if end == "by itself" else "sleep 60"
    words = " ".join([shared.binary, "run", *shared.degraded, "--", "sh", "-c", f"'{code}'"])
    shell = subprocess.Popen(["sh", "-c", f"sleep 300 >/dev/null 2>&1 & echo $!; exec {words}"], stdout=subprocess.PIPE, text=True,
                             stderr=subprocess.PIPE, cwd=shared.cwd)
    worker = int(shell.stdout.readline())
    if end != "by itself":
        def others():
            return [pid for pid, _ in leftovers.descendants(shell.pid) if pid != worker]
        deadline = time.monotonic() + 20
        while len(others()) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(min(others()), signal.SIGKILL)
    shell.communicate(timeout=20)
    assert Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] == "S"
    os.kill(worker, signal.SIGKILL)


def test_what_two_killed_at_once_leave_is_swept_by_the_next_run(shared, tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()
    place.chmod(0o1777)
    options = {"env": {"TMPDIR": str(place)}}
    running = shared.spawn(cmd=["/usr/bin/python3", "-c", "import os, time; os.chdir(os.environ['HOME']);"
                              "open('file', 'w'); print('ready', flush=True); time.sleep(60)"], **options)
    running.read_until(b"ready")
    init = init_of(running)
    os.kill(running.pid, signal.SIGSTOP)  # so that neither sees the other's end
    os.kill(init, signal.SIGKILL)
    running.kill()
    running.process.wait()
    assert len(private_folders(place)) == 1
    shared.run(cmd=["true"], **options).assert_ok()
    assert not private_folders(place)


def test_a_live_runs_folder_is_not_swept(shared):
    running = shared.spawn(cmd=["sh", "-c", "echo kept > $HOME/file; echo ready; read -r word; cat $HOME/file"],
                           stdin=-1)
    running.read_until(b"ready")
    shared.run(cmd=["true"]).assert_ok()
    assert running.wait(stdin=b"go\n").assert_ok().out.endswith("kept\n")


def test_the_private_folder_goes_whatever_is_in_it(shared):
    """Deep, closed, with links and odd names."""
    script = """
import os
os.chdir(os.environ["HOME"])
os.symlink("/usr", "link")
os.mkfifo("fifo")
for name in (b"new\\nline", b"\\xff", b"-rf", b"lifted.1", b" "):
    os.mkdir(name)
    open(name + b"/file", "w").close()
os.mkdir("closed"); os.mkdir("closed/inner"); open("closed/inner/file", "w").close()
os.umask(0o777); os.mkdir("shut"); os.umask(0)
for depth in range(1500):
    os.mkdir("d" * 200); os.chdir("d" * 200)
    open("file", "w").close()
"""
    shared.run(cmd=["/usr/bin/python3", "-c", script]).assert_ok()
    assert Path("/usr/bin").is_dir()


def test_home_and_tmpdir_are_the_private_folder(shared, tmp_path):
    place = tmp_path / "tmp"
    place.mkdir()
    place.chmod(0o1777)
    run = shared.run(cmd=["sh", "-c", "echo $HOME $TMPDIR; stat -c '%a %u' $HOME; id -u; mktemp"], env={"TMPDIR": str(place)})
    run.assert_ok()
    names, facts, uid, made = run.out.splitlines()
    home, temporary = names.split()
    assert home == temporary and Path(home).parent == place and made.startswith(home), run
    assert facts == f"700 {uid}" and uid != "0"


@pytest.mark.needs("cgroup")
def test_a_paused_run_is_ended(shared):
    running = shared.spawn(cmd=["bash", "-c", f"{DAEMONS}; sleep 60"])
    running.read_until(b"ready")
    run_id = json.loads(shared.call("ps", "--json").stdout)[0]["id"]
    assert shared.call("pause", run_id).code == 0
    assert shared.call("kill", run_id).code == 0
    running.wait(timeout=10).assert_status("interrupted", 137)


def test_a_terminal_is_a_fresh_one(shared):
    running = shared.spawn(flags=["--tty"], cmd=["sh", "-c", "tty; test -t 0 && echo terminal"], tty=True)
    run = running.wait().assert_ok()
    assert "terminal" in run.out and "/dev/pts/" in run.out, run


def test_denied_calls_are_listed_and_no_profile_is_said_to_allow_them(shared):
    run = shared.run(cmd=["/usr/bin/python3", "-c", "import os\ntry: os.chmod('/usr', 0)\nexcept OSError as e: print(e)"
                          "\nimport ctypes; ctypes.CDLL(None).syscall(101, 0, 0, 0, 0)"]).assert_ok()
    listed = {d["syscall"]: d["allow_with"] for d in run.result["denials"]}
    assert listed["ptrace"] == 'seccomp: {allow: ["@debug"]}', run
    assert listed.get("chmod", None) is None and ("chmod" in listed) == (os.geteuid() != 0), run


def test_limits_hold_where_there_are_groups(shared):
    if shared.degraded[:2] == ["--degrade", "cgroup"]:
        run = shared.run(flags=["--memory", "64M"], cmd=["true"]).assert_ok()
        assert "memory" in run.result["isolation"]["approximate"], run
        return
    run = shared.run(flags=["--memory", "64M"], cmd=["/usr/bin/python3", "-c", "x = bytearray(200 << 20)"])
    run.assert_status("oom", 137)


@pytest.mark.parametrize("number", range(10))
def test_a_supervisor_killed_while_it_sets_up(shared, number):
    running = shared.spawn(cmd=["sleep", "60"], result=False)
    time.sleep(0.05 + number / 500)  # the host of the test is made by Python, which takes that long
    running.kill()
    running.process.wait()


def test_two_words_on_standard_error_say_what_is_missing(shared):
    run = shared.run(cmd=["true"]).assert_ok()
    assert "degraded: not enforced on this host:" in run.err and "userns, namespaces" in run.err, run
    isolation = run.result["isolation"]
    assert set(isolation["required"]) == set(isolation["enforced"]) | set(isolation["degraded"]), isolation
    assert isolation["namespaces"] == [] and isolation["landlock_abi"] >= 6


def test_without_the_word_nothing_starts(shared):
    shared.degraded = [flag for flag in shared.degraded if flag != "userns"]
    shared.degraded = shared.degraded[:2] if shared.degraded[:2] == ["--degrade", "cgroup"] else []
    word = f"{uuid.uuid4()}"
    run = shared.run(cmd=["echo", word])
    run.assert_refused("clone3")
    assert word not in run.out


@pytest.mark.skipif("userns" in bed.LACKS, reason="for another kind of bed: one with user namespaces")
def test_where_namespaces_are_to_be_had_they_are_taken(sbx):
    run = sbx.run(flags=["--degrade", "userns"], cmd=["true"]).assert_ok()
    assert run.result["isolation"]["tier"] != "landlock" and "userns" not in run.result["isolation"]["degraded"]
