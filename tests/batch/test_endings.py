"""How a batch ends: at its last job, at the first that is not ok, or when it is told to."""
import fcntl
import json
import os
import re
import resource
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import pytest

from support import slow, terminal
from support.batch import by_id
from support.waiting import state_of, wait_until


def parent_of(init):
    """The process of the job that init belongs to."""
    status = Path(f"/proc/{init}/status").read_text()
    return int(re.search(r"PPid:\s+(\d+)", status)[1])


def test_fail_fast_ends_all_and_the_rest_can_be_resumed(sbx, batch):
    batch.write([{"id": "long", "argv": ["sleep", "60"]}, {"id": "bad", "argv": ["false"]},
                 *({"id": str(i), "argv": ["true"]} for i in range(3, 30))])
    started = time.monotonic()
    run = sbx.call("batch", batch.jobs, *sbx.degraded, "-j2", "-o", batch.out, "--fail-fast")
    assert run.code == 1 and time.monotonic() - started < 30 * slow.FACTOR, run
    # Another may have had the place of `bad` before its result was there.
    done = [line["job"] for line in batch.written()]
    assert "bad" in done and "long" not in done and len(done) < 5, done
    assert f" 1 nonzero, {29 - len(done)} left" in run.err and "--resume does the rest" in run.err, run
    rest = sbx.call("batch", batch.jobs, *sbx.degraded, "-j4", "-o", batch.out, "--resume", "--timeout", "300ms")
    assert rest.code == 1, rest
    found = by_id(batch.written())
    assert len(found) == 29 and found["long"]["result"]["status"] == "timeout"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_every_run_and_no_result_is_made_up(sbx, batch, number):
    batch.write([{"argv": ["sh", "-c", "trap '' INT TERM HUP; sleep 100 & wait; sleep 100"]} for _ in range(6)])
    process = batch.spawn("-j3", "-o", batch.out)
    batch.live(3)
    started = time.monotonic()
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number and time.monotonic() - started < 4 * slow.FACTOR
    assert batch.written() == [] and b"6 jobs: 6 left" in err, err
    assert json.loads(sbx.call("ps", "--json").out) == []


def test_retry_starts_again_what_sbx_itself_failed_and_nothing_else(sbx, batch):
    jobs = [{"id": "sbx", "argv": ["true"], "overrides": {"workdir": "/nowhere"}}, {"id": "own", "argv": ["false"]},
            {"id": "ok", "argv": ["true"]}]
    run = batch.call(jobs, "--retry", "2")
    assert {name: line["attempts"] for name, line in by_id(run.results).items()} == {"sbx": 3, "own": 1, "ok": 1}
    assert "2 started again" in run.err
    run = batch.call(jobs, "--retry", "1", "--retry-on", "nonzero")
    assert {name: line["attempts"] for name, line in by_id(run.results).items()} == {"sbx": 1, "own": 2, "ok": 1}
    run = batch.call(jobs, "--retry", "1", "--retry-on", "nonzro")
    assert run.code == 125 and "did you mean nonzero?" in run.err, run


def test_a_retry_may_go_better(sbx, batch):
    (sbx.cwd / "state").mkdir(mode=0o777)
    script = "test -e state/once || { touch state/once; exit 1; }"
    run = batch.call([{"argv": ["sh", "-c", script]}], "--retry", "5", "--retry-on", "nonzero", "--workspace", ".:rw")
    assert run.code == 0 and run.results[0]["attempts"] == 2, run


@pytest.mark.parametrize("retries", [0, 2])
def test_a_job_whose_process_is_killed_has_a_result_that_says_so(sbx, batch, retries):
    batch.write([{"id": "victim", "argv": ["sleep", "60"]}, {"id": "other", "argv": ["true"]}])
    sbx.killed = True
    process = batch.spawn("-j1", "--retry", str(retries))
    seen = set()
    deadline = time.monotonic() + 30 * slow.FACTOR
    while len(seen) <= retries:
        assert time.monotonic() < deadline
        for run in json.loads(sbx.call("ps", "--json").out):
            if run.get("command", "").startswith("sleep") and run["pid"] not in seen:
                seen.add(run["pid"])
                os.kill(parent_of(run["pid"]), signal.SIGKILL)
    out, err = process.communicate(timeout=30)
    found = by_id(json.loads(line) for line in out.splitlines())
    assert found["other"]["result"]["status"] == "ok", err
    victim = found["victim"]
    assert victim["result"]["status"] == "internal_error" and victim["attempts"] == retries + 1
    assert "was killed by signal 9" in victim["result"]["reason"]["text"]


