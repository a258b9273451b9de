"""workspace.git: protect: git does its work inside, in every kind of work tree; what cannot be kept safe is
refused. The attacks are in escape/test_git_attacks.py."""
import os
import subprocess
import time

import pytest

from support.git_trees import ENV_FLAGS, KINDS, PROTECT, commit, git, make

WORK = r"""set -e
echo a > a; git add a; git commit -q -m inside
git checkout -q -b side; echo b > b; git add b; git commit -q -m side
echo c >> a; git stash -q; test "$(cat a)" = a; git stash pop -q; git commit -q -a -m popped
git rebase -q --onto side~1 side~1 side; git tag v1; git branch gone; git branch -q -D gone
git reset -q --hard; git status --porcelain; git reflog expire --all; git gc -q; git pack-refs --all; git fsck --full --no-dangling
git worktree prune --expire=1.day.ago; git maintenance run --quiet; git log --format=%s | head -3
"""


@pytest.fixture(params=KINDS)
def tree(request, tmp_path, open_folder):
    return make(tmp_path, request.param)


@pytest.fixture
def main(tmp_path, open_folder):
    return make(tmp_path, "main")


@pytest.fixture
def worktree(tmp_path, open_folder):
    return make(tmp_path, "worktree")


def sh(sbx, tree, script, *flags):
    return sbx.run(flags=[*PROTECT, *flags], cmd=["sh", "-c", script], cwd=tree.top)


def refused(sbx, tree, *words, flags=()):
    return sh(sbx, tree, "true", *flags).assert_refused("workspace.git: protect", *words)


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- git works

def test_git_does_its_work(sbx, tree):
    run = sh(sbx, tree, WORK).assert_ok()
    # `git branch -D` takes the branch's section out of the configuration, if there is one.
    assert run.out == "popped\nside\ninside\n" and run.err.count("\n") <= 2, run
    assert tree.log()[:3] == ["popped", "side", "inside"] and git(tree.top, "status", "--porcelain").stdout == ""
    git(tree.top, "fsck", "--full")
    owner = os.stat(tree.top).st_uid
    assert {os.lstat(path).st_uid for path in tree.common.rglob("*")} == {owner}


@pytest.mark.needs("overlay")
def test_git_does_its_work_in_an_overlay(sbx, tree):
    before = snapshot(tree.common)
    run = sh(sbx, tree, WORK, "--workspace", ".:overlay").assert_ok()
    assert run.out == "popped\nside\ninside\n", run
    run = sh(sbx, tree, "git config a.b c; mv .git moved; C=$(git rev-parse --git-common-dir); "
                        "echo x >> $C/config; echo x > $C/hooks/pre-commit", "--workspace", ".:overlay")
    assert run.err.count("busy") == 2 and run.err.lower().count("read-only") == 2, run
    assert snapshot(tree.common) == before and tree.log() == ["first"]


def test_a_stale_worktree_of_the_host_keeps_what_only_it_has(sbx, main):
    """Inside, the folders of other worktrees are missing; `git gc` must not take them for forsaken."""
    entry = main.own / "worktrees" / "other"
    for path in (entry, entry / "index", entry / "gitdir"):
        os.utime(path, (0, 0))
    sh(sbx, main, "git gc -q; git worktree prune --expire=now; git worktree remove --force other")
    for name in ("HEAD", "index", "gitdir", "commondir"):
        assert (entry / name).exists(), os.listdir(entry)


def test_a_worktree_is_not_taken_for_forsaken_by_itself(sbx, worktree):
    """Its entry names the folder that it has on the host."""
    run = sh(sbx, worktree, "git worktree prune -v --expire=now; git status; git worktree list")
    assert "mine" not in run.err + run.out.split("On branch")[0] and "On branch mine" in run.out, run
    assert git(worktree.top, "status", "--porcelain").stdout == ""


def test_other_worktrees_are_worked_in_meanwhile(sbx, worktree, tmp_path):
    running = sbx.spawn(flags=PROTECT, cmd=["sh", "-c", "echo here; read x; echo a > a; git add a; git commit -q -m a"],
                        stdin=subprocess.PIPE, cwd=worktree.top)
    running.read_until(b"here")
    commit(tmp_path / "other", "b", message="beside")
    git(tmp_path / "other", "checkout", "-q", "-b", "more")
    running.wait(b"\n").assert_ok()
    assert worktree.log() == ["a", "first"]


