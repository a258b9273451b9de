"""Folders of root's runs that cannot be id-mapped: who refuses is named, and nothing weaker stands in unasked."""
import json
import os
import subprocess

import pytest



def run_beside(sbx, script, *flags):
    """A run on a host on which `script` has mounted something, which only the run sees."""
    words = [sbx.binary, "run", *sbx.degraded, *flags, "--workspace", "none", "--", "ls", "/shown"]
    return subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", f'{script} && exec "$@"', "sh", *map(str, words)],
                          cwd=sbx.cwd, capture_output=True, text=True, timeout=60)


@pytest.mark.needs("root")
def test_a_mount_inside_that_refuses_is_named(sbx):
    inner = sbx.cwd / "an inner one"
    inner.mkdir()
    (sbx.cwd / "other").mkdir()
    # The kernel's own words have no owner to be mapped.
    run = run_beside(sbx, "mount -t tmpfs none other && mount -t sysfs none 'an inner one'", "--ro", f"{sbx.cwd}:/shown")
    assert run.returncode == 125 and f"what refuses is mounted in it, at '{inner}'" in run.stderr, run
    # The folder itself refuses: nothing in it is to blame.
    run = run_beside(sbx, "mount -t sysfs none other", "--ro", f"{sbx.cwd}/other:/shown")
    assert run.returncode == 125 and "cannot be id-mapped" in run.stderr and "mounted in it" not in run.stderr, run
    run = run_beside(sbx, "mount -t tmpfs none other", "--ro", f"{sbx.cwd}:/shown")  # the control
    assert run.returncode == 0 and "other" in run.stdout, run


@pytest.fixture
def two_kinds(sbx, monkeypatch, is_root):
    """sbx where of two folders with a file that only its owner may read, `flat` is of a file system without id maps."""
    owner = 1 if is_root else os.getuid()
    for name in ("mapped", "flat"):
        (sbx.cwd / name).mkdir()
    fill = "for i in mapped flat; do echo words of $i > $i/file; chmod 0600 $i/file; chown -R $OWNER $i; done"
    own = [] if is_root else ["--user", "--map-current-user", "--keep-caps"]
    script = f'OWNER={owner}; mount -t ramfs none flat && {{ {fill}; }} && exec "$@"'
    monkeypatch.setattr(sbx, "around", lambda cwd: ["unshare", *own, "--mount", "--propagation", "private", "sh", "-ec", script, "sh"])
    return sbx


def profile_of(sbx, degrade):
    return sbx.profile(f"""version: 1
workspace: {{mode: none}}
degrade: {json.dumps(degrade)}
mounts:
  - {{bind: {sbx.cwd}/mapped, at: /mapped}}
  - {{bind: {sbx.cwd}/flat, at: /flat}}
""")


READ = ["sh", "-c", "cat /mapped/file; cat /flat/file"]


@pytest.mark.needs("root")
def test_only_the_folder_that_cannot_goes_without(two_kinds):
    profile = profile_of(two_kinds, ["idmap"])
    run = two_kinds.run(profile, cmd=READ)
    run.assert_nonzero(1)
    assert run.out == "words of mapped\n" and "/flat/file: Permission denied" in run.err, run
    assert "idmap" in run.result["isolation"]["degraded"], run
    told = f"owners in {two_kinds.cwd}/flat ({profile}:6:5) show as they are on disk: its file system cannot be id-mapped (EINVAL)"
    assert told in run.result["warnings"] and told in run.err and f"{two_kinds.cwd}/mapped (" not in run.err, run


@pytest.mark.needs("root")
def test_unasked_the_line_of_the_folder_is_named(two_kinds):
    profile = profile_of(two_kinds, [])
    two_kinds.run(profile, cmd=READ).assert_refused(f"{profile}:6:5", f"open {two_kinds.cwd}/flat", "cannot be id-mapped", "--degrade idmap")


@pytest.mark.needs("root")
def test_a_git_folder_elsewhere_is_tried_too(two_kinds):
    top = two_kinds.cwd / "mapped"
    subprocess.run(["git", "init", "-q", "--separate-git-dir", two_kinds.cwd / "git", top], check=True)
    subprocess.run(["git", "-C", top, "config", "core.worktree", top], check=True)
    for path in [two_kinds.cwd / "git", *(two_kinds.cwd / "git").rglob("*")]:
        os.chown(path, 1, 1)
    script = 'cp -a git flat && mount --bind flat/git git && chown -R 1 mapped && exec "$@"'
    two_kinds.around = lambda cwd: ["unshare", "--mount", "--propagation", "private", "sh", "-ec", f"mount -t ramfs none flat; {script}", "sh"]
    flags = ["--workspace", f"{top}:rw", "--set", "workspace.git=protect"]
    two_kinds.run(flags=flags, cmd=["true"]).assert_refused(f"{two_kinds.cwd}/git", "cannot be id-mapped")
    run = two_kinds.run(flags=[*flags, "--degrade", "idmap"], cmd=["sh", "-c", "echo made > made"]).assert_ok()
    assert "idmap" in run.result["isolation"]["degraded"] and f"owners in {two_kinds.cwd}/git (" in run.err, run
    assert (top / "made").stat().st_uid == 1  # the workspace itself has kept its map


@pytest.mark.parametrize("degrade", [[], ["idmap"]], ids=["unasked", "asked"])
def test_who_needs_no_map_is_told_of_none(two_kinds, is_root, degrade):
    """Started by an ordinary user every file shows as it is; root's other folders can be mapped."""
    shown = ["mapped"] if is_root else ["mapped", "flat"]
    flags = [word for name in shown for word in ("--ro", f"{two_kinds.cwd}/{name}:/{name}")]
    flags += [word for name in degrade for word in ("--degrade", name)]
    run = two_kinds.run(flags=["--workspace", "none", *flags], cmd=["cat", *(f"/{name}/file" for name in shown)]).assert_ok()
    assert "idmap" not in run.result["isolation"]["degraded"] and "show as they are" not in run.err, run
