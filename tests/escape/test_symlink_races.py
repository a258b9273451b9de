"""A folder that turns into a symlink while sbx sets up never shows what the link points to
(runc CVE-2021-30465, bubblewrap CVE-2026-87766)."""
import os
import signal
import subprocess

import pytest

from escape.swapper import exchange, swapping

STARTS = int(os.environ.get("SBX_TEST_RACES", "300"))
SECRET = "the host's secret"


@pytest.fixture
def trap(tmp_path):
    """A profile's folder with `data`, a folder, and `link`, a symlink to what must stay unseen."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text(SECRET)
    folder = tmp_path / "project"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "file").write_text("harmless")
    (folder / "link").symlink_to(outside)
    return folder


def start_often(sbx, trap, profile, cmd):
    """(how many runs showed the harmless side, what those that were refused said); a third kind fails."""
    path = trap / "profile.yaml"
    path.write_text(profile)
    harmless, refused = 0, []
    argv = [sbx.binary, "run", str(path), *sbx.degraded, "--", *cmd]
    with swapping(trap / "data", trap / "link") as swaps:
        for _ in range(STARTS):
            run = subprocess.run(argv, cwd=trap, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
            assert SECRET not in run.stdout, run
            if run.returncode == 125:
                refused.append(run.stderr)
            else:
                assert run.returncode == 0, run
                harmless += 1
        assert swaps() > STARTS
    return harmless, refused


def test_bind_source(sbx, trap):
    profile = "version: 1\nworkspace: {mode: none}\nmounts:\n  - {bind: ./data, at: /data}\n"
    harmless, refused = start_often(sbx, trap, profile, ["cat", "/data/file"])
    assert harmless > 0 and refused, harmless


def test_folder_above_the_bind_source(sbx, trap):
    profile = "version: 1\nworkspace: {mode: none}\nmounts:\n  - {bind: ./data/file, at: /file}\n"
    harmless, refused = start_often(sbx, trap, profile, ["cat", "/file"])
    assert harmless > 0 and refused, harmless


def test_mount_point_in_a_writable_workspace(sbx, trap):
    """A mount point that becomes a link must not carry the mount elsewhere in the sandbox."""
    (trap / "link").unlink()
    (trap / "link").symlink_to("/etc")
    profile = ("version: 1\nworkspace: {source: ., mode: rw}\nmounts:\n"
               "  - {tmpfs: /workspace/data, size: 1M}\n")
    start_often(sbx, trap, profile, ["sh", "-c", "test -s /etc/passwd && ! touch /etc/new 2>/dev/null"])


def test_mask_in_a_writable_workspace(sbx, trap):
    (trap / "link").unlink()
    (trap / "link").symlink_to("/etc")
    (trap / "data" / "passwd").write_text("harmless")
    profile = "version: 1\nworkspace: {source: ., mode: rw}\nmask: [/workspace/data/passwd]\n"
    start_often(sbx, trap, profile, ["test", "-s", "/etc/passwd"])


def test_mask_of_a_folder_that_turns_into_a_file(sbx, trap):
    """Whichever is there is hidden. Who may write there cannot keep the run from starting either."""
    (trap / "link").unlink()
    (trap / "link").write_text("a file")
    profile = "version: 1\nworkspace: {source: ., mode: rw}\nmask: [/workspace/data]\n"
    harmless, refused = start_often(sbx, trap, profile, ["true"])
    assert refused == [], harmless


@pytest.mark.needs("root")  # nobody else may trace init
def test_nor_by_exchanging_them_between_each_look_and_its_mount(sbx, trap, tmp_path):
    """sbx stands still whenever it has made a mount ready, until the two names are exchanged."""
    (trap / "link").unlink()
    (trap / "link").write_text("a file")
    (trap / "profile.yaml").write_text("version: 1\nworkspace: {source: ., mode: rw}\nmask: [/workspace/data]\n")
    log = tmp_path / "log"
    log.touch()
    stopping = ["strace", "-f", "-o", log, "-e", "trace=mount_setattr,move_mount", "-e", "inject=mount_setattr:signal=SIGSTOP"]
    with subprocess.Popen([*stopping, sbx.binary, "run", "profile.yaml", *sbx.degraded, "--", "sh", "-c", "! grep -rqs . /workspace/data"],
                          cwd=trap, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as running, open(log) as lines:
        stops, line = 0, ""
        while running.poll() is None:
            line += lines.readline()  # as much of it as there is
            if not line.endswith("\n"):
                continue
            (pid, _, what), line = line.partition(" "), ""
            if "stopped by SIGSTOP" in what:
                exchange(trap / "data", trap / "link")
                os.kill(int(pid), signal.SIGCONT)
                stops += 1
        message = running.stderr.read()
    assert running.returncode == 0, message
    assert "EINVAL" in log.read_text() and stops > 1, log.read_text()


def test_a_symlink_that_stands_still_is_refused_or_shows_nothing(sbx, trap):
    (trap / "data" / "file").unlink()
    (trap / "data").rmdir()
    (trap / "link").rename(trap / "data")
    path = trap / "profile.yaml"
    path.write_text("version: 1\nworkspace: {mode: none}\nmounts:\n  - {bind: ./data, at: /data}\n")
    run = sbx.run(path, cmd=["cat", "/data/file"])
    assert SECRET not in run.out, run
    assert run.code == 125, run


def test_control_the_race_is_won_by_who_follows_links(trap):
    """The same file read without a sandbox: both sides show, so the swapping is fast enough."""
    seen = set()
    with swapping(trap / "data", trap / "link"):
        for _ in range(STARTS * 100):
            seen.add((trap / "data" / "file").read_text())
            if len(seen) == 2:
                return
    pytest.fail(f"only one side was ever seen: {seen}")


@pytest.fixture
def planted(sbx):
    """planted(target): a command that may write to the workspace has made a link there, by the name "report"."""
    def run(target):
        done = sbx.run(flags=["--workspace", ".:rw"], cmd=["ln", "-s", target, "report"])
        done.assert_ok()

    return run


@pytest.mark.parametrize("flag", ["--result", "--events", "--junit", "--log"])
@pytest.mark.parametrize("target", ["file", "nothing", "device"])
def test_what_a_run_reports_follows_no_link_of_an_earlier_command(sbx, planted, flag, target):
    """To a disk of root's, say, in whose place /dev/null stands here, or to a file that a shell reads."""
    outside = sbx.folder / "outside"
    if target == "file":
        outside.write_text("keep me")
    planted("/dev/null" if target == "device" else outside)
    run = sbx.call("run", *sbx.degraded, flag, "report", "--", "true")
    run.assert_refused(flag, "symbolic link")
    assert (outside.read_text() if outside.exists() else None) == ("keep me" if target == "file" else None)