def test_two_runs_in_two_worktrees_of_one_repository(sbx, worktree, tmp_path):
    script = "echo here; read x; for i in 1 2 3 4 5; do git commit -q --allow-empty -m $1$i || exit; done"
    runs = [sbx.spawn(flags=PROTECT, cmd=["sh", "-c", script, "-", name], stdin=subprocess.PIPE, cwd=folder)
            for name, folder in (("a", worktree.top), ("b", tmp_path / "other"))]
    for running in runs:
        running.read_until(b"here")
    for running in runs:
        running.process.stdin.write(b"\n")
        running.process.stdin.flush()
    for running in runs:
        running.wait().assert_ok()
    assert worktree.log()[0] == "a5" and git(tmp_path / "other", "log", "--format=%s").stdout.startswith("b5")


@pytest.mark.parametrize("place", ["host's", "/srv/code"])
def test_the_workspace_may_be_elsewhere(sbx, tree, place):
    at = str(tree.top) if place == "host's" else place
    profile = {"version": 1, "workspace": {"mode": "rw", "at": at, "git": "protect"}}
    run = sbx.run(profile, ENV_FLAGS, ["sh", "-c", WORK + "git config a.b c"], cwd=tree.top)
    assert run.out == "popped\nside\ninside\n" and run.code != 0 and "busy" in run.err.splitlines()[-1], run


def test_what_a_killed_run_has_left_is_refused(sbx, main):
    running = sbx.spawn(flags=PROTECT, cmd=["sh", "-c", "ln -s /etc/passwd .git/COMMIT_EDITMSG2; echo here; sleep 30"],
                        cwd=main.top)
    running.read_until(b"here")
    running.kill()
    running.process.wait()
    refused(sbx, main, "COMMIT_EDITMSG2", "symbolic link")


def test_a_bare_repository_below_the_workspace(sbx, tmp_path, open_folder):
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q", "--bare", ".bare")
    (top / ".git").write_text("gitdir: ./.bare\n")
    run = sbx.run(flags=PROTECT, cmd=["sh", "-c", "git rev-parse --is-bare-repository && git config a.b c"], cwd=top)
    assert run.out == "true\n" and "busy" in run.err, run


def test_a_workspace_that_only_reads_needs_no_more(sbx, main):
    profile = {"version": 1, "workspace": {"mode": "rw", "git": "protect"}}
    sbx.run(profile, ["--workspace", ".:ro", *ENV_FLAGS], ["git", "status"], cwd=main.top).assert_ok()
    run = sbx.run(flags=["--git", "protect"], cmd=["true"], cwd=main.top)
    run.assert_refused("--git", "mode: rw")


# ---- what is refused

@pytest.mark.parametrize("path", [".git", ".git/config", ".git/hooks", ".git/objects", ".git/objects/info",
                                  ".git/worktrees", ".git/worktrees/other/gitdir", ".git/HEAD", ".git/logs",
                                  ".git/logs/HEAD", ".git/index", ".git/refs/heads"])
def test_a_link_instead_is_refused(sbx, main, tmp_path, path):
    place = main.top / path
    place.rename(tmp_path / "real")
    place.symlink_to(tmp_path / "real")
    refused(sbx, main, ".git")


def test_a_folder_without_git_is_refused(sbx, main):
    inner = main.top / "inner"
    inner.mkdir()
    run = sbx.run(flags=PROTECT, cmd=["true"], cwd=inner)
    run.assert_refused("inner/.git", "--workspace", "--git none")


def test_missing_hooks_are_refused(sbx, main):
    (main.own / "hooks").rename(main.top / "hooks")
    refused(sbx, main, "hooks", "mkdir -p")


def test_what_is_there_but_never_git_s_own_is_refused(sbx, main):
    (main.own / "commondir").write_text("../evil\n")
    refused(sbx, main, "commondir", "remove it")


def test_a_second_name_of_the_configuration_is_refused(sbx, main):
    os.link(main.own / "config", main.top / "notes.txt")
    refused(sbx, main, "config", "hard link")


def test_a_second_name_of_a_hook_is_refused(sbx, main):
    (main.own / "hooks" / "pre-commit").write_text("")
    os.link(main.own / "hooks" / "pre-commit", main.top / "notes.txt")
    refused(sbx, main, "pre-commit", "hard link")


