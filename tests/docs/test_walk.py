"""A newcomer on a Debian that has just been installed: quick start and tutorial, as printed, by an ordinary user who
may use sudo and then by root."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pages
import pytest
from follow import FRESH, Follower

from support.cache import CACHE, ROOT, made

HERE = Path(__file__).resolve().parent
DELEGATE = ROOT / "tests" / "support" / "delegate.py"
SECONDS = 1500  # compiling, with nothing in ccache
UID = 1000


class Debian:
    """Debian in a folder, with a clone of this checkout in each home."""

    def __init__(self, folder):
        self.root, self.notes = folder / "root", folder / "root" / "var" / "walk"
        self.root.mkdir()
        subprocess.run(["tar", "-C", self.root, "-xf", CACHE / "fresh" / "rootfs.tar", "--exclude=./dev/*"], check=True)
        self.notes.mkdir(mode=0o1777)
        self.notes.chmod(0o1777)
        self.ccache = CACHE / "fresh" / "ccache"
        self.seed()
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost fresh\n")
        self.run("useradd", "--create-home", "--shell", "/bin/bash", "--uid", str(UID), "ada")
        (self.root / "etc/sudoers.d/ada").write_text("Defaults env_keep += CCACHE_*\nada ALL=(ALL) NOPASSWD: ALL\n")
        for home in ("home/ada", "root"):
            subprocess.run(["git", "-c", "safe.directory=*", "clone", "--quiet", "--no-hardlinks", ROOT,
                            self.root / home / "sbx"], check=True)
            (self.root / home / "project").mkdir()
        self.run("chown", "-R", "ada:ada", "/home/ada")

    def seed(self):
        """What is compiled in here, at the next time as well; and what this checkout has compiled. Both users write there."""
        ours = Path(os.environ.get("CCACHE_DIR") or Path.home() / ".cache" / "ccache")
        self.ccache.mkdir(exist_ok=True)
        if ours.is_dir():  # others compile beside us: what goes away meanwhile is compiled anew
            subprocess.run(["cp", "--recursive", "--no-clobber", f"{ours}/.", self.ccache], check=False)
        subprocess.run(["chmod", "-R", "a+rwX", self.ccache], check=True)

    def words(self, user=None, cwd="/"):
        own = ["--owner", str(UID)] if user else []
        who = ["setpriv", f"--reuid={UID}", f"--regid={UID}", "--init-groups"] if user else []
        home = ["HOME=/home/ada", "USER=ada"] if user else []
        return [sys.executable, "-B", str(DELEGATE), *own, "--", str(HERE / "enter.sh"), str(self.root), str(self.ccache), *who,
                "env", "-C", cwd, *home]

    def run(self, *command):
        subprocess.run([*self.words(), *command], check=True, stdin=subprocess.DEVNULL)

    def follow(self, page, user, place, blocks=None):
        """Does what the page says, as this user in ~/PLACE."""
        home = "/home/ada" if user else "/root"
        follower = Follower(page, self.root / home[1:] / place, {**os.environ, "HOME": home}, self.words(user, f"{home}/{place}"),
                            (str(self.notes), "/var/walk"), fresh=True, seconds=SECONDS)
        return follower.all(blocks)


@pytest.fixture(scope="module")
def debian():
    made("fresh", "rootfs.tar")
    folder = Path(tempfile.mkdtemp(prefix="walk-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield Debian(folder)
    subprocess.run(["rm", "-rf", "--one-file-system", folder], check=True)


def fresh_blocks(page):
    found = [block for block in page.blocks if block.notes.get("not run", "").startswith(FRESH)]
    assert found
    return found


@pytest.mark.slow
@pytest.mark.needs("root", "cgroup")
@pytest.mark.parametrize("user", ["ada", None], ids=["an ordinary user first", "then root"])
def test_a_newcomer_gets_there(debian, user):
    tutorial, readme = pages.read(ROOT / "docs" / "tutorial.md"), pages.read(ROOT / "README.md")
    install = fresh_blocks(tutorial)
    debian.run("rm", "-f", "/usr/local/bin/sbx")  # the other user's
    # The README's way for those who have Meson is root's way here: the first user has installed it meanwhile.
    assert debian.follow(readme, user, "sbx", fresh_blocks(readme)[0 if user else 1:][:1])
    if user:
        assert debian.follow(tutorial, user, "sbx", install)
    assert debian.follow(tutorial, user, "project", [block for block in tutorial.blocks if block not in install])
