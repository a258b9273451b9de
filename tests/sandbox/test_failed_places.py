"""A step that fails on this host names the line of the profile, or the flag, that asked for it."""
import re

import pytest

BELOW = "/workspace/data/missing"


@pytest.fixture
def folder(sbx):
    """A folder that is shown inside, in which a mount point is missing."""
    (sbx.cwd / "data").mkdir()
    (sbx.folder / "source").mkdir()
    return sbx.folder / "source"


def test_a_line_of_the_profile(sbx, folder):
    profile = sbx.profile(f"version: 1\nmounts:\n  - bind: {folder}\n    at: {BELOW}\n")
    where = rf"{re.escape(str(profile))}:3:5: step \d+/\d+: "
    run = sbx.run(profile, cmd=["true"]).assert_refused("missing")
    assert re.match("sbx: " + where, run.err), run
    assert re.match(where, run.result["reason"]["text"]), run


@pytest.mark.parametrize("flag", ["--ro", "--rw"])
def test_a_flag(sbx, folder, flag):
    run = sbx.run(flags=[flag, f"{folder}:{BELOW}"], cmd=["true"]).assert_refused("missing")
    assert re.match(rf"sbx: {flag}: step \d+/\d+: ", run.err), run


def test_the_folder_where_it_starts(sbx):
    run = sbx.run(flags=["--workdir", "/workspace/nowhere"], cmd=["true"]).assert_refused("ENOENT")
    assert re.match(r"sbx: --workdir: step \d+/\d+: ", run.err), run
    # No control has held anything; one of them may be what failed.
    isolation = run.result["isolation"]
    assert isolation["enforced"] == [] and "seccomp" in isolation["required"], run


def test_a_root_that_is_missing(sbx):
    profile = sbx.profile("version: 1\nroot: {dir: /nonexistent}\n")
    run = sbx.run(profile, cmd=["true"]).assert_refused("/nonexistent", "ENOENT")
    assert run.err.startswith(f"sbx: {profile}:2:1: "), run
    run = sbx.run(flags=["--root", "/nonexistent"], cmd=["true"]).assert_refused("ENOENT")
    assert run.err.startswith("sbx: --root: "), run


def test_control_with_the_mount_point_there(sbx, folder):
    (sbx.cwd / "data" / "missing").mkdir()
    sbx.run(flags=["--ro", f"{folder}:{BELOW}"], cmd=["true"]).assert_ok()
