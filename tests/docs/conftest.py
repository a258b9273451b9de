"""A reader's place: a folder for one page, and an environment in which `sbx` and the clients are there."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from clients import node_package
from egress.world import files
from egress.world.world import World
from support.cache import CACHE, ROOT

# What README.md speaks of as being there: files of the checkout, and of a user's project.
CHECKOUT = ("examples", "clients", "profiles")
NODE_CLIENT = 'from "sbx-client"'
GIVEN = Path(__file__).resolve().parent / "given"

sys.path.insert(0, str(Path(__file__).resolve().parent))
import pages  # noqa: E402  (found only after the line above)

collect_ignore = ["given"]


@pytest.fixture(scope="session")
def node_client(tmp_path_factory):
    """A node_modules with the Node client, as `npm install` of its package makes it."""
    folder = tmp_path_factory.mktemp("node-client")
    _, tarball = node_package.packed(folder)
    return node_package.installed(folder, tarball) / "node_modules"


@pytest.fixture
def internet(monkeypatch):
    """internet(NAME): the test internet with one more site, of the pages' own."""
    worlds = []

    def make(name):
        monkeypatch.setattr(files, "SITES", (*files.SITES, name))
        monkeypatch.setattr(files, "DNS", f"{files.DNS}host-record={name},11.22.33.10\n")
        folder = Path(tempfile.mkdtemp(prefix="internet-", dir="/var/tmp"))
        folder.chmod(0o755)
        worlds.append(World(folder, CACHE / "internet"))
        worlds[0].start()
        return worlds[0]

    yield make
    for world in worlds:
        world.stop()
        shutil.rmtree(world.folder)


@pytest.fixture
def reader(request, sbx, sbx_binary):
    """reader(PAGE) makes the folder for a page; returns it and the environment of its shell."""
    # Not below /tmp, which is a place of its own in every sandbox; short, because pages print paths.
    made = Path(tempfile.mkdtemp(prefix="docs-", dir="/var/tmp"))
    made.chmod(0o755)

    def make(name):
        home = made / "home"
        folder = home / "project"
        (made / "bin").mkdir()
        home.mkdir()
        (made / "bin" / "sbx").symlink_to(sbx_binary)
        given = GIVEN / name.replace("/", "_")
        shutil.copytree(given, folder) if given.is_dir() else folder.mkdir()
        if not name.startswith("docs/"):
            for part in CHECKOUT:
                shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("node_modules", "dist"))
        if NODE_CLIENT in (ROOT / name).read_text():
            shutil.copytree(request.getfixturevalue("node_client"), home / "node_modules", symlinks=True)
        env = {"PATH": f"{made}/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(home), "LANG": "C.UTF-8", "USER": "ada",
                        "XDG_STATE_HOME": str(home / ".local" / "state"),
                        "PYTHONPATH": str(ROOT / "clients" / "python" / "src"), "PYTHONDONTWRITEBYTECODE": "1",
                        "XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], "TERM": "dumb",
                        "GIT_CONFIG_GLOBAL": "/dev/null", "PIP_NO_INDEX": "1",
                        "PIP_FIND_LINKS": str(CACHE / "wheels"), "SBX_TEST_CACHE": str(CACHE)}
        site = pages.read(ROOT / name).notes.get("internet")
        if not site:
            return folder, env, []
        world = request.getfixturevalue("internet")(site)
        shutil.copy(world.srv / "ca.pem", folder)
        return folder, env, world.prefix(folder)

    yield make
    shutil.rmtree(made)
