"""The store under load, killed, damaged; and what is fetched from it and removed."""
import fcntl
import hashlib
import os
import random
import resource
import subprocess
import threading
import time

import pytest


TEN_MB = "import os; os.mkdir('/tmp/out'); open('/tmp/out/same', 'wb').write(b'0123456789abcdef' * 655360)"


def start(store, script, *flags, collect="/tmp/out/**"):
    return store.sbx.spawn(flags=["--collect", collect, *flags], cmd=["/usr/bin/python3", "-I", "-S", "-c", script])


@pytest.mark.slow
def test_64_parallel_runs_keep_one_copy(store):
    runs = [start(store, TEN_MB, "--timeout", "none") for _ in range(64)]
    done = [run.wait(timeout=300) for run in runs]
    for run in done:
        run.assert_ok()
        assert [one["bytes"] for one in run.result["artifacts"]] == [10 << 20], run
    assert len(store.list()) == 64 and len(store.objects()) == 1
    assert store.objects()[0].stat().st_nlink == 1 and store.staged() == []
    store.assert_whole()
    digest = store.objects()[0].name
    assert digest == hashlib.sha256(b"0123456789abcdef" * 655360).hexdigest()


@pytest.mark.slow
def test_gc_in_a_loop_never_removes_what_a_run_refers_to(store):
    """Each run keeps a content that all have, one that some have, and one of its own; expired ones go meanwhile."""
    stop = threading.Event()
    failures, collected = [], 0

    def collect():
        nonlocal collected
        while not stop.is_set():
            done = store.verb("gc")
            collected += 1
            if done.returncode != 0:
                failures.append(done)

    collector = threading.Thread(target=collect)
    collector.start()
    try:
        for wave in range(6):
            runs = []
            for i in range(10):
                ttl = "1ms" if i % 2 else "none"
                runs.append((ttl, start(store, "import os; os.mkdir('/tmp/out')\n"
                                        f"open('/tmp/out/all','w').write('all')\nopen('/tmp/out/some','w').write('some{i % 3}')\n"
                                        f"open('/tmp/out/own','w').write('own{wave}-{i}')", "--set", f"artifacts.ttl={ttl}")))
            for ttl, run in runs:
                run.wait(timeout=120).assert_ok()
    finally:
        stop.set()
        collector.join()
    assert not failures and collected > 5
    store.good("gc")
    kept = store.list()
    assert len({one["run"] for one in kept}) == 30 and len(kept) == 90
    store.assert_whole()


@pytest.mark.slow
def test_killed_while_storing_nothing_is_half_written_and_the_next_sweeps(store):
    """SIGKILL to sbx from the moment on at which its command has ended, a little later each time."""
    chance = random.Random(6)
    script = ("import os; os.mkdir('/tmp/out')\nfor i in range(8): open('/tmp/out/%d' % i, 'wb').write(os.urandom(8) * 60000)\n"
              "open('/tmp/out/same', 'w').write('same')\nprint('ended', flush=True)")
    complete = interrupted = 0
    for _ in range(60):
        before = len(store.list())
        running = start(store, script)
        running.read_until(b"ended")
        time.sleep(chance.uniform(0, 0.08))
        running.kill()
        running.process.wait()
        after = store.list()
        assert len(after) - before in (0, 9), "all or nothing"
        complete += len(after) - before == 9
        interrupted += bool(store.staged())
        store.good("verify")
    assert interrupted > 3, (complete, interrupted)
    start(store, "pass").wait().assert_ok()
    assert store.staged() == []
    store.assert_whole()  # with no content that nobody has