def test_a_command_that_leaves_its_input_does_not_end_the_process_of_its_job(sbx, batch):
    """It is written to until it closes it: at which of the writes, chance decides."""
    (sbx.cwd / "input").write_bytes(bytes(1 << 21))
    leaves = [{"argv": ["dd", "bs=4k", f"count={20 + i}", "status=none"], "stdin": {"file": "input"}} for i in range(60)]
    run = batch.call(leaves, "-j4", "--stdout-limit", "10B")
    assert {line["result"]["status"] for line in run.results} == {"ok"}, run
    batch.write([{"argv": ["sleep", "60"]}])
    process = batch.spawn("-j1")
    init = batch.live()[0]["pid"]
    ignored = re.search(r"SigIgn:\s+(\w+)", Path(f"/proc/{parent_of(init)}/status").read_text())[1]
    process.terminate()
    process.communicate(timeout=30 * slow.FACTOR)
    assert int(ignored, 16) >> (signal.SIGPIPE - 1) & 1


NOISY = {"argv": ["head", "-c", "20000", "/dev/zero"]}  # JSON makes 120,000 bytes of it


def test_a_batch_that_stops_while_nobody_reads_stops_nobody_else(batch):
    batch.write([NOISY] * 20)
    leader = subprocess.Popen(["sleep", "100"], process_group=0)
    try:
        process = batch.spawn("-j2", process_group=leader.pid)
        waiting = process.stdout.fileno()
        full = fcntl.fcntl(waiting, fcntl.F_GETPIPE_SZ) - 2 * select.PIPE_BUF
        wait_until(lambda: struct.unpack("i", fcntl.ioctl(waiting, termios.FIONREAD, b"0000"))[0] > full, "it does not write")
        os.kill(process.pid, signal.SIGTSTP)
        wait_until(lambda: state_of(process.pid)[0] == "T", "it does not stop")
        assert state_of(leader.pid)[0] == "S"
        os.kill(process.pid, signal.SIGCONT)
        os.kill(process.pid, signal.SIGTERM)
        assert process.communicate(timeout=30 * slow.FACTOR) and process.returncode == 128 + signal.SIGTERM
    finally:
        leader.kill()
        leader.wait()


@pytest.mark.needs("user")  # root may have as many processes as it likes
def test_a_job_that_finds_no_process_left_is_started_when_there_are(sbx, batch):
    """Sandboxes that are made ahead must not take what jobs need that would run alone."""
    used = sum(len(os.listdir(f"/proc/{pid}/task")) for pid in os.listdir("/proc")
               if pid.isdigit() and os.stat(f"/proc/{pid}").st_uid == os.getuid())
    batch.write([{"argv": ["true"]} for _ in range(40)])
    process = batch.spawn("-j8", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (used + 14,) * 2))
    out, err = process.communicate(timeout=60 * slow.FACTOR)
    found = [json.loads(line) for line in out.splitlines()]
    assert len(found) == 40 and {(line["result"]["status"], line["attempts"]) for line in found} == {("ok", 1)}, err


def test_wrong_flags_are_told(sbx, batch):
    batch.write([{"argv": ["true"]}])
    for flags, words in ((["-j0"], "--jobs: 0 is no number"), (["--total-memory", "x"], "--total-memory"),
                         (["--retry", "-1"], "--retry"), (["--fail-fats"], "did you mean --fail-fast?"),
                         (["--retry-on", "nonzero"], "--retry-on: no job is started again without --retry")):
        run = sbx.call("batch", batch.jobs, *flags)
        assert run.code == 125 and words in run.err, run
    assert sbx.call("batch").code == 125
    run = sbx.call("batch", "/no/jobs.jsonl")
    assert run.code == 125 and "cannot read the jobs /no/jobs.jsonl: No such file" in run.err, run


