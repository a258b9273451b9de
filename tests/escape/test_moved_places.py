"""A payload that may write to the workspace moves the folder above a masked or mounted place, so that a later run, or
whoever looks on the host by name, finds elsewhere what lies behind. Without the steps that hold the folders it can."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

WRITABLE = ("--workspace", ".:rw")
NO_WALL = {"SBX_TEST_WITHOUT": "protect_path"}


@pytest.fixture
def places(sbx, tmp_path):
    """What hides a/b/secret in each of the ways that a profile has."""
    (sbx.cwd / "a" / "b").mkdir(parents=True)
    (sbx.cwd / "a" / "b" / "secret").write_text("hunter2\n")
    (sbx.cwd / "a" / "file").write_text("plain\n")
    for path in (sbx.cwd, *sbx.cwd.rglob("*")):
        path.chmod(0o777)
    other = tmp_path / "other"
    other.mkdir()
    (other / "secret").write_text("")
    return {"mask": ("--mask", "/workspace/a/b/secret"), "folder": ("--mask", "/workspace/a/b"),
            "pattern": ("--mask", "/workspace/a/**/secret"), "pattern of folders": ("--mask", "/w*/a/b"),
            "mount": ("--ro", f"{other}:/workspace/a/b"), "tmpfs": ("--tmpfs", "/workspace/a/b"),
            "file": ("--set", 'mounts=[{"file": "/workspace/a/b/secret", "content": ""}]')}


WAYS = ("mask", "folder", "pattern", "pattern of folders", "mount", "tmpfs", "file")


def sh(program, script, *flags, **options):
    return program.run(flags=[*WRITABLE, *flags], cmd=["sh", "-c", script], **options)


@pytest.mark.parametrize("way", WAYS)
def test_what_is_above_cannot_be_moved(sbx, places, way):
    run = sh(sbx, "mv -T a z; cat a/b/secret", *places[way])
    assert "hunter2" not in run.out and "Device or resource busy" in run.err, run
    later = sh(sbx, "cat z/b/secret", *places[way])
    assert "hunter2" not in later.out and (sbx.cwd / "a" / "b" / "secret").read_text() == "hunter2\n", later


@pytest.mark.parametrize("way", WAYS)
def test_control_moved_it_shows_what_lies_behind(weakened, sbx, places, way):
    sh(weakened, "mv -T a z", *places[way], env=NO_WALL, cwd=sbx.cwd).assert_ok()
    hidden = places[way] if places[way][0] == "--mask" else ()
    later = sh(weakened, "cat z/b/secret", *hidden, env=NO_WALL, cwd=sbx.cwd)
    assert later.out == "hunter2\n", later


@pytest.mark.parametrize("way", ("mask", "pattern", "mount"))
def test_what_is_held_can_be_written_to(sbx, places, way):
    script = "cd a && echo more >> file && echo n > new && mv new newer && mkdir d && mv d e && rmdir e && cat file"
    run = sh(sbx, script, *places[way]).assert_ok()
    assert run.out == "plain\nmore\n" and (sbx.cwd / "a" / "newer").read_text() == "n\n", run


def test_every_mount_that_is_made_is_like_the_workspace(sbx, places):
    run = sh(sbx, "cat /proc/self/mountinfo", *places["mask"], *places["pattern"]).assert_ok()
    flags = {line.split()[4]: line.split()[5] for line in run.out.splitlines() if "/workspace" in line.split()[4]}
    assert flags["/workspace/a"] == flags["/workspace/a/b"] == flags["/workspace"], flags
    assert "nosuid" in flags["/workspace"] and "nodev" in flags["/workspace"], flags


def test_two_patterns_and_a_mask_keep_each_other(sbx, places):
    (sbx.cwd / "a" / "b" / "key").write_text("hunter2\n")
    (sbx.cwd / "a" / "key").write_text("hunter2\n")
    run = sh(sbx, "cat a/key a/b/key a/b/secret", "--mask", "/workspace/a/key", "--mask", "/workspace/**/secret",
             "--mask", "/workspace/a/*/key").assert_ok()
    assert run.out == "", run


def test_a_pattern_that_meets_the_root_leaves_it_sealed(sbx, places):
    run = sh(sbx, "test ! -s /etc/passwd && touch /etc/made", "--mask", "/*/passwd", "--landlock", "off")
    assert "Read-only file system" in run.err, run


def test_what_is_hidden_twice_or_missing_is_no_error(sbx, places):
    sh(sbx, "test ! -s a/b/secret && ! ls a/b/secret/x", "--mask", "/workspace/a/b/secret/x/y", "--mask",
       "/workspace/a/b/secret", "--mask", "/workspace/a/none/x/y").assert_ok()


@pytest.mark.parametrize("mode", ("ro", "overlay"))
def test_other_workspaces_have_no_more_mounts(sbx, places, mode):
    run = sbx.run(flags=["--workspace", f".:{mode}", *places["mask"]], cmd=["cat", "/proc/self/mountinfo"]).assert_ok()
    inside = {line.split()[4] for line in run.out.splitlines() if line.split()[4].startswith("/workspace")}
    assert inside == {"/workspace", "/workspace/a/b/secret"}, run


@pytest.mark.needs("root")
def test_a_folder_that_a_payload_has_closed_is_hidden_from_the_next(sbx_binary):
    """The folder has a group of its owner's that no user namespace of his knows, so that sbx cannot look into it."""
    user, other = 60004, 60005
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to others
        os.chmod(folder, 0o755)
        binary = shutil.copy(sbx_binary, folder)
        closed = Path(folder, "workspace", "a", "b")
        closed.mkdir(parents=True)
        (closed / "secret").write_text("hunter2\n")
        runtime = Path(folder, "run")
        runtime.mkdir(mode=0o700)
        for path in (runtime, closed.parents[1], closed.parent, closed, closed / "secret"):
            os.chown(path, user, other)

        def run(script):
            command = [binary, "run", "--degrade", "cgroup", "--workspace", f"{folder}/workspace:rw",
                       "--mask", "/workspace/**/secret", "--", "sh", "-c", script]
            return subprocess.run(["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command],
                                  cwd="/", env={"PATH": os.defpath, "XDG_RUNTIME_DIR": str(runtime)},
                                  capture_output=True, text=True)

        assert run("chmod 0 a/b").returncode == 0
        later = run("chmod 700 a/b; mv -T a/b a/c; cat a/b/secret a/c/secret")
        assert "hunter2" not in later.stdout and later.stderr.count("Device or resource busy") == 1, later
        assert not (closed.parent / "c").exists() and closed.stat().st_mode & 0o777 == 0
