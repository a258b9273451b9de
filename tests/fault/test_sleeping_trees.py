"""What no cgroup counts is looked after at /proc: a command that sleeps costs little, and does not get away with it."""
import os
import subprocess
import time
from pathlib import Path

import pytest
from fault import hosts
from support import slow
from support.leftovers import descendants
from support.waiting import wait_until

NO_CGROUP = hosts.empty_cgroup_mount
# More than a tree could fill between two looks.
AMPLE = f"{4 * (os.cpu_count() or 1)}G"
SECONDS = 2
DEGRADED = ["--degrade", "cgroup"]


def argv(sbx, memory, script, *flags):
    return [sbx.binary, "run", *flags, "--workspace", "none", "--memory", memory, "--result", "result", "--",
            "bash", "-c", script]


def wakes(sbx, script, *flags, host=NO_CGROUP):
    """How often the supervisor wakes in a second of the command's."""
    with subprocess.Popen(argv(sbx, AMPLE, "echo; " + script, *flags), cwd=sbx.cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, preexec_fn=host) as run:
        run.stdout.readline()
        if "exec sleep" in script:
            wait_until(lambda: "sleep" in descendants(run.pid).values(), "the command sleeps")
        before = switches(run.pid)
        time.sleep(SECONDS)
        after = switches(run.pid)
        run.terminate()
    return (after - before) / SECONDS


def switches(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("voluntary_ctxt_switches")).split()[1])


def test_a_sleeping_command_is_looked_at_ten_times_a_second(sbx):
    assert wakes(sbx, "exec sleep 30", *DEGRADED) <= 15


def test_control_one_that_works_is_looked_at_more_often(sbx):
    assert wakes(sbx, "while :; do read -t 0.005 <> <(:); done", *DEGRADED) > 20 / slow.FACTOR


@pytest.mark.parametrize("slept", ["0", "0.7"])
def test_one_that_has_slept_ends_at_the_limit_all_the_same(sbx, slept):
    done = subprocess.run(argv(sbx, "64M", f"sleep {slept}; head -c 600M /dev/zero | tail; sleep 30", *DEGRADED), cwd=sbx.cwd,
                          capture_output=True, preexec_fn=NO_CGROUP, timeout=60, check=False)
    assert done.returncode == 137, done


@pytest.mark.needs("cgroup:memory")
def test_one_without_sockets_is_looked_at_once_a_second(sbx):
    assert wakes(sbx, "exec sleep 30", host=None) <= 2


@pytest.mark.needs("cgroup:memory")
def test_control_one_with_a_socket_is_looked_at_more_often(sbx):
    assert wakes(sbx, "exec 3<>/dev/udp/127.0.0.1/9; exec sleep 30", host=None) >= 3
