"""A limit that the supervisor looks after itself, and no descriptor for a look: nobody is told that it was kept."""
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

SOCKETS = "import socket, time; held = [socket.socket() for _ in range(40)]; print('held', flush=True); time.sleep(30)"


def take_descriptors(pid):
    """From now on this process opens nothing; what it has open stays."""
    taken = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    free = next(number for number in range(len(taken) + 1) if number not in taken)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))


@pytest.mark.needs("cgroup:memory")
def test_the_run_ends(sbx):
    with subprocess.Popen([sbx.binary, "run", "--workspace", "none", "--memory", "64M", "--result", "result", "--",
                           "/usr/bin/python3", "-S", "-c", SOCKETS], cwd=sbx.cwd, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout.readline() == "held\n"
        take_descriptors(run.pid)
        err = run.communicate(timeout=20)[1]
    assert run.returncode == 125 and err == "sbx: cannot look at what the command uses: Too many open files\n", err
    result = json.loads((sbx.cwd / "result").read_text())
    assert result["status"] == "internal_error" and "cannot look" in result["reason"]["text"], result


# As an ordinary user, in whose /proc there are only that user's own processes.
HIDDEN = """
mount -t proc -o hidepid=$1 proc /proc || exit 99
shift
exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
"""


def hidden_by(hidepid, binary, *flags, before=()):
    """What a run is told of what it cannot see, by an ordinary user for whom /proc hides others' processes."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to others
        os.chmod(folder, 0o755)
        done = subprocess.run([*before, "unshare", "--mount", "sh", "-c", HIDDEN, "sh", hidepid, binary, "run", *flags,
                               "--workspace", "none", "--json", "--", "sleep", "0.4"], cwd=folder, capture_output=True,
                              text=True, env={"PATH": os.environ["PATH"]}, timeout=60, check=False)
    assert done.returncode == 0, done
    result = json.loads(done.stdout)
    return result, [line for line in result["warnings"] if "hidepid" in line]


@pytest.mark.needs("root")
@pytest.mark.parametrize("hidepid, hidden", [("0", False), ("1", True), ("2", True)])
def test_processes_that_proc_hides_are_told(sbx_binary, hidepid, hidden):
    assert len(hidden_by(hidepid, sbx_binary, "--degrade", "cgroup")[1]) == hidden


@pytest.mark.needs("root", "cgroup:memory")
@pytest.mark.parametrize("hidepid, hidden", [("0", False), ("1", True), ("2", True)])
def test_sockets_that_proc_hides_are_told(sbx_binary, hidepid, hidden):
    """A group counts memory then, but not what sockets keep."""
    delegate = [sys.executable, "-B", str(Path(__file__).parent.parent / "support/delegate.py"), "--owner", "65534", "--"]
    result, told = hidden_by(hidepid, sbx_binary, before=delegate)
    assert "memory" in result["isolation"]["enforced"] and len(told) == hidden, result
    assert all("their sockets" in line for line in told), told
