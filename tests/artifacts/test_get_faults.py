"""`sbx artifacts get` into file systems that can do less than others, or fail; and killed: the file is there whole, or not."""
import os
import resource
import signal
import subprocess

import pytest


def traced(store, *words):
    return subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", *words], capture_output=True, cwd=store.sbx.cwd, timeout=120)


def files_below(folder):
    return sorted(name for _, _, names in os.walk(folder) for name in names)


def test_a_killed_get_leaves_nothing_half_done(store, tmp_path):
    """Killed as it gives the file its name."""
    run = store.run("mkdir out; echo 1 > out/1").result["id"]
    get = [store.sbx.binary, "artifacts", "get", run, "-o", tmp_path / "to"]
    done = traced(store, "-e", "trace=linkat,renameat2", "-e", "inject=linkat,renameat2:signal=KILL", *get)
    assert done.returncode == -signal.SIGKILL, done
    assert files_below(tmp_path / "to") in ([], ["1"])
    store.good(*get[2:])
    assert files_below(tmp_path / "to") == ["1"]


def test_the_callers_limit_on_the_size_of_files_is_named(store, tmp_path):
    run = store.run("mkdir out; head -c 9000 /dev/zero > out/1").result["id"]
    done = store.verb("get", run, "-o", tmp_path / "to", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert done.returncode == 125 and b"EFBIG" in done.stderr and b"ulimit -f" in done.stderr, done
    assert files_below(tmp_path / "to") == []


def test_a_full_standard_output_is_told_once(store, tmp_path):
    run = store.run("mkdir out; echo 1 > out/1").result["id"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run([store.sbx.binary, "artifacts", "get", run, "-o", tmp_path / "to"], stdout=full,
                              stderr=subprocess.PIPE, cwd=store.sbx.cwd, timeout=60)
    assert done.returncode == 125 and files_below(tmp_path / "to") == ["1"]
    assert done.stderr == b"sbx: cannot write to standard output: No space left on device (ENOSPC)\n"


# What fails of each, beside nameless files.
LESS = {
    "as NFS: no flags of rename": ["renameat2:error=EINVAL"],
    "as FUSE: no links either": ["renameat2:error=EINVAL", "linkat:error=EPERM"],
    "as FAT: no links": ["linkat:error=EPERM"],
}


@pytest.fixture
def get(store, tmp_path):
    """Of one file, where what it calls fails as it is told to."""
    run = store.run("mkdir out; echo 1 > out/1").result["id"]
    folder = tmp_path / "to/workspace/out"
    folder.mkdir(parents=True)

    def call(*faults):
        words = [word for fault in faults for word in ("-e", f"inject={fault}")]
        return traced(store, "-P", folder, "-e", "trace=openat,renameat2,linkat,renameat,unlinkat", *words,
                      "-e", "inject=openat:error=EOPNOTSUPP:when=1", store.sbx.binary, "artifacts", "get", run, "-o", tmp_path / "to")
    return call, folder


@pytest.mark.parametrize("what", LESS)
def test_get_to_a_file_system_that_can_do_less(get, what):
    call, folder = get
    for _ in range(2):  # the same once more is no error
        done = call(*LESS[what])
        assert done.returncode == 0, done
        assert files_below(folder) == ["1"] and (folder / "1").read_text() == "1\n"
    (folder / "1").write_text("mine")
    done = call(*LESS[what])
    assert done.returncode == 125 and b"EEXIST" in done.stderr, done
    assert files_below(folder) == ["1"] and (folder / "1").read_text() == "mine"


def test_get_to_a_file_system_that_fails_leaves_nothing(get):
    call, folder = get
    done = call("renameat2:error=EINVAL", "linkat:error=EPERM", "renameat:error=EIO")
    assert done.returncode == 125 and done.stderr.count(b"cannot write") == 1 and b"EIO" in done.stderr, done
    assert files_below(folder) == []


def test_what_is_told_at_the_close_only_is_told(store, tmp_path):
    """As NFS and FUSE do it of what they could not write."""
    run = store.run("mkdir out; echo 1 > out/1").result["id"]
    get = [store.sbx.binary, "artifacts", "get", run, "-o", tmp_path / "to"]
    subprocess.run(["strace", "-qq", "-o", tmp_path / "calls", "-e", "trace=close,fcntl,linkat", *get], cwd=store.sbx.cwd, check=True)
    calls = (tmp_path / "calls").read_text().splitlines()
    linked = next(i for i, call in enumerate(calls) if call.startswith("linkat"))
    closes = sum(call.startswith("close") for call in calls[:linked])
    (tmp_path / "to/workspace/out/1").unlink()
    done = traced(store, "-e", "trace=close", "-e", f"inject=close:error=EDQUOT:when={closes}", *get)
    assert done.returncode == 125 and b"EDQUOT" in done.stderr, done
    assert files_below(tmp_path / "to") == []
