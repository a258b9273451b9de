"""A terminal is always a fresh one: sized, resized, raw outside, with job control inside."""
import json
import os
import signal
import termios
import time

import pytest


def test_inside_there_is_a_terminal_when_the_caller_has_one(sbx):
    run = sbx.run(cmd=["sh", "-c", "test -t 0 && test -t 1 && test -t 2 && tty"], tty=True).assert_ok()
    assert "/dev/pts/" in run.out


def test_it_is_the_only_one_and_not_the_callers(sbx):
    running = sbx.spawn(cmd=["sh", "-c", "stat -c %d $(tty); ls /dev/pts"], tty=True)
    device, *names = running.wait().assert_ok().out.split()
    assert names == ["0", "ptmx"]
    assert int(device) != os.stat("/dev/pts").st_dev


def test_without_a_terminal_there_is_none(sbx):
    run = sbx.run(cmd=["sh", "-c", "test -t 0 || test -t 1 || test -t 2 || tty; exec 3</dev/tty"])
    assert run.code != 0 and "not a tty" in run.out and "/dev/tty" in run.err


@pytest.mark.parametrize("flag,expected", [("--no-tty", "no"), ("--tty", "yes")])
def test_flags_decide(sbx, flag, expected):
    run = sbx.run(flags=[flag], cmd=["sh", "-c", "if [ -t 1 ]; then echo yes; else echo no; fi"], tty=flag == "--no-tty")
    assert run.code == 0 and expected in run.out, run


def test_its_size_is_the_callers_from_the_first_look(sbx):
    for _ in range(20):
        run = sbx.run(cmd=["stty", "size"], tty=True).assert_ok()
        assert run.out == "24 80\r\n"


def test_without_a_terminal_of_the_callers_it_has_the_usual_size_from_the_first_look(sbx):
    for _ in range(20):
        run = sbx.run(flags=["--tty"], cmd=["stty", "size"]).assert_ok()
        assert run.out == "24 80\r\n"


def test_it_is_resized_with_the_callers(sbx):
    running = sbx.spawn(cmd=["bash", "-c", "trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done"], tty=True)
    running.read_until(b"ready")
    running.tty.resize(132, 50)
    running.read_until(b"50 132")
    running.signal(signal.SIGTERM)
    running.wait()


def test_the_callers_terminal_is_raw_during_the_run_and_as_before_after_it(sbx):
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; read line"], tty=True)
    running.read_until(b"ready")
    during = termios.tcgetattr(running.tty.fd)
    assert not during[3] & (termios.ICANON | termios.ECHO)
    running.tty.write(b"\n")
    assert running.process.wait(20) == 0
    after = termios.tcgetattr(running.tty.fd)
    assert after[3] & termios.ICANON and after[3] & termios.ECHO


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
def test_the_callers_terminal_is_restored_after_a_signal(sbx, number):
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; exec sleep 20"], tty=True)
    running.read_until(b"ready")
    running.signal(number)
    assert running.process.wait(20) == 128 + number
    assert termios.tcgetattr(running.tty.fd)[3] & termios.ICANON


def test_what_is_typed_arrives_and_is_echoed_once(sbx):
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; read line; echo \"<$line>\""], tty=True)
    running.read_until(b"ready")
    running.tty.write(b"typed words\n")
    run = running.wait().assert_ok()
    assert run.out.count("typed words") == 2 and "<typed words>" in run.out


def test_control_c_interrupts_the_payload_only(sbx):
    running = sbx.spawn(cmd=["bash", "-c", "trap 'echo caught; exit 9' INT; echo ready; while :; do sleep 0.05 & wait; done"], tty=True)
    running.read_until(b"ready")
    running.tty.write(b"\x03")
    run = running.wait().assert_nonzero(9)
    assert "caught" in run.out


def test_control_d_ends_the_input(sbx):
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; cat; echo at the end"], tty=True)
    running.read_until(b"ready")
    running.tty.write(b"\x04")
    assert "at the end" in running.wait().assert_ok().out


