"""Repositories for the tests of workspace.git: the three kinds of work tree, with what it takes to use each."""
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

IDENTITY = {"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.test", "GIT_COMMITTER_NAME": "T",
            "GIT_COMMITTER_EMAIL": "t@example.test", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
ENV_FLAGS = [word for name, value in IDENTITY.items() for word in ("--env", f"{name}={value}")]
PROTECT = ["--workspace", ".:rw", "--git", "protect", *ENV_FLAGS]
KINDS = ("main", "worktree", "submodule")


def git(folder, *words, check=True):
    return subprocess.run(["git", *words], cwd=folder, env={**os.environ, **IDENTITY}, check=check, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


@dataclass
class Tree:
    top: Path     # the work tree
    own: Path     # its git folder
    common: Path  # where configuration and hooks are
    kind: str

    @property
    def unprotected(self):
        """Flags that let a payload work in it without the preset."""
        flags = ["--workspace", ".:rw", "--git", "none", *ENV_FLAGS]
        if self.kind == "worktree":
            flags += ["--rw", f"{self.common}:{self.common}"]
        if self.kind == "submodule":  # its links are relative: seen from /workspace
            flags += ["--rw", f"{self.common}:/.git/modules/sub", "--rw", f"{self.top}:/sub"]
        return flags

    def log(self):
        return git(self.top, "log", "--format=%s", "HEAD").stdout.split()


def commit(folder, name="file", text="text\n", message="first"):
    (folder / name).write_text(text)
    git(folder, "add", name)
    git(folder, "commit", "-q", "-m", message)


def make(folder, kind):
    """A repository with one commit and one more worktree, and the work tree of this kind in it."""
    main = folder / "main"
    git(folder, "init", "-q", "-b", "trunk", str(main))
    commit(main)
    git(main, "worktree", "add", "-q", "-b", "other", str(folder / "other"))
    if kind == "main":
        return Tree(main, main / ".git", main / ".git", kind)
    if kind == "worktree":
        git(main, "worktree", "add", "-q", "-b", "mine", str(folder / "mine"))
        return Tree(folder / "mine", main / ".git" / "worktrees" / "mine", main / ".git", kind)
    above = folder / "above"
    git(folder, "init", "-q", str(above))
    git(above, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(main), "sub")
    git(above, "commit", "-q", "-m", "submodule")
    return Tree(above / "sub", above / ".git" / "modules" / "sub", above / ".git" / "modules" / "sub", kind)