@pytest.mark.parametrize("target", ["/etc", "/home", "../secret", "../main", "nowhere", "", "../main/.git\n/etc"])
def test_a_git_file_that_leads_to_no_git_folder_shows_nothing(sbx, worktree, tmp_path, target):
    (tmp_path / "secret").mkdir()
    (worktree.top / ".git").write_text(f"gitdir: {target}\n")
    refused(sbx, worktree, ".git")


def test_a_git_file_that_leads_to_another_repository_shows_nothing(sbx, worktree, tmp_path):
    """A git folder for real, and the caller's, but not of this work tree."""
    git(tmp_path, "init", "-q", "private")
    for target, word in ((tmp_path / "private" / ".git", "core.worktree"), (worktree.common, "core.worktree"),
                         (worktree.common / "worktrees" / "other", "work tree")):
        (worktree.top / ".git").write_text(f"gitdir: {target}\n")
        refused(sbx, worktree, word)


def test_a_worktree_is_one_of_the_repository_that_it_leads_to(sbx, worktree, tmp_path):
    git(tmp_path, "init", "-q", "private")
    for target in (tmp_path / "private" / ".git", "/etc", "../../../../private/.git"):
        (worktree.own / "commondir").write_text(f"{target}\n")
        refused(sbx, worktree, "commondir")


def test_a_way_through_links_is_refused(sbx, worktree, tmp_path):
    (tmp_path / "way").symlink_to(tmp_path / "main")
    (worktree.top / ".git").write_text(f"gitdir: {tmp_path}/way/.git/worktrees/mine\n")
    refused(sbx, worktree, "symbolic link")


@pytest.mark.needs("root")
def test_a_git_folder_of_another_user_is_refused(sbx, worktree):
    os.chown(worktree.common, 12345, 12345)
    refused(sbx, worktree, "12345")


def test_the_same_files_writable_elsewhere_are_refused(sbx, main, tmp_path):
    refused(sbx, main, "mounts", flags=["--rw", f"{tmp_path}:/all"])
    refused(sbx, main, "mounts", flags=["--rw", f"{main.own}/hooks:/hooks"])
    refused(sbx, main, "mounts", flags=["--tmpfs", "/workspace/.git"])
    sh(sbx, main, "git status", "--ro", f"{tmp_path}:/all").assert_ok()


# ---- the host meanwhile

def test_the_run_ends_when_the_host_replaces_what_is_kept(sbx, main):
    """The kernel takes mounts away with the file that they lie on."""
    running = sbx.spawn(flags=PROTECT, cmd=["sh", "-c", "echo here; sleep 30"], cwd=main.top)
    running.read_until(b"here")
    started = time.monotonic()
    git(main.top, "config", "user.name", "Other")
    run = running.wait()
    assert run.code == 137 and run.result["reason"]["code"] == "git_protect" and time.monotonic() - started < 10, run
    assert "config was replaced" in run.err and "config was replaced" in run.result["warnings"][0]


@pytest.mark.needs("user")
def test_of_a_folder_that_is_closed_nothing_is_said_that_nobody_saw(sbx, main):
    """Root looks into it all the same."""
    run = sh(sbx, main, "chmod 0 .git")
    (main.top / ".git").chmod(0o755)
    assert run.result["reason"]["code"] == "git_protect" and "nobody can look for" in run.result["reason"]["text"], run
    text = "\n".join(run.result["warnings"])
    assert "commondir may be there, and then has to be removed" in text and "still there" not in text, text


# ---- what is said

def test_why_says_which_key_decides(sbx, tree):
    inside = {"main": "/workspace/.git", "worktree": str(tree.common), "submodule": "/.git/modules/sub"}[tree.kind]
    answer = sbx.call("explain", *sbx.degraded, *PROTECT, "--why", f"path:{inside}/config", cwd=tree.top)
    assert "read, not written" in answer.out and "--git" in answer.out and "git: none" in answer.out, answer
    answer = sbx.call("explain", *sbx.degraded, *PROTECT, "--why", f"path:{inside}/HEAD", cwd=tree.top)
    assert "can be written" in answer.out, answer
    answer = sbx.call("explain", *sbx.degraded, *PROTECT, "--why", f"path:{inside}/config.worktree", cwd=tree.top)
    assert "ends when it comes into being" in answer.out and "--git" in answer.out, answer
    plan = sbx.call("explain", *sbx.degraded, *PROTECT, cwd=tree.top)
    assert f"make {inside}/hooks read-only" in plan.out and "commondir must not come into being" in plan.out
