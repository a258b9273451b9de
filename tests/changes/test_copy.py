"""Where overlayfs refuses the workspace, `degrade: [overlay]` gives the command a copy, and nothing else is different.

It refuses for real: the workspace is an overlay of an overlay, and the kernel nests no deeper."""
import os
import shutil
import socket
import subprocess

import pytest

from changes import test_random_changes as random_changes
from changes.trees import difference, remove_tree, snapshot

pytestmark = pytest.mark.needs("overlay")

# In a mount namespace of its own, so that nothing of this is seen outside; an ordinary user needs a user namespace for
# it, and is itself again in one inside.
WRAPPER = """#!/bin/sh
case "$1" in
run) ;;
nested) shift
  top=$TOP; layers=$(mktemp -d) && mount -t tmpfs layers "$layers" || exit 99
  mkdir "$layers/1" "$layers/2" "$layers/w1" "$layers/w2" "$layers/once" || exit 99
  mount -t overlay -o "lowerdir=$top,upperdir=$layers/1,workdir=$layers/w1,userxattr" once "$layers/once" || exit 99
  mount -t overlay -o "lowerdir=$layers/once,upperdir=$layers/2,workdir=$layers/w2,userxattr" twice "$top" || exit 99
  [ -z "$INSIDE" ] || mount -t tmpfs inside "$top/$INSIDE" || exit 99
  cd "$top" || exit 99
  [ "$USER_ID" = 0 ] || exec unshare --user --map-user="$USER_ID" --map-group="$GROUP_ID" "$SBX" "$@"
  exec "$SBX" "$@" ;;
*) exec "$SBX" "$@" ;;
esac
TOP=${TOP:-$(pwd -P)}; USER_ID=$(id -u); GROUP_ID=$(id -g); export TOP USER_ID GROUP_ID
[ "$USER_ID" = 0 ] || exec unshare --user --map-root-user --mount "$0" nested "$@"
exec unshare --mount "$0" nested "$@"
"""
# How large a folder is depends on the file system.
LIST = "find . -mindepth 1 \\( -type d -printf '%P %y %m %T@\\n' -o -printf '%P %y %m %s %T@ %l\\n' \\) | sort"


@pytest.fixture
def nested(kept, tmp_path, monkeypatch, open_folder):
    """What runs, finds its workspace to be what overlayfs refuses."""
    wrapper = tmp_path / "sbx-nested"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("SBX", kept.sbx.binary)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    kept.sbx.binary = str(wrapper)
    if os.getuid() == 0:
        # overlayfs cannot be id-mapped, which root would need.
        kept.sbx.degraded = [*kept.sbx.degraded, "--degrade", "idmap"]
    return kept


def copied(kept, script, *flags, **options):
    return kept.run(script, "--degrade", "overlay", *flags, **options)


def test_without_the_word_nothing_runs(nested):
    run = nested.run("echo be''gun")
    run.assert_refused("overlay at /workspace", "EINVAL", "--degrade overlay")
    assert "begun" not in run.out


def test_the_command_has_all_of_it_and_the_result_says_that_it_is_a_copy(nested):
    top = nested.sbx.cwd
    (top / "d/e").mkdir(parents=True)
    (top / "d/e/text").write_text("x" * 10000)
    (top / "d/run").write_text("#!/bin/sh\n")
    (top / "d/run").chmod(0o755)
    os.link(top / "d/run", top / "again")
    os.symlink("d/e/text", top / "link")
    os.symlink("/etc/passwd", top / "out")
    os.mkfifo(top / "fifo")
    with open(top / "holes", "wb") as holes:
        holes.truncate(100 << 20)
        holes.seek(50 << 20)
        holes.write(b"data")
    os.utime(top / "d", ns=(1, 1_234_567_890_123_456_789))
    os.setxattr(top / "d/e/text", "user.name", b"value")
    before = snapshot(top)
    seen = subprocess.run(["sh", "-c", LIST], cwd=top, capture_output=True, text=True, check=True).stdout
    run = copied(nested, f"{LIST}; [ d/run -ef again ] && echo one; du -k holes; echo x > new; rm -r d", keep="none").assert_ok()
    assert run.out.splitlines()[:len(seen.splitlines())] == seen.splitlines() and "\none\n" in run.out, run.out
    assert int(run.out.split()[-2]) <= 8
    assert snapshot(top) == before
    isolation = run.result["isolation"]
    assert "overlay" in isolation["degraded"] and "overlay" in isolation["approximate"]
    assert sum("had a copy of it" in warning for warning in run.result["warnings"]) == 1 and "copy" in run.err


def test_an_overlay_that_works_is_no_copy(kept):
    run = copied(kept, "echo x > new").assert_ok()
    assert "overlay" not in run.result["isolation"]["degraded"] and not run.result["warnings"]


