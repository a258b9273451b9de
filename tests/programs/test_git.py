"""git: lock files, renames, mmap, hooks' shells, and its distrust of folders that belong to others."""
import subprocess

WANTED = """ 1 file changed, 1 insertion(+)
5
+more
four
file:2:line 2
file other
2
"""


def test_git_in_the_workspace(inside, project):
    folder = project("git")
    run = inside("shell", folder, "bash", "work.sh", ".", mode="rw")
    assert run.out == WANTED
    # What it wrote is the caller's, and whole.
    log = subprocess.run(["git", "log", "--oneline", "v1"], cwd=folder / "repository", capture_output=True, text=True)
    assert log.returncode == 0 and len(log.stdout.splitlines()) == 5, log


def test_git_in_tmp(inside, project):
    assert inside("shell", project("git"), "sh", "-c", "bash work.sh $(mktemp -d)").out == WANTED


def test_git_reads_a_read_only_repository_of_the_caller(inside, tmp_path):
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.test"]
    for command in (["init", "-q"], [*identity, "commit", "-q", "--allow-empty", "-m", "outside"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert inside("shell", tmp_path, "git", "log", "--format=%s").out == "outside\n"
