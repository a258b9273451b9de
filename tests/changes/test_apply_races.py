"""Somebody else works in the workspace while it is applied to."""
import ctypes
import os
import signal
import subprocess
import time

import pytest

from support.waiting import children_of, wait_until

pytestmark = pytest.mark.needs("overlay")

OWNER = 12345
RENAME_EXCHANGE = 2


def test_what_the_host_saves_while_a_file_is_made_is_not_overwritten(kept):
    """Making the new one takes long enough to save the old one once more."""
    top = kept.sbx.cwd
    (top / "file").write_text("host\n")
    run = kept.run("head -c 100M /dev/urandom > file", "--set", "workspace.size=1G", "--set", "limits.memory=1G")
    name = run.assert_ok().result["changes"]["run"]
    applying = subprocess.Popen([kept.sbx.binary, "apply", name], cwd=top, stderr=subprocess.PIPE)
    while not (top / f".sbx-apply-{name}").exists() and applying.poll() is None:
        pass
    with open(top / "file", "a") as file:
        file.write("and more\n")
    message = applying.communicate(timeout=60)[1]
    assert applying.returncode == 125 and b"somebody else has just changed it" in message, message
    assert (top / "file").read_text() == "host\nand more\n"
    assert os.listdir(top) == ["file"]
    again = kept.apply(name)
    assert again.returncode == 125 and b"conflict: file: the host has changed its content" in again.stderr, again


def test_what_the_host_saves_at_the_command_s_first_moment_is_not_overwritten(kept):
    """A start can be shorter than a tick of the clock that files get their times from."""
    file = kept.sbx.cwd / "file"
    for _ in range(300):
        file.write_text("before")
        running = kept.start("echo ready; read word; echo mine > file", keep="apply")
        file.write_text("host")
        run = running.wait(stdin=b"on\n")
        assert (run.code, file.read_text()) == (125, "host"), run


# As NFS: no flags of rename.
LESS = ["strace", "-e", "trace=renameat2,linkat", "-e"]


@pytest.mark.parametrize("make", ["echo run > new", "ln -s target new", "mkfifo new"])
def test_what_the_host_saves_meanwhile_stays_where_rename_knows_no_flags(kept, make, tmp_path):
    """Between the look and the change: sbx stands still there until the host has saved."""
    top = kept.sbx.cwd
    name = kept.run(make).assert_ok().result["changes"]["run"]
    log = tmp_path / "log"
    tracer = subprocess.Popen([*LESS, "inject=renameat2:error=EINVAL:signal=SIGSTOP", "-o", log, kept.sbx.binary, "apply", name],
                              cwd=top, stderr=subprocess.PIPE)
    wait_until(lambda: log.exists() and "stopped by SIGSTOP" in log.read_text(), "it does not stop")
    (top / "new").write_text("host\n")
    sbx, = children_of(tracer.pid)
    os.kill(int(sbx), signal.SIGCONT)
    message = tracer.communicate(timeout=60)[1]
    assert tracer.returncode == 125 and b"somebody else has just changed it" in message, message
    assert (top / "new").read_text() == "host\n" and os.listdir(top) == ["new"]


def test_what_is_new_is_applied_where_rename_knows_no_flags(kept):
    name = kept.run("echo run > new; ln -s target link; mkfifo pipe").assert_ok().result["changes"]["run"]
    done = kept.traced([*LESS, "inject=renameat2:error=EINVAL"], "apply", name)
    assert done.returncode == 0, done
    assert sorted(os.listdir(kept.sbx.cwd)) == ["link", "new", "pipe"]
    assert (kept.sbx.cwd / "new").read_text() == "run\n" and os.readlink(kept.sbx.cwd / "link") == "target"


def test_and_refused_where_there_are_no_links_either(kept):
    name = kept.run("echo run > new").assert_ok().result["changes"]["run"]
    less = [*LESS, "inject=renameat2:error=EINVAL", "-e", "inject=linkat:error=EPERM"]
    done = kept.traced(less, "apply", name)
    assert done.returncode == 125 and b"cannot rename without replacing what is there, nor link" in done.stderr, done
    assert os.listdir(kept.sbx.cwd) == []
    assert kept.apply(name).returncode == 0


def exchange(top, a, b):
    """Until its parent ends: each has the other's name, and has it again, as the workspace's owner."""
    libc = ctypes.CDLL(None)
    os.chdir(top)  # above it, folders may be closed to them
    os.setgroups([])
    os.setgid(OWNER)
    os.setuid(OWNER)
    parent = os.getppid()
    while os.getppid() == parent:
        libc.renameat2(-100, os.fsencode(a), -100, os.fsencode(b), RENAME_EXCHANGE)
        time.sleep(0.0005)


@pytest.mark.needs("root")
def test_root_changes_nothing_where_the_owner_may_not_write(kept):
    """Between the look and the change, a folder of root's takes the name of one of the owner's."""
    top = kept.sbx.cwd
    mine, roots = top / "mine", top / "roots"
    for folder in (mine, roots):
        folder.mkdir(mode=0o755)
        for i in range(300):
            (folder / f"f{i:03}").write_text("same\n")
    for path in (top, mine, *mine.iterdir()):
        os.chown(path, OWNER, OWNER)
    run = kept.run("cd mine; rm f0*; for f in f1*; do echo other > $f; done; for i in $(seq 99); do mkdir new$i; done")
    name, of_roots = run.assert_ok().result["changes"]["run"], roots.stat().st_ino
    swapper = os.fork()
    if swapper == 0:
        try:
            exchange(top, "mine", "roots")
        finally:
            os._exit(0)
    for _ in range(5):
        kept.apply(name)
    os.kill(swapper, signal.SIGKILL)
    os.waitpid(swapper, 0)
    if mine.stat().st_ino == of_roots:
        mine, roots = roots, mine
    assert roots.stat().st_uid == 0
    assert {path.name: path.read_text() for path in roots.iterdir()} == {f"f{i:03}": "same\n" for i in range(300)}