def test_progress_is_for_terminals_that_can_go_back(sbx, batch):
    batch.write([{"argv": ["sleep", "0.4"]} for _ in range(4)])

    def on_terminal(*flags, term="xterm"):
        pty = terminal.Terminal()
        process = subprocess.Popen(batch.argv("-j2", "-o", "/dev/null", *flags), stdin=pty.side, stdout=pty.side, stderr=pty.side,
                                   preexec_fn=pty.adopt, cwd=sbx.cwd, env={**os.environ, "TERM": term})
        pty.close_side()
        seen = pty.drain(process, 30)
        pty.close()
        assert process.returncode == 0
        return seen

    seen = on_terminal()
    assert b"\r[" in seen and b"2/4" in seen and b" live " in seen and b"ETA" in seen, seen
    lines = [part.split(b"\x1b[K")[0] for part in seen.split(b"\r") if b"/4" in part]
    assert max(map(len, lines)) < 80
    assert seen.rstrip().rsplit(b"\x1b[K")[-1].strip().startswith(b"sbx: 4 jobs: 4 ok"), seen
    assert b"\x1b" not in on_terminal(term="dumb")
    assert on_terminal("--quiet").strip() == b""
    assert b"\x1b" not in sbx.call("batch", batch.jobs, *sbx.degraded).stderr


def test_a_reader_that_does_not_read_keeps_nobody_from_ending_it(sbx, batch):
    """The pipe is full; SIGTERM ends all runs all the same."""
    noisy = {"argv": ["head", "-c", "300000", "/dev/zero"]}
    batch.write([noisy] + [{"argv": ["sleep", "100"]}] * 3)
    process = batch.spawn("-j2")
    wait_until(lambda: struct.unpack("i", fcntl.ioctl(process.stdout, termios.FIONREAD, b"\0" * 4))[0] >= 60000,
               "the pipe is never full", 20 * slow.FACTOR)
    process.terminate()
    code = process.wait(timeout=20 * slow.FACTOR)  # nobody has read anything by then
    assert code == 128 + signal.SIGTERM, process.communicate()
    process.communicate()


def test_few_descriptors_are_waited_for(sbx, batch):
    """Each live job takes some; who gets none waits for those that end, and so does who finds too many under way to init."""
    batch.write([{"id": f"{i}", "argv": ["true"]} for i in range(300)])
    run = subprocess.run(["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", *batch.argv("-j50", "--total-memory", "60G")],
                         cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) == 300


def test_a_job_whose_changes_could_not_be_applied_has_its_result(sbx, batch, monkeypatch):
    """It has run, so --retry is not for it; that it is not well is in its line, the summary and the exit code."""
    monkeypatch.setenv("XDG_STATE_HOME", str(sbx.folder))
    (sbx.cwd / "file").write_text("host\n")
    beside = sbx.folder / "beside"
    beside.mkdir(mode=0o777)
    beside.chmod(0o777)
    # The second has begun before the first changes the file, and ends when that is in place.
    first = "until [ -e /beside/begun ]; do sleep 0.05; done; echo first >file; echo said"
    second = ": >/beside/begun; until grep -q first /host/file; do sleep 0.05; done; echo second >file; echo said"
    batch.write([{"id": "first", "argv": ["sh", "-c", first]}, {"id": "second", "argv": ["sh", "-c", second]}])
    flags = ["-j2", "-o", batch.out, "--workspace", ".:overlay", "--keep", "apply", "--rw", f"{beside}:/beside",
             "--ro", f"{sbx.cwd}:/host"]
    run = sbx.call("batch", batch.jobs, *sbx.degraded, *flags, "--retry", "2")
    assert run.code == 1 and "2 jobs: 2 ok; of 1 ok not all is kept or applied" in run.err, run
    found = by_id(batch.written())
    assert found["first"]["result"]["undelivered"] == [] and found["first"]["result"]["changes"]["applied"]
    second = found["second"]
    assert second["attempts"] == 1 and second["result"]["status"] == "ok" and second["result"]["exit_code"] == 0, second
    assert second["result"]["output"]["stdout"]["text"] == "said\n"
    assert "not applied: file" in second["result"]["undelivered"][0] and second["result"]["changes"]["run"], second
    again = sbx.call("batch", batch.jobs, *sbx.degraded, *flags, "--resume")
    assert again.code == 1 and "of 1 ok not all is kept or applied" in again.err, again