def test_explain_says_that_it_may_be_one(kept):
    words = ["--workspace", f"{kept.sbx.cwd}:overlay", *kept.sbx.degraded]
    assert "a copy, where overlayfs refuses" in kept.sbx.call("explain", *words, "--degrade", "overlay", "--", "true").out
    assert "a copy" not in kept.sbx.call("explain", *words, "--", "true").out


def test_what_changed_in_a_copy_is_kept_and_applied(nested):
    top = nested.sbx.cwd
    for name in ("file", "gone", "same"):
        (top / name).write_text("host\n")
    (top / "old").mkdir()
    (top / "old/inner").write_text("host\n")
    run = copied(nested, "echo more >> file; rm -r gone old; touch same; mkdir d; echo x > d/new").assert_ok()
    name = run.result["changes"]["run"]
    assert nested.changes(name) == {b"file": "modified", b"gone": "deleted", b"old": "deleted", b"old/inner": "deleted",
                                    b"d": "added", b"d/new": "added"}
    assert nested.apply(name).returncode == 0
    assert (top / "file").read_text() == "host\nmore\n" and not (top / "old").exists() and (top / "d/new").exists()


def test_a_copy_that_nothing_changed_leaves_nothing(nested):
    top = nested.sbx.cwd
    (top / "one").write_text("x")
    os.link(top / "one", top / "two")
    os.mkfifo(top / "fifo")
    with socket.socket(socket.AF_UNIX) as door:
        os.chdir(top)
        door.bind("door")
        run = copied(nested, "test ! -e door && cat one").assert_ok()
    others = [text for text in run.result["warnings"] if "show as they are on disk" not in text]
    assert run.result["changes"]["run"] is None and len(others) == 1, run


def test_what_is_mounted_inside_is_left_out_and_no_deletion(nested):
    top = nested.sbx.cwd
    (top / "inside").mkdir()
    (top / "file").write_text("x")
    run = copied(nested, "ls inside; echo y > file", env={"INSIDE": "inside"}).assert_ok()
    assert nested.changes(run.result["changes"]["run"]) == {b"file": "modified"}


def test_a_place_of_a_mount_can_be_removed(nested):
    (nested.sbx.cwd / "inside").mkdir()
    run = copied(nested, "rmdir inside; echo y > new", env={"INSIDE": "inside"}).assert_ok()
    assert nested.changes(run.result["changes"]["run"]) == {b"new": "added"}


def test_a_copy_that_does_not_fit_is_no_run(nested):
    (nested.sbx.cwd / "big").write_bytes(os.urandom(3 << 20))
    profile = {"version": 1, "degrade": ["overlay"], "workspace": {"source": ".", "mode": "overlay", "size": "1M"}}
    run = nested.sbx.run(profile=profile, cmd=["sh", "-c", "echo be''gun"])
    run.assert_refused("ENOSPC", "its copy does not fit", "workspace.size")
    assert "begun" not in run.out


def test_nor_one_that_is_nested_too_deep(nested):
    deep = nested.sbx.cwd
    back = os.getcwd()
    os.chdir(deep)
    for _ in range(210):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(back)
    copied(nested, "true").assert_refused("ELOOP", "nested too deep")


@pytest.mark.needs("root")
def test_nor_one_that_cannot_be_read_whole(nested):
    (nested.sbx.cwd / "closed").write_text("root's alone")
    (nested.sbx.cwd / "closed").chmod(0o600)
    copied(nested, "true").assert_refused("EACCES", "may not read")


@pytest.mark.needs("user")  # root's own trees cannot be id-mapped here, and hold what the command may not read
@pytest.mark.parametrize("batch", range(4))
def test_a_random_change_set_of_a_copy_is_listed_and_applied_exactly(nested, tmp_path, batch):
    for number in range(15):
        one_round(nested, tmp_path, 100_000 + 1000 * batch + 2 * number)


def one_round(kept, folder, seed):
    tree, reference = folder / "tree", folder / "reference"
    random_changes.make_tree(tree, seed)
    shutil.copytree(tree, reference, symlinks=True, copy_function=random_changes.copy_whole)
    before = snapshot(tree)[0]
    subprocess.run([os.environ["SBX"], "run", *kept.sbx.degraded, "--workspace", f"{reference}:rw", "--",
                    *random_changes.mutation(seed + 1)], check=True, capture_output=True)
    run = kept.sbx.run(flags=["--workspace", ".:overlay", "--keep", "diff", "--degrade", "overlay"],
                       cmd=random_changes.mutation(seed + 1), env={"TOP": str(tree)}).assert_ok()
    assert snapshot(tree)[0] == before and len(run.result["warnings"]) == 1, (seed, run)
    wanted = snapshot(reference)
    name = run.result["changes"]["run"]
    assert (kept.changes(name) if name else {}) == difference(before, wanted[0]), seed
    if name:
        assert kept.apply(name).returncode == 0 and snapshot(tree) == wanted, seed
    remove_tree(tree)
    remove_tree(reference)
