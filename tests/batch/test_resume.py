"""However a batch ends, `--resume` gives every job exactly one result."""
import json
import random
import signal
import subprocess
import time

import pytest

from support import slow
from support.batch import by_id

COUNT = 120


def jobs(count=COUNT):
    return [{"id": f"job-{i}", "argv": ["echo", str(i)]} for i in range(count)]


def wait_for_results(batch, process, least, seconds=30):
    deadline = time.monotonic() + seconds * slow.FACTOR
    while process.poll() is None and time.monotonic() < deadline:
        if batch.out.exists() and batch.out.read_bytes().count(b"\n") >= least:
            return
        time.sleep(0.002)


def all_once(batch, count=COUNT):
    found = by_id(batch.written())
    assert {name: line["result"]["output"]["stdout"]["text"] for name, line in found.items()} == \
        {f"job-{i}": f"{i}\n" for i in range(count)}


def test_killed_again_and_again_every_job_has_one_result(sbx, batch):
    batch.write(jobs())
    dice, kills = random.Random(4), 0
    for least in (1, 17, 30, 31, 60, 90, 110):
        process = batch.spawn("-o", batch.out, "--resume", "-j3")
        wait_for_results(batch, process, least)
        time.sleep(dice.random() / 50)
        kills += process.poll() is None
        batch.kill(process)
    assert kills >= 4  # else this has shown nothing
    last = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
    assert last.code == 0, last
    all_once(batch)
    again = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
    assert again.code == 0 and f"({COUNT} of them before)" in again.err, again
    all_once(batch)


def test_nothing_outlives_a_killed_batch(sbx, batch):
    """Both users: no process of any of its jobs is there two seconds later (the fixture looks)."""
    batch.write([{"argv": ["sh", "-c", "trap '' TERM INT HUP; sleep 100"]} for _ in range(8)])
    process = batch.spawn("-j4", "--total-memory", "8G")
    batch.live(4)
    batch.kill(process)


def test_a_torn_last_line_is_dropped_and_its_job_runs_again(sbx, batch):
    batch.write(jobs(5))
    assert sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out).code == 0
    whole = batch.out.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in (1, 2, len(lines[-1]) // 2, len(lines[-1]) - 1):
        batch.out.write_bytes(whole[:-cut])
        run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
        assert run.code == 0 and "(4 of them before)" in run.err, run
        all_once(batch, 5)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1])):  # the host has crashed, and had made room for more
        batch.out.write_bytes(whole[:-cut] + bytes(5000))
        run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
        assert run.code == 0 and "(4 of them before)" in run.err, run
        all_once(batch, 5)
    # The control: a line that is torn in the middle cannot be told from anybody's file.
    batch.out.write_bytes(lines[0][:20] + b"".join(lines[1:]))
    run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
    assert run.code == 125 and f"{batch.out}:1: this is no line that `sbx batch` has written" in run.err, run


def test_the_control_without_dropping_the_torn_line_the_file_is_broken(sbx, batch):
    """What --resume prevents: more results behind half a line."""
    batch.write(jobs(3))
    assert sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out).code == 0
    lines = batch.out.read_bytes().splitlines(keepends=True)
    batch.out.write_bytes(lines[0] + lines[1][:30] + lines[2])
    with pytest.raises(json.JSONDecodeError):
        batch.written()


def test_other_jobs_are_not_taken_for_the_same(sbx, batch):
    batch.write(jobs(3))
    assert sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out).code == 0
    kept = batch.out.read_bytes()

    def resumed(changed, *words):
        batch.write(changed)
        run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
        assert run.code == 125 and all(word in run.err for word in words), run
        assert batch.out.read_bytes() == kept

    resumed([jobs(1)[0], {"id": "job-1", "argv": ["echo", "other"]}, jobs(3)[2]], ":", "the job job-1 is another one now: line 2")
    resumed(jobs(2), "here is a result of the job job-2, which")
    batch.out.write_bytes(kept + kept.splitlines(keepends=True)[0])
    kept = batch.out.read_bytes()
    resumed(jobs(3), f"{batch.out}:4: the job job-", "has a second result here")


def test_jobs_that_came_new_are_run(sbx, batch):
    batch.write(jobs(2))
    assert sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out).code == 0
    batch.write(jobs(4))
    assert sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume").code == 0
    all_once(batch, 4)


