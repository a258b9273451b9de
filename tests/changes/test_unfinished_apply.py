"""An apply that fails or is killed: what it leaves in the workspace is what the host had or what the run has made, and
somebody clears up the rest."""
import os
import resource

import pytest

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
