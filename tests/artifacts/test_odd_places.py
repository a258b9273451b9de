"""A store on a file system that does things its own way, or with something of somebody else's in it."""
import os
import re
import subprocess

import pytest


def test_no_file_is_removed_while_it_is_open(store):
    """On NFS it gets another name then, which cannot go (EBUSY), and its folder stays: the next run was refused for it."""
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    (store.folder / "staging/killed").mkdir()
    (store.folder / "staging/killed/lock").touch()
    log = store.state / "calls"
    words = ["strace", "-qq", "-y", "-o", log, "-e", "trace=openat,openat2,close,unlinkat", store.sbx.binary, "run", *store.sbx.degraded,
             "--workspace", ".:rw", "--collect", "/workspace/out/**", "--", "true"]
    done = subprocess.run(words, capture_output=True, cwd=store.sbx.cwd, timeout=60)
    assert done.returncode == 0 and store.staged() == [], done
    is_open, removed = set(), 0
    for call in log.read_text().splitlines():
        if opened := re.search(r"= (\d+<.*/staging/.*>)$", call):
            is_open.add(opened[1])
        if closed := re.match(r"close\((\d+<.*>)\)", call):
            is_open.discard(closed[1])
        if found := re.match(r'unlinkat\(\d+<(.*/staging/.*)>, "([^"]*)", 0\)', call):
            assert not [one for one in is_open if one.endswith(f"<{found[1]}/{found[2]}>")], call
            removed += 1
    assert removed >= 3  # a lock of each, and the content


def test_what_is_not_ours_stays_where_it_is(store):
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    [content] = store.objects()
    strays = [store.folder / "objects/lost", content.parent.parent / ".nfs0001", content.parent / ".nfs0002"]
    for stray in strays:
        stray.touch()
    assert "removed 1 run and 1 content" in store.good("gc", "--older-than", "0s")
    assert sorted(store.objects()) == sorted(strays)
    store.run("echo 2 > out/2").assert_ok()
    store.good("verify")


def test_gc_on_a_full_disk_says_what_to_do_and_changes_nothing(store, tmp_path):
    """On a disk of its own, which is seen by nobody else."""
    store.run("mkdir out; head -c 100K /dev/urandom > out/1").assert_ok()
    script = """set -e; mount -t tmpfs -o size=1M,mode=0700 none "$1"; cp -a "$2/." "$1"; export XDG_STATE_HOME="$1"
        head -c 2M /dev/zero > "$1/fill" 2>/dev/null || true
        "$3" artifacts gc --older-than 0s && exit 1
        "$3" artifacts verify; rm "$1/fill"; "$3" artifacts gc --older-than 0s"""
    (tmp_path / "disk").mkdir()
    done = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", tmp_path / "disk", store.state, store.sbx.binary],
                          capture_output=True, timeout=60)
    assert done.returncode == 0 and b"removed 1 run and 1 content" in done.stdout, done
    assert b"is full" in done.stderr and b"make a little room there" in done.stderr, done


@pytest.mark.needs("root")
def test_root_does_not_keep_anything_below_somebody_elses_folder(store):
    """Who owns it can put another in its place at any moment; su and sudo may leave root with his XDG_STATE_HOME."""
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    for folder in (store.state, store.state / "sbx"):
        os.chown(folder, 1234, 1234)
        run = store.run("echo 2 > out/2")
        assert run.code == 125 and "has to be yours" in run.err, run
        assert store.verb("ls").returncode == 125
        os.chown(folder, 0, 0)
    assert len(store.list()) == 1


@pytest.mark.needs("root")
def test_nor_does_root_make_anything_there(store, tmp_path, monkeypatch):
    (tmp_path / "his").mkdir()
    os.chown(tmp_path / "his", 1234, 1234)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "his/state"))
    for flags in ([], ["--keep", "diff"]):
        run = store.run("echo 2 > out", *flags, workspace=".:overlay" if flags else ".:rw")
        assert run.code == 125 and "has to be yours" in run.err, run
    assert list((tmp_path / "his").iterdir()) == []


def test_what_is_no_file_in_a_contents_place_is_damage(store):
    """A FIFO has no end."""
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    [content] = store.objects()
    content.unlink()
    os.mkfifo(content)
    verified = store.verb("verify")
    assert verified.returncode == 125 and content.name[:12].encode() in verified.stderr, verified
    store.run("true").assert_ok()
    store.good("verify")


def test_a_store_whose_lock_is_lost_is_not_empty(store):
    store.run("mkdir out; echo 1 > out/1").assert_ok()
    (store.folder / "lock").unlink()
    assert len(store.list()) == 1


def test_every_artifact_is_below_the_root(store, tmp_path):
    run = store.run("mkdir out; echo 1 > out/1").assert_ok().result["id"]
    store.good("get", run, "/", "-o", tmp_path / "all")
    assert (tmp_path / "all/workspace/out/1").read_text() == "1\n"
