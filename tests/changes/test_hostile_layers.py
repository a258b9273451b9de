"""What a payload makes in its layer to harm whoever reads or applies it later."""
import os

import pytest

from support import slow

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


MANY_NAMES = """
import os
os.makedirs("d", exist_ok=True)
with open("d/0", "wb") as file:
    for _ in range(100): file.write(b"x" * 1_000_000)
for i in range(1, 400): os.link("d/0", f"d/{i}")
"""


def test_a_large_file_of_many_names_is_read_once(kept):
    """It costs its maker nothing; read for each name, as this one was, some 250,000 of them took hours. In the second
    run all of them are looked at on the host, as the folder has been replaced."""
    kept.run(MANY_NAMES, program="python3", keep="apply").assert_ok()
    assert len({(entry.stat().st_ino, entry.stat().st_nlink) for entry in os.scandir(kept.sbx.cwd / "d")}) == 1
    before = os.times()
    run = kept.run("import shutil, os\nshutil.rmtree('d')\nos.mkdir('d')", program="python3").assert_ok()
    assert run.result["changes"]["deleted"] == 400
    assert _cpu_since(before) < 5 * slow.FACTOR


def test_and_so_it_is_where_it_is_applied(kept):
    run = kept.run(MANY_NAMES, program="python3").assert_ok()
    before = os.times()
    done = kept.apply(run.result["changes"]["run"])
    assert done.returncode == 0, done
    assert _cpu_since(before) < 5 * slow.FACTOR
    assert (kept.sbx.cwd / "d" / "0").stat().st_nlink == 400


def _cpu_since(before):
    """Seconds of processor time that processes have had which have ended since."""
    now = os.times()
    return now.children_user + now.children_system - before.children_user - before.children_system


PLANT = """
import os
for path in ("file", "folder", "new"):
    if path == "new":
        open(path, "w").write("run\\n")
    for name in ("whiteout", "opaque", "metacopy", "redirect", "overlay.whiteout"):
        os.setxattr(path, "user.overlay." + name, b"y")
os.setxattr("file", "user.mine", b"y")
"""


def test_attributes_that_a_later_overlay_would_obey_are_not_applied(kept):
    """A file could be hidden by them from all later runs, or closed to them."""
    top = kept.sbx.cwd
    (top / "file").write_text("host\n")
    (top / "folder").mkdir()
    (top / "folder" / "in").write_text("host\n")
    run = kept.run(PLANT, program="python3").assert_ok()
    assert sum("overlays obey" in warning for warning in run.result["warnings"]) == 3, run.result["warnings"]
    name = run.result["changes"]["run"]
    assert kept.changes(name) == {b"file": "modified", b"new": "added"} and len(kept.diff(name)["omitted"]) == 3
    assert kept.apply(name).returncode == 0
    for path in ("file", "folder", "new"):
        assert [attribute for attribute in os.listxattr(top / path) if attribute.startswith("user.")] == ["user.mine"] * (path == "file")
    assert kept.run("cat file new folder/in").assert_ok().out == "host\nrun\nhost\n"


def test_and_are_no_difference_where_the_host_has_them(kept):
    """As a command has left them that wrote to the folder itself."""
    (kept.sbx.cwd / "folder").mkdir()
    os.setxattr(kept.sbx.cwd / "folder", "user.overlay.redirect", b"y")
    os.setxattr(kept.sbx.cwd / "folder", "user.mine", b"y")
    run = kept.run("echo x > folder/new; chmod 711 folder").assert_ok()
    assert not run.result["warnings"]
    assert kept.changes(run.result["changes"]["run"]) == {b"folder": "modified", b"folder/new": "added"}
    assert kept.apply(run.result["changes"]["run"]).returncode == 0
