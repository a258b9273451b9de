"""What a payload makes in its layer to harm whoever reads or applies it later."""
import os

import pytest

pytestmark = pytest.mark.needs("overlay")

LARGE = {"version": 1, "workspace": {"size": "1G"}, "limits": {"memory": "1G"}}
SECOND = 10 ** 9


def test_what_is_not_kept_is_bounded_as_well(kept):
    """A socket costs its maker nothing, and us its whole path."""
    script = ("import os\nfor i in range(230):\n    os.mkdir('d' * 250)\n    os.chdir('d' * 250)\n"
              "for i in range(3000): os.mknod(f's{i}', 0o140600)\n")
    run = kept.run(script, program="python3", profile=LARGE)
    assert run.status == "ok" and run.code == 125 and "too long, or too many" in run.err, run.code
    assert kept.files() == ["sbx", "sbx/changes"]


@pytest.mark.parametrize("time", [
    -SECOND // 2, -SECOND * 3 // 2, -(SECOND ** 2) - 1, SECOND ** 2 + 1, 2 ** 40 * SECOND, -(2 ** 40) * SECOND])
def test_files_of_any_time_are_applied(kept, time):
    """Before the epoch, and beyond what nanoseconds can tell: as near as the file system comes."""
    script = f"import os\nopen('f', 'w').write('x')\nos.utime('f', ns=({time}, {time}))"
    run = kept.run(script, program="python3").assert_ok()
    done = kept.apply(run.result["changes"]["run"])
    assert done.returncode == 0, done
    set_to = os.stat(kept.sbx.cwd / "f").st_mtime_ns
    assert (set_to < 0) == (time < 0)
    if abs(time) < 2 ** 31 * SECOND:
        assert set_to == time


def test_a_file_that_was_closed_to_its_owner_is_opened(kept):
    """Its content is in the layer alone, for an ordinary user."""
    top = kept.sbx.cwd
    for name, mode in (("closed", 0), ("writable", 0o200)):
        (top / name).write_text("host\n")
        (top / name).chmod(mode)
    run = kept.run("chmod 644 closed; chmod 600 writable").assert_ok()
    done = kept.apply(run.result["changes"]["run"])
    assert done.returncode == 0, done
    for name, mode in (("closed", 0o644), ("writable", 0o600)):
        assert (top / name).read_text() == "host\n" and (top / name).stat().st_mode & 0o777 == mode