def test_control_the_systems_own_links_are_followed(sbx):
    for flag in ("--result", "--log"):
        run = sbx.call("run", *sbx.degraded, flag, "/dev/stdout", "--", "true")
        assert run.code == 0 and run.out, run


def test_no_input_comes_through_a_folder_that_an_earlier_command_has_replaced(sbx):
    """--stdin names a file of the workspace; the folder that it was in leads elsewhere now."""
    outside = sbx.folder / "outside"
    inside = sbx.cwd / "inside"
    for folder, text in ((outside, SECRET), (inside, "harmless")):
        folder.mkdir(exist_ok=True)
        (folder / "input").write_text(text)
    (sbx.cwd / "by-name").symlink_to("inside")
    for name in ("inside/input", "by-name/input", "inside/../inside/input", sbx.cwd / "inside" / "input"):
        assert sbx.run(flags=["--stdin", name], cmd=["cat"]).out == "harmless"
    (sbx.cwd / "script").write_text(f"mv inside moved; ln -s {outside} inside")
    sbx.run(flags=["--workspace", ".:rw"], cmd=["sh", "script"]).assert_ok()
    for name in ("inside/input", sbx.cwd / "inside" / "input"):
        sbx.call("run", *sbx.degraded, "--stdin", name, "--", "cat").assert_refused("--stdin", "EXDEV", "leads out")
    assert sbx.run(flags=["--stdin", outside / "input"], cmd=["cat"]).out == SECRET  # who means it can have it
    (sbx.cwd / "jobs").write_text('{"argv": ["cat"], "stdin": {"file": "inside/input"}}\n')
    batch = sbx.call("batch", *sbx.degraded, "jobs")
    assert SECRET not in batch.out and "EXDEV" in batch.out + batch.err, batch
