"""An apply that fails or is killed: what it leaves in the workspace is what the host had or what the run has made, and
somebody clears up the rest."""
import os
import resource
import signal
import subprocess

import pytest

from support.waiting import children_of, state_of, wait_until

pytestmark = pytest.mark.needs("overlay")

KILLED = ["strace", "-o", "/dev/null", "-e", "trace=renameat2", "-e"]


def changed(kept, script):
    return kept.run(script).assert_ok().result["changes"]["run"]


def mode(path):
    return path.stat().st_mode & 0o7777


def apply_without_room(kept, name):
    """What is larger than a page cannot be written."""
    done = kept.verb("apply", name, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert done.returncode == 125 and b"EFBIG" in done.stderr, done


@pytest.fixture
def closed(kept):
    """A folder of the host's that is closed to its owner, and is open again when the test is over."""
    folder = kept.sbx.cwd / "closed"
    folder.mkdir()
    (folder / "old").write_text("host\n")
    folder.chmod(0o500)
    yield folder
    for path in (folder, kept.sbx.cwd / "a"):
        if path.exists():
            path.chmod(0o700)


SCRIPT = "mkdir a; echo x > a/f; head -c 9000 /dev/zero > a/g; chmod 550 a; chmod 700 closed; echo y > closed/0; head -c 9000 /dev/zero > closed/new; chmod 500 closed"


def test_one_that_fails_leaves_every_folder_a_mode_of_its_own(kept, closed):
    name = changed(kept, SCRIPT)
    apply_without_room(kept, name)
    assert mode(closed) == 0o500 and mode(kept.sbx.cwd / "a") == 0o550
    assert not (kept.state / "sbx" / "changes" / name / "applying").exists()
    assert kept.apply(name).returncode == 0
    assert (closed / "new").stat().st_size == 9000 and (kept.sbx.cwd / "a" / "g").stat().st_size == 9000
    assert mode(closed) == 0o500 and mode(kept.sbx.cwd / "a") == 0o550


def test_a_mode_that_the_run_has_changed_stays_the_hosts(kept, closed):
    name = changed(kept, "chmod 700 closed; head -c 9000 /dev/zero > closed/new; chmod 555 closed")
    apply_without_room(kept, name)
    assert mode(closed) == 0o500
    assert kept.apply(name).returncode == 0 and mode(closed) == 0o555


def test_discard_gives_back_the_modes_that_a_killed_one_has_changed(kept, closed):
    name = changed(kept, SCRIPT)
    kept.traced([*KILLED, "inject=renameat2:signal=KILL:when=3"], "apply", name)
    assert mode(closed) == 0o700 and mode(kept.sbx.cwd / "a") == 0o700
    assert kept.verb("discard", name).returncode == 0
    assert mode(closed) == 0o500 and mode(kept.sbx.cwd / "a") == 0o550
    assert sorted(os.listdir(closed)) == ["old"]


def test_what_is_applied_of_a_killed_one_alone_gives_back_the_other_modes(kept, closed):
    name = changed(kept, SCRIPT)
    kept.traced([*KILLED, "inject=renameat2:signal=KILL:when=1"], "apply", name)
    assert mode(closed) == 0o700
    assert kept.apply(name, "a").returncode == 0
    assert mode(closed) == 0o500 and mode(kept.sbx.cwd / "a") == 0o550
    assert kept.apply(name).returncode == 0 and mode(closed) == 0o500


def test_what_goes_on_from_there_is_named(kept):
    """After a run that applies by itself, the same command would be another run."""
    words = ["run", *kept.sbx.degraded, "--workspace", ".:overlay", "--keep", "apply", "--", "sh", "-c", "echo x > f"]
    done = kept.traced([*KILLED, "inject=renameat2:error=ENOSPC"], *words)
    name = os.listdir(kept.state / "sbx" / "changes")[0]
    assert f"sbx apply {name} goes on from here".encode() in done.stderr and b"same command" not in done.stderr, done
    done = kept.traced([*KILLED, "inject=renameat2:error=ENOSPC"], "apply", name)
    assert b"the same command goes on from here" in done.stderr, done
    assert kept.apply(name).returncode == 0 and (kept.sbx.cwd / "f").read_text() == "x\n"


# ---- swept by whoever comes next

def kill_while_applied(kept, name, nth=3):
    """Just before a file would take its place."""
    kept.traced([*KILLED, f"inject=renameat2:signal=KILL:when={nth}"], "apply", name)


def leftovers(top):
    return [path for path in top.rglob("*") if path.name.startswith(".sbx-apply-")]


@pytest.mark.parametrize("sweep", ["ps", "run"])
def test_what_a_killed_one_has_left_is_cleared_by_the_next(kept, closed, sweep):
    name = changed(kept, SCRIPT)
    kill_while_applied(kept, name)
    assert leftovers(kept.sbx.cwd) and mode(closed) == 0o700
    if sweep == "ps":
        assert kept.verb("ps").returncode == 0
    else:
        kept.run("true").assert_ok()
    assert not leftovers(kept.sbx.cwd) and mode(closed) == 0o500 and mode(kept.sbx.cwd / "a") == 0o550
    assert kept.apply(name).returncode == 0
    assert (closed / "new").stat().st_size == 9000 and mode(closed) == 0o500


def test_a_run_that_is_killed_as_it_applies_leaves_nothing_for_long(kept, closed):
    """The supervisor itself, which applies at the end of the run."""
    words = ["run", *kept.sbx.degraded, "--workspace", ".:overlay", "--keep", "apply", "--", "sh", "-c", SCRIPT]
    kept.traced([*KILLED, "inject=renameat2:signal=KILL:when=3"], *words)
    assert leftovers(kept.sbx.cwd)
    assert kept.verb("ps").returncode == 0
    assert not leftovers(kept.sbx.cwd) and mode(closed) == 0o500


def test_what_somebody_applies_at_that_moment_is_left_alone(kept):
    name = changed(kept, "echo x > f")
    tracer = subprocess.Popen([*KILLED, "inject=renameat2:error=EINVAL:signal=SIGSTOP", kept.sbx.binary, "apply", name], cwd=kept.sbx.cwd)
    wait_until(lambda: leftovers(kept.sbx.cwd) and any(state_of(pid)[0] in "Tt" for pid in children_of(tracer.pid)), "it does not stop")
    assert kept.verb("ps").returncode == 0
    assert leftovers(kept.sbx.cwd)
    for pid in children_of(tracer.pid):
        os.kill(int(pid), signal.SIGCONT)
    assert tracer.wait(timeout=60) == 0 and (kept.sbx.cwd / "f").read_text() == "x\n"


def test_a_workspace_that_is_gone_keeps_nobody(kept, closed, tmp_path):
    name = changed(kept, SCRIPT)
    kill_while_applied(kept, name)
    os.rename(kept.sbx.cwd, tmp_path / "moved")
    assert subprocess.run([kept.sbx.binary, "ps"], cwd=tmp_path, capture_output=True).returncode == 0
    os.rename(tmp_path / "moved", kept.sbx.cwd)
    assert kept.verb("ps").returncode == 0 and not leftovers(kept.sbx.cwd)