def test_what_a_killed_run_has_left_goes_with_ps(store):
    """And nothing of one that is at it."""
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    for name in ("killed", "working"):
        (store.folder / "staging" / name).mkdir()
        (store.folder / "staging" / name / "lock").touch()
    with open(store.folder / "staging/working/lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert store.sbx.call("ps").code == 0
        assert [path.name for path in store.staged()] == ["working"]
    with open(store.folder / "lock", "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)  # somebody looks at the store, and is not waited for
        assert store.sbx.call("ps", timeout=20).code == 0
    assert store.sbx.call("ps").code == 0
    assert store.staged() == []
    store.assert_whole()


def test_a_damaged_content_is_told_and_not_written(store, tmp_path):
    run = store.run("mkdir out; echo precious > out/a; echo fine > out/b")
    path = store.object(b"precious\n")
    path.chmod(0o600)
    path.write_bytes(b"prec1ous\n")
    done = store.verb("get", run.result["id"], "/workspace/out/a", "-o", tmp_path / "to")
    assert done.returncode == 125 and b"is damaged" in done.stderr and b"/workspace/out/a" in done.stderr
    assert not (tmp_path / "to/workspace").exists()
    done = store.verb("get", run.result["id"], "/workspace/out/a", "-o", "-")
    assert done.returncode == 125 and done.stdout == b""
    done = store.verb("verify")
    assert done.returncode == 125 and done.stderr.count(b"damaged") == 1
    assert store.good("get", run.result["id"], "/workspace/out/b", "-o", "-") == "fine\n"
    path.unlink()
    done = store.verb("get", run.result["id"], "/workspace/out/a", "-o", "-")
    assert done.returncode == 125 and b"is missing" in done.stderr
    store.run("echo precious > out/again").assert_ok()  # the same content puts it right
    assert store.good("get", run.result["id"], "/workspace/out/a", "-o", "-") == "precious\n"
    store.assert_whole()


def test_get(store, tmp_path):
    run = store.run("mkdir -p out/sub; echo 1 > out/1; echo 2 > out/sub/2; printf '\\377\\0' > out/bytes").result["id"]
    assert "3 files" in store.good("get", run, "-o", tmp_path / "all")
    assert (tmp_path / "all/workspace/out/sub/2").read_text() == "2\n"
    assert "3 files" in store.good("get", run, "-o", tmp_path / "all"), "the same once more is no error"
    store.good("get", run, "workspace/out/sub", "-o", tmp_path / "some")
    assert sorted(os.listdir(tmp_path / "some/workspace/out")) == ["sub"]
    assert store.verb("get", run, "/workspace/out/bytes", "-o", "-").stdout == b"\xff\0"
    assert store.good("get", hashlib.sha256(b"1\n").hexdigest()[:8], "-o", "-") == "1\n"
    for word in (run, hashlib.sha256(b"1\n").hexdigest()[:8]):
        done = store.verb("get", word, "nothing")
        assert done.returncode == 125 and done.stderr.decode().endswith(f"what there is: sbx artifacts ls {run}\n")
    (tmp_path / "all/workspace/out/1").write_text("mine")
    done = store.verb("get", run, "-o", tmp_path / "all")
    assert done.returncode == 125 and b"EEXIST" in done.stderr or b"File exists" in done.stderr
    assert (tmp_path / "all/workspace/out/1").read_text() == "mine"
    assert [name for _, _, names in os.walk(tmp_path / "all") for name in names if name.startswith(".")] == []


def test_a_long_command_with_many_files_takes_little_memory(store):
    """What is said of a run is in memory once, and not once for each of its files."""
    script = "mkdir out; cd out; seq 1 200 | xargs touch"
    store.sbx.run(flags=["--workspace", ".:rw", "--collect", "/workspace/out/**"],
                  cmd=["sh", "-c", script, *["x" * 120_000] * 10]).assert_ok()
    few = lambda: resource.setrlimit(resource.RLIMIT_AS, (128 << 20, 128 << 20))
    for words in (["ls"], ["verify"], ["get", store.list()[0]["run"]], ["gc", "--dry-run"]):
        done = store.verb(*words, preexec_fn=few)
        assert done.returncode == 0 and done.stderr == b"", done.stderr
    assert len(store.verb("ls").stdout) < 1 << 20
    with open(os.devnull, "wb") as nowhere:
        assert subprocess.run([store.sbx.binary, "artifacts", "ls", "--json"], stdout=nowhere, preexec_fn=few).returncode == 0
    assert len(store.list()) == 200 and len(store.list()[0]["argv"]) == 13


@pytest.mark.parametrize("words, message", [
    (["get"], b"needs a RUN"), (["get", "nobody"], b"no artifacts are kept"), (["ls", "nobody"], b"no artifacts are kept"),
    (["gc", "x"], b"takes no x"), (["ls", "--max", "1G"], b"has no flag --max"), (["gc", "--older-than", "x"], b"--older-than"),
    (["gc", "--max", "7"], b"--max"), (["lss"], b"did you mean ls"), ([], b"needs more"),
])
def test_wrong_lines(store, words, message):
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    done = store.verb(*words)
    assert done.returncode == 125 and message in done.stderr and done.stderr.startswith(b"sbx: ")


def test_gc_removes_what_is_over_older_or_too_much(store):
    for name in "abc":
        store.run(f"rm -rf out; mkdir out; head -c 100000 /dev/urandom > out/{name}; echo same > out/same",
                  "--set", f"artifacts.ttl={'1ms' if name == 'a' else '1h'}").assert_ok()
    # The next run has swept the first, whose time was over; a content that others have stays.
    assert [one["path"][-1] for one in store.list() if not one["path"].endswith("same")] == ["b", "c"]
    assert len(store.objects()) == 3
    assert "would remove 1 run and 1 content" in store.good("gc", "--max", "150K", "--dry-run")
    assert len(store.objects()) == 3
    assert "removed 1 run" in store.good("gc", "--max", "150K")
    assert len(store.list()) == 2 and len(store.objects()) == 2
    store.assert_whole()
    store.good("gc", "--older-than", "1h")
    assert len(store.list()) == 2
    store.good("gc", "--older-than", "0s")
    assert store.list() == [] and store.objects() == []


def test_contents_are_read_only_and_the_store_is_private(store):
    store.run("mkdir out; echo 1 > out/1; chmod 777 out/1").assert_ok()
    assert [path.stat().st_mode & 0o777 for path in store.objects()] == [0o400]
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_a_store_that_others_may_write_to_is_refused(store):
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    store.folder.chmod(0o777)
    store.run("true").assert_refused("artifacts")
    store.folder.chmod(0o700)