def test_results_under_another_profile_are_told(sbx, batch):
    """A changed profile ends nobody's batch: it may have been the reason why that was ended. Nor is it silent."""
    profile = sbx.folder / "p.yaml"
    profile.write_text("version: 1\nlimits: {wall: 20s}\n")
    batch.write([{**job, "profile": str(profile)} for job in jobs(3)] + [{"id": "other", "argv": ["true"]}])
    words = ["batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume"]
    assert sbx.call(*words).code == 0
    again = sbx.call(*words)
    assert again.code == 0 and "warning" not in again.err, again
    profile.write_text("version: 1\nlimits: {wall: 21s}\n")
    again = sbx.call(*words, "--quiet")
    assert again.code == 0 and again.err == ("sbx: warning: 3 of 4 jobs that have a result ran under another profile, or "
                                             "other flags, than they would now; their results stay\n"), again
    assert "4 of 4 jobs" in sbx.call(*words, "--memory", "300M").err


def test_a_file_with_something_in_it_and_one_in_use_are_refused(sbx, batch):
    batch.write([{"argv": ["sleep", "20"]}])
    batch.out.write_text("precious\n")
    run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out)
    assert run.code == 125 and "there is something in it already" in run.err and "--resume" in run.err, run
    assert batch.out.read_text() == "precious\n"
    batch.out.write_text("")
    process = batch.spawn("-o", batch.out)
    batch.live()
    run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
    assert run.code == 125 and "another batch writes its results there right now" in run.err, run
    process.send_signal(signal.SIGTERM)
    process.communicate()
    run = sbx.call("batch", batch.jobs, *sbx.degraded, "--resume")
    assert run.code == 125 and "--resume needs -o FILE" in run.err, run


def test_jobs_that_change_while_they_run_are_noticed(sbx, batch):
    batch.write([{"id": "first", "argv": ["sleep", "1"]}, *({"id": str(i), "argv": ["echo", "asked"]} for i in range(3, 9))])
    process = batch.spawn("-o", batch.out, "-j1")
    batch.live()
    batch.jobs.write_text(batch.jobs.read_text().replace("asked", "other"))
    _, err = process.communicate()
    assert process.returncode == 125 and b"the jobs have changed while they ran" in err, err
    assert all(line["result"]["argv"][1] != "other" for line in batch.written())


@pytest.mark.needs("root")
def test_a_full_disk_leaves_whole_lines(sbx, batch, tmp_path):
    """On a tmpfs of the test's own, in a mount namespace of its own."""
    batch.write([{"id": str(i), "argv": ["printf", "%20000s", "x"]} for i in range(9)])
    folder = tmp_path / "small"
    folder.mkdir()
    script = 'mount -t tmpfs -o size=64k t "$1" && "$2" batch "$3" -o "$1/out" -j1; code=$?; cp "$1/out" "$4"; exit $code'
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", folder, sbx.binary, batch.jobs, batch.out],
                          capture_output=True, text=True, cwd=sbx.cwd)
    assert done.returncode == 125 and "cannot write a result: No space left" in done.stderr, done.stderr
    assert batch.out.read_bytes().endswith(b"}\n") and 0 < len(batch.written()) < 9


@pytest.mark.parametrize("how", [">", ">>", "1<>"])
def test_standard_output_that_is_full_has_whole_lines(sbx, batch, how):
    """A file that may not grow stands for the disk. What was there before the batch stays."""
    before = b'{"of": "somebody else"}\n' * (how != ">")
    batch.write([{"id": str(i), "argv": ["printf", "%20000s", "x"]} for i in range(9)])
    batch.out.write_bytes(before)
    script = f'ulimit -f 120; exec "$@" -j1 {how}"$0"'  # of 512 bytes; results have 21 KiB
    seek = f"exec 1<>\"$0\"; head -c {len(before)} <&1 >/dev/null; " if how == "1<>" else ""
    if seek:
        script = f'ulimit -f 120; {seek}exec "$@" -j1'
    done = subprocess.run(["sh", "-c", script, batch.out, *batch.argv()], capture_output=True, text=True, cwd=sbx.cwd)
    assert done.returncode == 125 and "cannot write a result: File too large" in done.stderr, done.stderr
    written = batch.out.read_bytes()
    assert written.startswith(before) and written.endswith(b"}\n"), written[-100:]
    lines = [json.loads(line) for line in written[len(before):].splitlines()]
    assert 0 < len(lines) < 9 and b"\0" not in written


@pytest.mark.parametrize("content", ['{"key": "value"}', "secret", '{"jobs":', "\0" * 100, "secret\0\0"])
def test_a_file_of_somebody_else_stays_as_it_is(sbx, batch, content):
    """One line without a line end looks like a torn one, but for how it begins."""
    batch.write(jobs(1))
    batch.out.write_text(content)
    run = sbx.call("batch", batch.jobs, *sbx.degraded, "-o", batch.out, "--resume")
    assert run.code == 125 and f"{batch.out}:1: this is no result of a batch, whole or torn" in run.err, run
    assert batch.out.read_text() == content
