"""Tier `landlock`: whoever of supervisor, init and keeper is killed, and whenever, the tree ends and its folder goes."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from shared_host.trees import DAEMONS, HOPPING, gone_within, init_of, private_folders, tree_of
from support import leftovers
from support.waiting import state_of, wait_until

pytestmark = pytest.mark.needs("signal-scope")

# A program of one page, which it writes for ever. Three of them do so into a pipe that nobody reads,
# where they wait; the command, into memory.
OUTLIVES = """
import os, struct, subprocess
code = bytes.fromhex("bf01000000" "be00004000" "ba00100000" "b801000000" "0f05" "ebe8")
head = struct.pack("<16sHHIQQQIHHHHHH", b"\\x7fELF\\2\\1\\1", 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0)
part = struct.pack("<IIQQQQQQ", 1, 5, 0, 0x400000, 0x400000, 0x78 + len(code), 0x78 + len(code), 4096)
path = os.environ["HOME"] + "/tiny"
with open(path, "wb", opener=lambda name, flags: os.open(name, flags, 0o700)) as file:
    file.write(head + part + code)
_, full = pipe = os.pipe()
for _ in range(3):
    print(subprocess.Popen([path], stdout=full, start_new_session=True, pass_fds=pipe).pid, flush=True)
os.dup2(os.memfd_create("memory"), 1)
os.execv(path, [path])
"""


@pytest.mark.parametrize("script", [DAEMONS, HOPPING], ids=["daemons", "hopping"])
def test_a_killed_supervisor_takes_all_with_it(shared, script):
    before = private_folders()
    running = shared.spawn(cmd=["bash", "-c", f"touch $HOME/file; {script}; sleep 60"], env={"TMPDIR": "/tmp"})
    running.read_until(b"ready")
    init = init_of(running)
    assert private_folders() > before
    running.kill()
    running.process.wait()
    assert gone_within([init], 2)  # the folder is the last that init takes away, and then it ends
    assert private_folders() == before


@pytest.mark.parametrize("killed", ["supervisor", "supervisor and init"])
def test_a_paused_run_ends_as_well(shared, place, killed):
    """Nobody who has to end the tree then is stopped with it, or frozen."""
    running = shared.spawn(cmd=["bash", "-c", f"touch $HOME/file; {DAEMONS}; sleep 60"], env={"TMPDIR": str(place)})
    running.read_until(b"ready")
    init, _, tree = tree_of(running)
    run_id = json.loads(shared.call("ps", "--json").stdout)[0]["id"]
    assert shared.call("pause", run_id).code == 0
    # SIGSTOP has been sent; a busy processor comes to each of them later.
    wait_until(lambda: [state_of(pid)[0] for pid in tree].count("T") == len(tree) - 2, f"init and keeper alone are awake: {tree}")
    running.kill()
    if killed != "supervisor":
        os.kill(init, signal.SIGKILL)
    running.process.wait()
    assert gone_within([init, *tree], 2)
    # A killed init may have been at it; the next run there takes away what it has left.
    assert killed != "supervisor" or not private_folders(place)


def test_a_killed_init_leaves_its_tree_to_the_keeper(shared):
    running = shared.spawn(cmd=["bash", "-c", f"touch $HOME/file; {DAEMONS}; sleep 60"])
    running.read_until(b"ready")
    init, _, tree = tree_of(running)
    os.kill(init, signal.SIGKILL)
    run = running.wait(timeout=20)
    assert run.status in ("internal_error", "signal", "setup_error"), run
    assert gone_within(tree, 2)


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
        wait_until(lambda: len(others()) >= 3, "the run never begins", 20)
        os.kill(min(others()), signal.SIGKILL)
    shell.communicate(timeout=20)
    assert Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] == "S"
    os.kill(worker, signal.SIGKILL)


def test_who_kills_all_that_is_called_sbx_leaves_nothing(shared, place):
    """Supervisor and init at the same moment: the keeper has another name."""
    running = shared.spawn(cmd=["bash", "-c", f"touch $HOME/file; {DAEMONS}; sleep 60"], env={"TMPDIR": str(place)})
    running.read_until(b"ready")
    init, _, tree = tree_of(running)
    os.kill(running.pid, signal.SIGSTOP)  # so that neither sees the other's end
    os.kill(init, signal.SIGKILL)
    running.kill()
    running.process.wait()
    assert gone_within(tree, 2)
    assert not private_folders(place)


def test_a_killed_keeper_changes_nothing(shared, place):
    running = shared.spawn(cmd=["bash", "-c", f"{DAEMONS}; read -r word; echo $word"], stdin=-1, env={"TMPDIR": str(place)})
    running.read_until(b"ready")
    _, keeper, tree = tree_of(running)
    os.kill(keeper, signal.SIGKILL)
    assert running.wait(stdin=b"on\n").assert_ok().out.endswith("on\n")
    assert gone_within(tree, 2) and not private_folders(place)


def test_what_three_killed_at_once_leave_is_swept_by_the_next_run(shared, place):
    options = {"env": {"TMPDIR": str(place)}}
    running = shared.spawn(cmd=["/usr/bin/python3", "-c", "import os, time; os.chdir(os.environ['HOME']);"
                                "open('file', 'w'); print('ready', flush=True); time.sleep(60)"], **options)
    running.read_until(b"ready")
    init, keeper, tree = tree_of(running)
    os.kill(running.pid, signal.SIGSTOP)
    for pid in (keeper, init):
        os.kill(pid, signal.SIGKILL)
    running.kill()
    running.process.wait()
    assert gone_within(tree, 2)  # the command itself dies with init
    assert len(private_folders(place)) == 1
    shared.run(cmd=["true"], **options).assert_ok()
    assert not private_folders(place)


@pytest.mark.needs("cgroup-v2", "cgroup:memory")
def test_what_outlives_init_and_keeper_ends_with_the_run(shared):
    """The kernel looks for the largest when the limit is reached, and both are larger than what the payload can be:
    memory that is in a file counts for nobody. The command itself dies with init, the others are in the group."""
    run = shared.run(cmd=["/usr/bin/python3", "-c", OUTLIVES], flags=["--memory", "64M"], timeout=60)
    assert run.status == "oom" and run.code == 137 and run.result["memory"]["oom_kills"] >= 2, run
    others = [int(word) for word in run.out.split()]
    assert len(others) == 3 and gone_within(others, 2), others


@pytest.mark.parametrize("number", range(10))
def test_a_supervisor_killed_while_it_sets_up(shared, number):
    running = shared.spawn(cmd=["sleep", "60"], result=False)
    time.sleep(0.05 + number / 500)  # the host of the test is made by Python, which takes that long
    running.kill()
    running.process.wait()
