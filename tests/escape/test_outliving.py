"""The payload does not outlive the run, however the run ends."""
import os
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from escape.attacks import ESCAPED
from support import cgroups


@pytest.fixture
def mark():
    """A word on the payload's command line, by which the host finds it and all that it forked."""
    return f"mark-{uuid.uuid4()}"


def marked(mark):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes() and path.parent.name != str(os.getpid()):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def gone_within(mark, seconds):
    """A process that forks and ends while /proc is being read is missed by one look, not by three."""
    deadline, empty = time.monotonic() + seconds, 0
    while empty < 3:
        empty = 0 if marked(mark) else empty + 1
        if empty == 0 and time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def seen_within(mark, seconds):
    deadline = time.monotonic() + seconds
    while not marked(mark):
        if time.monotonic() > deadline:
            return False
    return True


def test_a_daemon_that_holds_stdout_ends_with_the_payload(sbx, probe, mark):
    sbx.cwd.chmod(0o777)
    run = sbx.run(flags=[*probe.flags, "--workspace", ".:rw"],
                  cmd=[probe.path, "daemonise", "1500", "/workspace/alive", mark])
    assert run.code == 0 and run.seconds < 1.4, run
    assert gone_within(mark, 2)
    time.sleep(max(0, 2 - run.seconds))  # past the moment at which it would have written
    assert not (sbx.cwd / "alive").exists()


def test_control_a_daemon_outlives_its_parent_without_a_sandbox(probe, mark, tmp_path):
    alive = tmp_path / "alive"
    subprocess.run([probe.host_path, "daemonise", "1500", alive, mark], check=True, stdout=subprocess.DEVNULL)
    assert seen_within(mark, 1)
    assert gone_within(mark, 5)
    assert alive.exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT],
                         ids=lambda n: n.name)
def test_a_daemon_ends_when_the_supervisor_is_told_to(sbx, probe, mark, number):
    running = sbx.spawn(flags=probe.flags, cmd=["sh", "-c", f"{probe.path} daemonise 60000 /tmp/x {mark}; echo settled; exec sleep 60"])
    # Not before: a shell that gets SIGINT while its child ends in peace goes on with the next command.
    running.read_until(b"settled")
    running.signal(number)
    running.wait(timeout=20)
    assert gone_within(mark, 2)


def groups():
    return cgroups.groups_of_runs()


def start(program, probe, mark, **options):
    running = program.spawn(flags=[*probe.flags, "--timeout", "none"],
                            cmd=[probe.path, "ignore-signals", "20000", mark], result=False, **options)
    running.read_until(b"ready")
    return running


def test_a_killed_supervisor_takes_the_tree_with_it(sbx, probe, mark):
    before = groups()
    running = start(sbx, probe, mark)
    assert len(marked(mark)) >= 2
    running.kill()
    running.process.wait()
    assert gone_within(mark, 2)
    sbx.run(cmd=["true"]).assert_ok()  # the next run sweeps
    assert groups() == before


def test_control_without_the_death_signal_the_tree_stays(weakened, probe, mark):
    running = start(weakened, probe, mark, env={"SBX_TEST_WITHOUT": "die_with_supervisor"})
    running.kill()
    running.process.wait()
    left = not gone_within(mark, 2)
    for pid in marked(mark):
        os.kill(pid, signal.SIGKILL)
    assert left, "the tree ended by itself"
    assert gone_within(mark, 5)


@pytest.mark.parametrize("round_number", range(int(os.environ.get("SBX_TEST_KILLS", "20"))))
def test_a_supervisor_killed_while_it_sets_up(sbx, probe, mark, round_number):
    """At 20 moments of the first 20 ms, which is when the plan is carried out."""
    running = sbx.spawn(flags=[*probe.flags, "--timeout", "none"], cmd=[probe.path, "ignore-signals", "20000", mark],
                        result=False)
    deadline = time.monotonic() + round_number / 1000
    while time.monotonic() < deadline:
        pass
    running.kill()
    running.process.wait()
    assert gone_within(mark, 2)


def test_a_stopped_payload_ends_with_its_deadline(sbx):
    run = sbx.run(flags=["--timeout", "1s"], cmd=["sh", "-c", "kill -STOP $$"])
    assert run.status == "timeout" and run.seconds < 4, run


def test_processes_that_fork_on_do_not_survive_the_payload(sbx, probe, mark):
    """A chain of short-lived processes, each of which forks the next before it ends."""
    script = f"hop() {{ sleep 0.01; hop {mark} & }}; hop {mark} & sleep 0.2"
    run = sbx.run(cmd=["bash", "-c", script])
    assert run.code == 0 and run.seconds < 5, run
    assert gone_within(mark, 2)


def test_probe_stays_to_its_end_when_nobody_ends_it(probe, mark):
    run = subprocess.run([probe.host_path, "ignore-signals", "100", mark], capture_output=True)
    assert run.returncode == ESCAPED
