"""What a run could not deliver is told, in a line and by its exit code."""
import json
import os
import resource
import select
import subprocess
import time

import pytest

from support import cgroups, leftovers, slow
from support.waiting import cpu_seconds, wait_until

SPEAKS = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i; head -c 100 /dev/zero | tr '\\0' x; sleep 0.01; done"


def told(run, text):
    """125 in place of 0; the result says how the command itself ended."""
    assert run.code == 125 and run.status == "ok" and run.result["exit_code"] == 0, run
    assert f"sbx: the events could not be written: {text}" in run.err, run


def test_events_that_find_no_room_are_told(sbx):
    told(sbx.run(flags=["--events", "/dev/full"], cmd=["true"]), "No space left on device")


def test_a_code_of_the_commands_own_stands(sbx):
    run = sbx.run(flags=["--events", "/dev/full"], cmd=["sh", "-c", "exit 3"]).assert_nonzero(3)
    assert "sbx: the events could not be written: No space left on device" in run.err


def test_a_reader_of_the_events_that_leaves_is_told(sbx):
    fifo = sbx.cwd / "events"
    os.mkfifo(fifo)
    running = sbx.spawn(flags=["--events", "events"], cmd=["sh", "-c", "echo go; read end; echo more"],
                        stdin=subprocess.PIPE)
    with open(fifo) as reader:
        assert json.loads(reader.readline())["type"] == "start"
    told(running.wait(b"end\n"), "their reader has gone")


def test_a_reader_of_the_events_that_stays_until_the_result_may_leave(sbx):
    fifo = sbx.cwd / "events"
    os.mkfifo(fifo)
    running = sbx.spawn(flags=["--events", "events"], cmd=["echo", "hi"])
    with open(fifo) as reader:
        types = []
        while "result" not in types:
            types.append(json.loads(reader.readline())["type"])
    run = running.wait().assert_ok()
    assert run.err == ""


def test_a_reader_of_the_events_that_takes_nothing_is_told(sbx):
    ours, theirs = os.pipe()
    run = sbx.run(flags=["--events", f"fd:{theirs}"], cmd=["sh", "-c", "head -c 200000 /dev/zero"], pass_fds=[theirs])
    os.close(ours)
    os.close(theirs)
    told(run, "their reader took nothing for 5 seconds")


def test_a_reader_of_the_events_that_took_nothing_in_the_run_has_its_time_at_the_end(sbx):
    ours, theirs = os.pipe()
    process = unread(sbx, ["--events", f"fd:{theirs}"], ["sh", "-c", "head -c 300000 /dev/zero; sleep 6"],
                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=[theirs])
    os.close(theirs)
    wait_until(lambda: leftovers.descendants(process.pid), "the sandbox")
    wait_until(lambda: not leftovers.descendants(process.pid), "the end of the sandbox", 20 * slow.FACTOR)
    with open(ours) as reader:
        assert json.loads(list(reader)[-1])["type"] == "result"
    assert code_of(process) == 0 and rest_of(process.stderr) == b""