def test_job_control_works_in_a_shell(sbx):
    running = sbx.spawn("shell", cmd=["bash", "--norc", "-i"], tty=True, env={"PS1": "$ "})
    running.tty.write(b"sleep 300\n")
    time.sleep(0.7)
    running.tty.write(b"\x1a")
    running.read_until(b"Stopped")
    running.tty.write(b"jobs; kill -9 %1; fg; echo still $((40+2)); exit 4\n")
    running.read_until(b"still 42")
    assert running.wait().code == 4


def test_stdin_from_a_pipe_needs_no_terminal(sbx):
    assert sbx.run(cmd=["sh", "-c", "tty; cat"], stdin=b"words").out == "not a tty\nwords"


def test_the_end_of_a_flood_arrives(sbx):
    run = sbx.run(cmd=["sh", "-c", "seq 20000; echo the-end"], tty=True).assert_ok()
    assert run.out.endswith("the-end\r\n") and "\r\n19999\r\n20000\r\n" in run.out


def test_a_terminal_that_hangs_up_ends_the_run(sbx):
    running = sbx.spawn(cmd=["sh", "-c", "echo ready; exec sleep 60"], tty=True)
    running.read_until(b"ready")
    os.close(running.tty.fd)
    running.tty.fd = os.open("/dev/null", os.O_RDWR)
    assert running.process.wait(20) in (128 + signal.SIGHUP, -signal.SIGHUP)


SCREEN = r"printf '\033[?1049h\033[?25l\033[?2004h\033=ready'; "


@pytest.mark.parametrize("end", ["limit", "signal", "kill", "own signal"])
def test_what_a_program_has_switched_on_is_put_back_when_it_is_ended(sbx, end):
    """Before sbx says why, which would be on the screen that goes."""
    flags = ["--timeout", "1s"] if end == "limit" else []
    running = sbx.spawn(flags=flags, cmd=["sh", "-c", SCREEN + ("kill -KILL $$" if end == "own signal" else "exec sleep 20")], tty=True)
    seen = b""
    if end in ("signal", "kill"):
        seen = running.read_until(b"ready")
    if end == "signal":
        running.signal(signal.SIGTERM)
    if end == "kill":
        assert sbx.call("kill", running_id(sbx)).code == 0
    run = running.wait()
    rest = (seen + run.stdout).partition(b"ready")[2]
    back = b"\x1b>\x1b[?2004l\x1b[?1049l\x1b[?25h"
    assert rest.startswith(back) and rest.count(b"\x1b") == 4, run
    if end == "limit":
        assert b"sbx: " in rest.removeprefix(back), run


def running_id(sbx):
    return json.loads(sbx.call("ps", "--json").out)[0]["id"]


def test_what_a_program_leaves_on_the_screen_when_it_ends_by_itself_is_meant(sbx):
    for code in (0, 3):
        run = sbx.run(cmd=["sh", "-c", SCREEN + f"exit {code}"], tty=True)
        assert run.code == code and run.stdout.partition(b"ready")[2] == b"", run


def test_nothing_is_put_back_in_what_is_no_terminal(sbx):
    run = sbx.run(flags=["--tty", "--timeout", "1s"], cmd=["sh", "-c", SCREEN + "exec sleep 20"])
    assert run.code == 124 and run.stdout.endswith(b"ready"), run
    run = sbx.spawn(flags=["--timeout", "1s"], cmd=["sh", "-c", SCREEN + "exec sleep 20"], tty=True, json=True).wait()
    assert run.code == 124 and "\x1b" not in run.out and json.loads(run.out.splitlines()[0])["output"]["stdout"]["text"].endswith("ready"), run


def test_nothing_is_put_back_that_was_not_changed(sbx):
    run = sbx.run(flags=["--timeout", "1s"], cmd=["sh", "-c", "printf '\\033[31mred\\033[0m ready'; exec sleep 20"], tty=True)
    assert run.code == 124 and run.stdout.partition(b"ready")[2].count(b"\x1b") == 0, run
