"""Signals sent to sbx reach the payload; a payload that does not heed them ends all the same."""
import json
import os
import signal
import subprocess
import threading
import time

import pytest

from support import cgroups
from support.leftovers import descendants
from support.terminal import read_until
from support.waiting import children_of, cpu_seconds, state_of, wait_until

ASKING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
DEAF = "trap '' INT TERM HUP QUIT; echo ready; while :; do sleep 0.05; done"


def start(sbx, script, *flags, shell="bash", **options):
    running = sbx.spawn(flags=flags, cmd=[shell, "-c", script], **options)
    running.read_until(b"ready")
    return running


@pytest.mark.parametrize("number", ASKING, ids=lambda n: n.name)
def test_a_signal_reaches_the_payload(sbx, number):
    name = number.name.removeprefix("SIG")
    # In the background: bash loses, once in some thousands, the SIGINT that comes as it begins to wait for a command.
    running = start(sbx, f"trap 'echo got {name}; exit 7' {name}; echo ready; while :; do sleep 0.05 & wait; done")
    running.signal(number)
    run = running.wait().assert_nonzero(7)
    assert f"got {name}" in run.out


@pytest.mark.parametrize("number", ASKING, ids=lambda n: n.name)
def test_a_payload_that_ends_by_it_was_interrupted(sbx, number):
    # Not bash: it ignores SIGQUIT itself until it has become sleep.
    running = start(sbx, "echo ready; exec sleep 30", shell="sh")
    running.signal(number)
    run = running.wait().assert_status("interrupted", 128 + number)
    assert run.result["signal"] == number and number.name in run.result["reason"]["text"]
    assert run.seconds < 5


# Not a shell's trap: bash loses, once in some hundreds, a signal that comes soon after the one before.
COUNTING = """
import signal
heard = {signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM}
signal.pthread_sigmask(signal.SIG_BLOCK, heard)
print("ready", flush=True)
while (number := signal.sigwait(heard)) != signal.SIGTERM:
    print("got", number.name, flush=True)
raise SystemExit(7)
"""


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2], ids=lambda n: n.name)
def test_the_users_own_signals_are_the_payloads(sbx, number):
    running = sbx.spawn(cmd=["/usr/bin/python3", "-c", COUNTING])
    running.read_until(b"ready")
    for _ in range(2):  # the second one is no reason to end
        running.signal(number)
        running.read_until(f"got {number.name}\n".encode())
    running.signal(signal.SIGTERM)
    running.wait().assert_nonzero(7)
    deadly = start(sbx, "echo ready; exec sleep 30", shell="sh")
    deadly.signal(number)
    assert deadly.wait().assert_status("signal", 128 + number).result["signal"] == number


@pytest.mark.parametrize("first", ASKING, ids=lambda n: n.name)
def test_the_second_signal_kills(sbx, first):
    running = start(sbx, DEAF)
    running.signal(first)
    time.sleep(0.3)
    assert running.process.poll() is None
    running.signal(signal.SIGTERM)
    run = running.wait(timeout=5)
    assert run.status == "interrupted" and run.result["signal"] == signal.SIGKILL, run


def test_a_payload_deaf_to_sigterm_is_killed_after_a_while(sbx):
    running = start(sbx, DEAF)
    running.signal(signal.SIGTERM)
    run = running.wait(timeout=10)
    assert run.status == "interrupted" and 1.5 < run.seconds < 8, run


def test_children_of_the_payload_get_the_signal_too(sbx):
    running = start(sbx, "trap : TERM; sh -c 'trap \"echo child\" TERM; echo ready; while :; do sleep 0.05; done' & wait; wait")
    running.signal(signal.SIGTERM)
    running.read_until(b"child")
    running.signal(signal.SIGTERM)
    running.wait(timeout=10)


def stands_still(pid):
    try:
        return state_of(pid)[0] in "TZX" or cgroups.is_frozen(pid)
    except FileNotFoundError:  # it has ended
        return True


