"""Folders that are closed to their owner: what has to be opened on the way to a change is closed again."""
import os

import pytest

pytestmark = pytest.mark.needs("overlay")


def changed(kept, script, **options):
    return kept.run(script, **options).assert_ok().result["changes"]["run"]


def test_a_folder_closed_to_its_owner_is_closed_again(kept):
    top = kept.sbx.cwd
    (top / "d").mkdir()
    (top / "d" / "file").write_text("host\n")
    (top / "d").chmod(0o555)
    name = changed(kept, "chmod 755 d; echo x > d/new; rm d/file; chmod 555 d")
    assert kept.apply(name).returncode == 0
    assert os.listdir(top / "d") == ["new"] and (top / "d").stat().st_mode & 0o777 == 0o555
    assert set(kept.changes(name)) == {b"d/new", b"d/file"}
    (top / "d").chmod(0o755)


def test_the_same_again_changes_nothing(kept):
    """Nor does it open what the run has closed."""
    top = kept.sbx.cwd
    (top / "d").mkdir(mode=0o755)
    name = changed(kept, "echo hi > d/f; chmod 0500 d")
    for begin, end in ((b"2 changes applied", b""), (b"0 changes applied", b", 2 there already\n"), (b"0 changes", b"already\n")):
        done = kept.apply(name)
        assert done.returncode == 0 and done.stdout.startswith(begin) and done.stdout.endswith(end), done
        assert (top / "d").stat().st_mode & 0o777 == 0o500
    (top / "d").chmod(0o755)


def test_a_mode_that_the_host_has_changed_since_stays(kept):
    """Of a folder of which the run changed nothing but what is in it."""
    top = kept.sbx.cwd
    (top / "d").mkdir()
    (top / "d").chmod(0o555)
    name = changed(kept, "chmod 755 d; echo x > d/new; chmod 555 d")
    (top / "d").chmod(0o755)
    assert kept.apply(name).returncode == 0
    assert (top / "d" / "new").exists() and (top / "d").stat().st_mode & 0o777 == 0o755
