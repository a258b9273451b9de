"""The payload cannot use up the host: processes, memory, file space, time, output."""
import subprocess
import time

import pytest

from escape.attacks import CONTAINED, ESCAPED, Attack, test_contained, test_works_without_its_walls  # noqa: F401

ATTACKS = [
    Attack("cannot_fork_without_end", "fork-bomb 400", granted_by=("--pids", "none"), needs=("cgroup:pids",)),
    Attack("cannot_fill_a_tmpfs", "fill /scratch 64", contained_flags=("--tmpfs", "/scratch:8M"),
           granted_by=("--tmpfs", "/scratch:128M")),
    Attack("cannot_fill_dev_shm", "fill /dev/shm 200", granted_by=("--tmpfs", "/dev/shm:400M")),
    Attack("cannot_use_up_inodes", "fill-inodes /tmp 300000",
           why_no_control="a tmpfs without a bound on its inodes is not on offer"),
]


@pytest.mark.needs("cgroup:memory")
def test_memory_bomb(sbx, probe):
    bomb = [probe.path, "memory-bomb", "200"]
    flags = [*probe.flags, "--set", "workspace.mode=none"]
    run = sbx.run(flags=[*flags, "--memory", "64M"], cmd=bomb)
    assert run.status == "oom" and run.code == 137, run
    assert sbx.run(flags=[*flags, "--memory", "none"], cmd=bomb).code == ESCAPED


@pytest.mark.needs("cgroup:memory")
def test_memory_bomb_in_a_tmpfs_counts(sbx, probe):
    flags = [*probe.flags, "--tmpfs", "/scratch:400M"]
    run = sbx.run(flags=[*flags, "--memory", "64M"], cmd=[probe.path, "fill", "/scratch", "200"])
    assert run.status == "oom", run
    assert sbx.run(flags=[*flags, "--memory", "none"], cmd=[probe.path, "fill", "/scratch", "200"]).code == ESCAPED


@pytest.mark.needs("cgroup:pids")
def test_fork_bomb_ends_with_its_deadline(sbx):
    bomb = "b() { b | b & }; b; sleep 60"
    run = sbx.run(flags=["--timeout", "2s", "--pids", "64"], cmd=["bash", "-c", bomb], timeout=30)
    assert run.code == 124 and run.seconds < 10, run


def test_ignored_sigterm(sbx, probe):
    flags = [*probe.flags, "--timeout", "500ms", "--set", "limits.grace=200ms"]
    run = sbx.run(flags=flags, cmd=[probe.path, "ignore-signals", "30000"])
    assert run.status == "timeout" and run.code == 124 and run.seconds < 3, run


def test_control_without_a_deadline_ignored_signals_stay(sbx, probe):
    running = sbx.spawn(flags=[*probe.flags, "--timeout", "none"], cmd=[probe.path, "ignore-signals", "1500"])
    run = running.wait()
    assert run.code == ESCAPED and run.seconds >= 1.5, run


def test_output_flood_is_ended(sbx, probe):
    cap = ["--set", "limits.output.stdout=1M", "--set", "limits.output.on_exceed=kill"]
    run = sbx.run(flags=[*probe.flags, *cap], cmd=[probe.path, "flood", "512"])
    assert run.status == "output_limit" and run.code == 153, run
    assert len(run.stdout) <= 2 << 20, len(run.stdout)


def test_output_flood_is_cut(sbx, probe):
    cap = ["--set", "limits.output.stdout=1M", "--set", "limits.output.on_exceed=truncate"]
    run = sbx.run(flags=[*probe.flags, *cap], cmd=[probe.path, "flood", "64"])
    assert run.code == ESCAPED, run  # the payload may write on: it is the reader who is spared
    assert len(run.stdout) <= (1 << 20) + 4096, len(run.stdout)
    assert run.result["output"]["stdout"]["truncated"] is True, run
    assert run.result["output"]["stdout"]["bytes"] >= 64 << 20, run


def test_control_an_uncapped_flood_arrives(sbx, probe):
    run = sbx.run(flags=probe.flags, cmd=[probe.path, "flood", "64"])
    assert len(run.stdout) >= 64 << 20


def test_a_reader_that_went_away_ends_nothing_but_the_output(sbx, probe):
    """`sbx run … | head -c1`: the payload gets SIGPIPE or its end; sbx does not hang."""
    running = sbx.spawn(flags=[*probe.flags, "--timeout", "20s"], cmd=[probe.path, "flood", "512"], result=False)
    running.process.stdout.read(1)
    running.process.stdout.close()
    started = time.monotonic()
    running.process.wait(timeout=20)
    assert time.monotonic() - started < 10


def test_contained_probe_code_is_the_payloads_own(sbx, probe):
    """The judgement of all attacks rests on this: the probe's code and line come through unchanged."""
    run = sbx.run(flags=[*probe.flags, "--timeout", "20s"], cmd=[probe.path, "no-new-privs"])
    assert (run.code, run.out) == (CONTAINED, "contained: no_new_privs is set\n"), run
    native = subprocess.run([probe.host_path, "finds", "/"], capture_output=True, text=True)
    assert (native.returncode, native.stdout) == (ESCAPED, "escaped: lstat /\n")
