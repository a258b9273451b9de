"""Who reads the store for long, or is stopped while it does, holds up nobody, and gets what there was."""
import fcntl
import os
import resource
import signal
import subprocess
from contextlib import contextmanager, suppress
from pathlib import Path

from support.waiting import children_of, state_of, wait_until

BIG = "head -c 3M /dev/zero | tr '\\0' x"


@contextmanager
def stopped(store, *words, at, path):
    """`sbx artifacts WORDS`, stopped as it first makes the call `at` on `path`; gone on with at the end."""
    trace = ["strace", "-qq", "-o", "/dev/null", "-P", path, "-e", f"trace={at}", "-e", f"inject={at}:signal=STOP:when=1"]
    with subprocess.Popen([*trace, store.sbx.binary, "artifacts", *map(str, words)], cwd=store.sbx.cwd,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            [pid] = wait_until(lambda: [pid for pid in children_of(process.pid) if state_of(pid)[0] in "Tt" and in_sbx(store, pid)],
                               "it has not come as far")
            yield process
            os.kill(int(pid), signal.SIGCONT)
            process.out, process.err = process.communicate(timeout=60)
        finally:
            process.kill()


def in_sbx(store, pid):
    return os.path.samefile(f"/proc/{pid}/exe", store.sbx.binary) and "TracerPid:\t0" not in Path(f"/proc/{pid}/status").read_text()


def has_open(pid, path):
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(os.readlink(link))
    return str(path) in found


def others_go_on(store):
    store.run("mkdir -p out; echo x > out/other", timeout=20).assert_ok()
    assert subprocess.run([store.sbx.binary, "artifacts", "gc", "--older-than", "0s"], timeout=20, capture_output=True).returncode == 0
    assert store.list() == [] and store.objects() == []


def test_get_into_a_folder(store, tmp_path):
    run = store.run(f"mkdir out; {BIG} > out/1; cp out/1 out/2; echo 3 > out/3").assert_ok().result["id"]
    folder = tmp_path / "to/workspace/out"
    folder.mkdir(parents=True)
    with stopped(store, "get", run, "-o", tmp_path / "to", at="linkat", path=folder) as get:
        others_go_on(store)
    assert get.returncode == 0 and b"3 files" in get.out, get.err
    assert (folder / "1").read_bytes() == (folder / "2").read_bytes() == b"x" * (3 << 20) and (folder / "3").read_text() == "3\n"


def test_get_to_standard_output(store):
    run = store.run(f"mkdir out; {BIG} > out/1").assert_ok().result["id"]
    with stopped(store, "get", run, "-o", "-", at="read", path=store.object(b"x" * (3 << 20))) as get:
        others_go_on(store)
    assert get.returncode == 0 and get.out == b"x" * (3 << 20), get.err


def test_verify(store):
    """What has gone with its run meanwhile is not missing; what is damaged and still somebody's is told."""
    store.run(f"mkdir out; {BIG} > out/1; echo 2 > out/2; echo 3 > out/3").assert_ok()
    with stopped(store, "verify", at="read", path=min(store.objects(), key=lambda path: path.name)) as verify:
        others_go_on(store)
    assert verify.returncode == 0 and verify.err == b"", verify.err
    store.run("echo 4 > out/4; echo 5 > out/5").assert_ok()
    store.object(b"4\n").chmod(0o600)
    store.object(b"4\n").write_text("44")
    store.object(b"5\n").unlink()
    done = store.verb("verify")
    assert done.returncode == 125 and done.stderr.count(b"/workspace/out/4 of") == done.stderr.count(b"/workspace/out/5 of") == 1
    assert done.stderr.count(b"is damaged: ") == done.stderr.count(b"is missing: ") == 1, done


def few():
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))


def test_verify_of_more_damaged_files_than_may_be_open(store):
    store.run("mkdir out; for i in $(seq 150); do echo $i > out/$i; done").assert_ok()
    for path in store.objects():
        path.chmod(0o600)
        path.write_text("x")
    done = store.verb("verify", preexec_fn=few)
    assert done.returncode == 125 and done.stderr.count(b"is damaged: ") == 150 and b"missing" not in done.stderr, done


def test_get_of_more_files_than_may_be_open(store, tmp_path):
    run = store.run("mkdir out; for i in $(seq 300); do echo $i > out/$i; done", "--set", "artifacts.max_files=300").assert_ok().result["id"]
    done = store.verb("get", run, "-o", tmp_path / "to", preexec_fn=few)
    assert done.returncode == 0, done
    assert {path.name: path.read_text() for path in (tmp_path / "to/workspace/out").iterdir()} == {str(i): f"{i}\n" for i in range(1, 301)}


def test_a_run_that_waits_for_the_store_can_be_asked_to_end(store):
    """Its lock may be somebody's who is stopped. The control: let go of, the run goes on."""
    store.run("mkdir -p out; echo 1 > out/1").assert_ok()
    flags = ["--workspace", ".:rw", "--collect", "/workspace/out/**"]
    with open(store.folder / "lock", "rb+") as held:
        for when, script in (("start", "true"), ("end", "echo ready; read -r go; echo 2 > out/2")):
            if when == "start":
                fcntl.flock(held, fcntl.LOCK_EX)
            running = store.sbx.spawn(flags=flags, cmd=["sh", "-c", script], stdin=subprocess.PIPE)
            if when == "start":
                wait_until(lambda running=running: has_open(running.pid, store.folder / "lock"), "it does not come as far")
            else:
                running.read_until(b"ready")
                fcntl.flock(held, fcntl.LOCK_EX)
                running.process.stdin.write(b"go\n")
                running.process.stdin.flush()
                wait_until(lambda running=running: not running.processes() or not children_of(running.pid), "the command lives")
            running.signal(signal.SIGTERM)
            run = running.wait(timeout=20)
            assert run.code in (125, 128 + signal.SIGTERM) and run.seconds < 15, run
            fcntl.flock(held, fcntl.LOCK_UN)
    store.run("echo 3 > out/3").assert_ok()
    assert store.staged() == []


def test_a_long_copy_ends_when_sbx_is_asked_to(store):
    """A hole costs its maker nothing."""
    running = store.sbx.spawn(flags=["--collect", "/tmp/s", "--tmpfs", "/tmp:8G", "--set", "artifacts.max=8G"],
                              cmd=["sh", "-c", "truncate -s 8G /tmp/s; echo made"])
    running.read_until(b"made")
    wait_until(lambda: any(path.is_file() and path.name != "lock" for run in store.staged() for path in run.iterdir()), "it copies nothing")
    running.signal(signal.SIGTERM)
    run = running.wait(timeout=20)
    assert run.code == 125 and "asked to end" in run.err, run
    assert store.list() == [] and store.staged() == []