@pytest.fixture
def job(sbx):
    """job(script, *flags): sbx as a job of ours, in a process group that can be stopped (setpgid(2))."""
    started = []

    def start_job(script, *flags):
        argv = [sbx.binary, "run", *sbx.degraded, *flags, "--", "bash", "-c", script]
        process = subprocess.Popen(argv, cwd=sbx.cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, process_group=0)
        started.append(process)
        read_until(process.stdout.fileno(), b"ready", 20)
        process.send_signal(signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGTSTP
        # The group is frozen, or init stops the others when it gets a processor.
        inits = children_of(process.pid)
        wait_until(lambda: all(stands_still(pid) for pid, _ in descendants(process.pid) if str(pid) not in inits),
                   "the payload goes on while sbx is stopped")
        return process

    yield start_job
    for process in started:
        process.stdout.close()
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(10)


def test_stop_and_continue(job):
    process = job("echo ready; i=0; while [ $i -lt 1000 ]; do sleep 0.02; echo tick; i=$((i+1)); done")
    fd = process.stdout.fileno()
    os.set_blocking(fd, False)
    process.stdout.read(65536)  # what came before it stopped
    time.sleep(0.3)
    assert not process.stdout.read(65536), "the payload goes on while sbx is stopped"
    process.send_signal(signal.SIGCONT)
    read_until(fd, b"tick", 10)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 128 + signal.SIGINT


def test_time_spent_stopped_is_no_time_of_the_limit(job):
    process = job("echo ready; sleep 0.6; echo through", "--timeout", "1500ms")
    time.sleep(2)
    process.send_signal(signal.SIGCONT)
    read_until(process.stdout.fileno(), b"through", 10)
    assert process.wait(10) == 0


def test_who_writes_all_the_time_is_not_idle_after_a_stop(job):
    process = job("echo ready; timeout 1 yes > /dev/stderr; echo through", "--idle", "700ms")
    time.sleep(1.5)
    process.send_signal(signal.SIGCONT)
    read_until(process.stdout.fileno(), b"through", 10)
    assert process.wait(10) == 0


# A SIGCONT that the kernel sends for a timer undoes a SIGSTOP. Says where its time has gaps.
WAKES_ITSELF = """
import ctypes, signal, time
signal.signal(signal.SIGCONT, lambda *_: None)
libc = ctypes.CDLL(None, use_errno=True)
event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0)  # struct sigevent: a value, a signal, SIGEV_SIGNAL
timer = ctypes.c_void_p()
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 20_000_000, 0, 20_000_000), None) == 0
last, longest, end = time.monotonic(), 0, time.monotonic() + 3
print("ready", flush=True)
while time.monotonic() < end:
    now = time.monotonic()
    longest, last = max(longest, now - last), now
print("longest", longest)
"""


@pytest.mark.needs("cgroup")
def test_who_wakes_itself_stands_still_all_the_same(job):
    process = job(f"exec /usr/bin/python3 -I -S -c '{WAKES_ITSELF}'")
    time.sleep(1.5)
    process.send_signal(signal.SIGCONT)
    out = read_until(process.stdout.fileno(), b"longest", 10) + process.stdout.read()
    assert float(out.split(b"longest")[1]) > 1, out
    assert process.wait(10) == 0


@pytest.mark.parametrize("second", [signal.SIGHUP, signal.SIGTERM], ids=lambda n: n.name)
def test_a_terminal_that_goes_away_leaves_the_grace_time(sbx, second):
    running = start(sbx, "trap 'sleep 0.3; echo saved; exit 3' HUP; trap '' TERM; echo ready; while :; do sleep 0.05; done")
    running.signal(signal.SIGHUP)
    time.sleep(0.05)
    running.signal(second)
    assert "saved" in running.wait(timeout=10).assert_nonzero(3).out


def test_a_stop_without_job_control_is_ignored(sbx):
    """Nobody could continue an orphaned process group, so the kernel does not stop it (setpgid(2))."""
    running = start(sbx, "echo ready; sleep 0.3; echo through")
    running.signal(signal.SIGTSTP)
    assert "through" in running.wait(timeout=10).assert_ok().out


def test_who_is_forked_meanwhile_goes_on_as_well(sbx):
    """The kernel gives it the stop that went to all, and not what made all of them go on."""
    forks = "import os, time\nend = time.monotonic() + 0.3\nprint('ready', flush=True)\n" \
            "while time.monotonic() < end:\n    if os.fork() == 0: os._exit(0)\n    os.wait()\nprint('through')"
    for _ in range(25):
        running = sbx.spawn("python", cmd=["/usr/bin/python3", "-I", "-S", "-c", forks])
        running.read_until(b"ready")
        running.signal(signal.SIGTSTP)
        assert "through" in running.wait(timeout=5).assert_ok().out


def test_a_deaf_payload_at_its_limit_gets_sigterm_grace_and_sigkill(sbx):
    run = sbx.run(flags=["--timeout", "300ms", "--grace", "700ms"], cmd=["bash", "-c", DEAF], events=True)
    run.assert_status("timeout", 124)
    assert 1.0 <= run.seconds < 5
    sent = [(e["signal"], e["reason"]) for e in run.events if e["type"] == "signal_sent"]
    assert sent == [(signal.SIGTERM, "wall_limit"), (signal.SIGKILL, "wall_limit")]


def test_nobody_is_busy_in_the_grace(sbx):
    """What sbx looks at now and then of a run is due in its grace as well."""
    running = sbx.spawn(flags=["--timeout", "300ms", "--grace", "3s"], cmd=["bash", "-c", DEAF.replace("''", "'echo told'")])
    running.read_until(b"told")
    before = cpu_seconds(running.pid)
    time.sleep(2)
    assert cpu_seconds(running.pid) - before < 0.5, "it waited in a loop"
    running.wait().assert_status("timeout", 124)


def test_a_payload_that_uses_its_grace_can_tidy_up(sbx):
    script = "trap 'echo tidied; exit 5' TERM; while :; do sleep 0.05; done"
    run = sbx.run(flags=["--timeout", "300ms", "--grace", "5s"], cmd=["bash", "-c", script])
    run.assert_status("timeout", 124)
    assert "tidied" in run.out and run.seconds < 4 and run.result["exit_code"] == 5


def test_a_signal_that_the_caller_ignores_is_not_ignored_inside(sbx):
    """nohup, and shells that start background jobs, ignore signals on purpose; the payload starts fresh."""
    running = sbx.spawn(cmd=["grep", "-E", "SigIgn|SigBlk", "/proc/self/status"])
    run = running.wait().assert_ok()
    assert run.out == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"


def test_a_signal_from_inside_does_not_reach_the_supervisor(sbx):
    """pid 1 is init, which takes no orders from the payload."""
    script = "for s in TERM INT HUP QUIT USR1 KILL STOP; do kill -$s 1; done; kill -TERM -1; echo alive"
    run = sbx.run(cmd=["bash", "-c", f"trap : TERM; {script}"]).assert_ok()
    assert "alive" in run.out


def test_a_signal_during_the_set_up_ends_the_run(sbx):
    for delay in (0, 0.001, 0.002, 0.004):
        running = sbx.spawn(cmd=["sleep", "20"])
        time.sleep(delay)
        running.signal(signal.SIGTERM)
        run = running.wait(timeout=10)
        # Before sbx watches for signals, it dies of this one like any program.
        assert run.code in (128 + signal.SIGTERM, -signal.SIGTERM), run


def test_a_signal_after_the_command_has_ended_takes_no_result_away(sbx):
    """Long is the time between the end of a run and its result file where the result has much in it."""
    path = sbx.cwd / "result.json"
    running = sbx.spawn(flags=["--json", "--result", path], cmd=["head", "-c", "9M", "/dev/zero"], result=False)
    held, status = False, f"/proc/{running.process.pid}/status"
    reader = threading.Thread(target=running.process.stdout.read, daemon=True)
    reader.start()
    while running.process.poll() is None:
        with open(status) as lines:
            blocked = next((int(line.split()[1], 16) for line in lines if line.startswith("SigBlk")), 0)
        if blocked >> signal.SIGINT - 1 & 1:
            held = True
        elif held:
            running.signal(signal.SIGINT)  # it can end sbx now
            break
    running.process.wait(10)
    reader.join(10)
    assert held and json.loads(path.read_text())["status"] == "ok"