@pytest.mark.parametrize("room", [1000, 1001, 1002])
def test_a_file_of_events_that_is_full_has_whole_lines(sbx, room):
    """The size that a file may have ends in the middle of a line, wherever that is."""
    before = "{}\n" * 500_000  # what else is written meanwhile is smaller
    with open(sbx.cwd / "e.jsonl", "w") as file:
        file.write(before)
        file.flush()
        room += len(before)
        command = [sbx.binary, "run", *sbx.degraded, "--events", f"fd:{file.fileno()}", "--", "sh", "-c", SPEAKS]
        run = subprocess.run(
            command, cwd=sbx.cwd, pass_fds=[file.fileno()], capture_output=True, timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    assert run.returncode == 125, run
    assert b"sbx: the events could not be written: File too large" in run.stderr, run
    text = (sbx.cwd / "e.jsonl").read_text()
    assert room - 200 < len(text) <= room and text.startswith(before) and text.endswith("}\n")
    events = [json.loads(line) for line in text[len(before):].splitlines()]
    assert [event["seq"] for event in events] == list(range(len(events)))


@pytest.mark.needs("userns")
@pytest.mark.parametrize("room", [0, 100, 2000])
def test_a_limit_on_the_size_of_files_is_an_error_and_no_end(sbx, room):
    run = subprocess.run([sbx.binary, "run", *sbx.degraded, "--result", "r.json", "--", "true"], cwd=sbx.cwd, capture_output=True,
                         timeout=60, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
    assert run.returncode == 125 and b"EFBIG" in run.stderr and b"ulimit -f" in run.stderr, run
    found = os.listdir(sbx.cwd)
    assert found == (["r.json"] if room == 2000 else []), found
    if found:
        assert json.loads((sbx.cwd / "r.json").read_text())["status"] == "setup_error"


ENDLESS = ["sh", "-c", "yes >&2"]
DROPPED = b"the rest of the output was dropped: its reader took nothing for 5 seconds"


def unread(sbx, flags, cmd, **streams):
    """sbx with pipes for its streams that the test reads, or does not."""
    argv = [sbx.binary, "run", *sbx.degraded, *flags, "--", *cmd]
    return subprocess.Popen(argv, cwd=sbx.cwd, stdin=subprocess.DEVNULL, **streams)


def code_of(process):
    try:
        return process.wait(timeout=20 * slow.FACTOR)
    except subprocess.TimeoutExpired:
        process.terminate()
        raise


def rest_of(pipe):
    with pipe:
        return pipe.read()


def is_full(pipe):
    """Has nobody room to write into it? Not a matter of bytes: a page that was read in part is still taken."""
    writer = os.open(f"/proc/self/fd/{pipe.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        return not select.select([], [writer], [], 0)[1]
    finally:
        os.close(writer)


@pytest.mark.parametrize("flags", [["--result", "r.json"], ["--stderr-limit", "1G"], []],
                         ids=["result", "cap", "passed"])
def test_a_stream_that_nobody_reads_does_not_keep_a_run_from_its_limit(sbx, flags):
    """sbx has something to say there as well, and cannot."""
    process = unread(sbx, ["--timeout", "500ms", *flags], ENDLESS, stderr=subprocess.PIPE)
    assert code_of(process) == 124
    assert set(rest_of(process.stderr)) == set(b"y\n")
    if "--result" in flags:
        assert json.loads((sbx.cwd / "r.json").read_text())["status"] == "timeout"


def test_what_nobody_reads_is_dropped_and_told(sbx):
    process = unread(sbx, ["--timeout", "500ms", "--stdout-limit", "1G"], ["yes"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    assert code_of(process) == 124
    assert DROPPED in rest_of(process.stderr)
    process.stdout.close()


def test_an_interrupted_run_does_not_wait_for_who_reads_nothing(sbx):
    process = unread(sbx, ["--stdout-limit", "1G"], ["sh", "-c", "trap 'exit 3' TERM; echo go; yes & wait"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert os.read(process.stdout.fileno(), 3) == b"go\n"
    wait_until(lambda: is_full(process.stdout), "a full pipe")
    process.terminate()
    assert code_of(process) == 3
    assert DROPPED in rest_of(process.stderr)
    process.stdout.close()


def test_a_reader_that_takes_something_now_and_then_gets_all_of_it(sbx):
    """Of a run that was ended, too: it is judged by its last reading, not by the end of the run."""
    process = unread(sbx, ["--timeout", "300ms", "--stdout-limit", "1G"], ["yes"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    wait_until(lambda: is_full(process.stdout), "a full pipe")
    seen = b""
    for _ in range(3):
        time.sleep(3)  # a slow reader; together more than it may be silent at once
        seen += os.read(process.stdout.fileno(), 8192)
    seen += rest_of(process.stdout)
    assert code_of(process) == 124
    assert DROPPED not in rest_of(process.stderr)
    assert len(seen) > 100_000 and set(seen) == set(b"y\n")


def test_a_command_that_ended_by_itself_is_waited_for(sbx):
    process = unread(sbx, ["--stdout-limit", "1G"], ["head", "-c", "100000", "/dev/zero"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=7)
    assert rest_of(process.stdout) == bytes(100_000)
    assert code_of(process) == 0 and rest_of(process.stderr) == b""


@pytest.mark.needs("cgroup")
def test_no_cgroup_waits_for_a_reader(sbx):
    before = cgroups.groups_of_runs()
    process = unread(sbx, ["--stdout-limit", "1G"], ["sh", "-c", "head -c 100000 /dev/zero; echo end >&2"],
                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.readline() == b"end\n"
    wait_until(lambda: not leftovers.descendants(process.pid), "the end of the sandbox")
    wait_until(lambda: not cgroups.groups_of_runs() - before, "the removal of its cgroups", leftovers.SECONDS_ALLOWED)
    assert process.poll() is None
    assert len(rest_of(process.stdout)) == 100_000
    process.stderr.close()
    assert code_of(process) == 0


LONG = ["sh", "-c", "head -c 500000 /dev/zero | tr '\\0' x; exec sleep 60"]
UNREAD = b"the result could not be written: its reader took nothing for 5 seconds"


def test_a_result_that_nobody_reads_does_not_keep_a_run_from_its_limit(sbx):
    process = unread(sbx, ["--timeout", "500ms", "--json"], LONG, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert code_of(process) == 124
    assert UNREAD in rest_of(process.stderr)
    process.stdout.close()


def test_a_junit_report_that_nobody_reads_does_not_either(sbx):
    ours, theirs = os.pipe()
    process = unread(sbx, ["--idle", "500ms", "--json", "--junit", f"fd:{theirs}"], LONG, stdout=subprocess.DEVNULL,
                     stderr=subprocess.PIPE, pass_fds=[theirs])
    os.close(theirs)
    assert code_of(process) == 124
    assert b"--junit: it could not be written" in rest_of(process.stderr)
    os.close(ours)


def test_marks_for_a_ci_log_that_nobody_reads_do_not_either(sbx):
    process = unread(sbx, ["--timeout", "500ms", "--ci"], ["yes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert code_of(process) == 124
    process.stdout.close()
    process.stderr.close()


def test_a_result_of_a_command_that_ended_by_itself_is_waited_for(sbx):
    process = unread(sbx, ["--json"], ["head", "-c", "100000", "/dev/zero"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=7)
    assert json.loads(rest_of(process.stdout))["status"] == "ok"
    assert code_of(process) == 0 and rest_of(process.stderr) == b""


def test_a_result_waits_for_its_reader_until_sbx_is_to_end(sbx):
    process = unread(sbx, ["--json"], ["head", "-c", "100000", "/dev/zero"], stdout=subprocess.PIPE,
                     stderr=subprocess.PIPE)
    wait_until(lambda: is_full(process.stdout), "a full pipe")
    process.terminate()
    code_of(process)
    assert b"the result could not be written: sbx was asked to end" in rest_of(process.stderr)
    process.stdout.close()


def full_pipe():
    """Both of its ends; no byte fits into it any more."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    with pytest.raises(BlockingIOError):
        while True:
            os.write(theirs, bytes(4096))
    os.set_blocking(theirs, True)
    return ours, theirs


def test_events_of_a_start_that_failed_are_waited_for_without_a_sandbox(sbx):
    ours, theirs = full_pipe()
    flags = ["--workdir", "/nowhere", "--events", f"fd:{theirs}"]
    process = unread(sbx, flags, ["true"], stderr=subprocess.PIPE, pass_fds=[theirs])
    os.close(theirs)
    time.sleep(3)  # of the five that it waits
    assert cpu_seconds(process.pid) < 1, "it waits in a loop"
    assert process.wait(timeout=30) == 125
    told = rest_of(process.stderr)
    assert b"/nowhere" in told and b"the events could not be written" in told, told
    os.close(ours)


def test_so_does_that_of_a_run_that_was_refused(sbx):
    ours, theirs = full_pipe()
    process = unread(sbx, ["--degrade", "nothing", "--result", f"fd:{theirs}"], ["true"], stderr=subprocess.PIPE, pass_fds=[theirs])
    os.close(theirs)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=6)
    process.terminate()
    assert code_of(process) == 125
    assert b"the result could not be written: sbx was asked to end" in rest_of(process.stderr)
    os.close(ours)
