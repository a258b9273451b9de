"""For the tests of egress: the test internet (world/), and sbx on the host's side of it."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from egress.account import Said
from egress.world.world import World
from support import cache
from support.sbx import Sbx

HERE = Path(__file__).resolve().parent
# Whose CA programs believe, in the words of each.
CA = ("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "PIP_CERT")

USER = 60003  # nobody else's
INSIDE = ("inside", "hostile", "smuggled", "flows")


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    image = cache.made("internet")
    folder = tmp_path_factory.mktemp("world")
    for place in (folder, *folder.parents):  # a payload started by root is another user
        if os.stat(place).st_uid == os.geteuid() and place.stat().st_mode & 0o5 != 0o5:
            place.chmod(place.stat().st_mode | 0o755)
    made = World(folder, image)
    made.start()
    yield made
    made.stop()


class InternetSbx(Sbx):
    """sbx in the host's side of the test internet."""

    def __init__(self, binary, folder, world):
        super().__init__(binary, folder)
        self.world = world

    def around(self, cwd):
        return self.world.prefix(cwd)


class Net:
    """net(CMD, allow=[...]) runs CMD; `network` is the whole of it instead ("host", {...}), or what else it has."""

    def __init__(self, sbx, world):
        self.sbx, self.world = sbx, world

    def words(self, allow=None, network=None, flags=(), profile=None):
        """The profile and the flags of a run."""
        ca = [word for name in CA for word in ("--env", f"{name}=/ca.pem")]
        shown = ["--ro", f"{self.world.srv}/ca.pem:/ca.pem"]
        shown += [word for name in INSIDE for word in ("--ro", f"{HERE}/{name}.py:/{name}.py")]
        flags = [*shown, *ca, "--workspace", "none", *flags]
        whole = {"version": 1, **(profile or {})}
        if network == "host":
            flags += ["--net", "host"]
        else:
            whole["network"] = {**({} if allow is None else {"allow": list(allow)}), **(network or {})}
        return whole, flags

    def __call__(self, cmd, allow=None, network=None, flags=(), profile=None, **options):
        return self.sbx.run(*self.words(allow, network, flags, profile), cmd, **options)

    def spawn(self, cmd, allow=None, network=None, flags=(), profile=None, **options):
        return self.sbx.spawn(*self.words(allow, network, flags, profile), cmd, **options)

    def inside(self, verb, *words, file="inside", **options):
        """A verb of inside.py or hostile.py: the run, with what it printed as `said`."""
        run = self(["/usr/bin/python3", f"/{file}.py", verb, *words], **options)
        run.said = Said(run)
        return run

    def hostile(self, verb, *words, **options):
        return self.inside(verb, *words, file="hostile", **options)

    def flows(self, verb, *words, **options):
        return self.inside(verb, *words, file="flows", **options)


@pytest.fixture
def net(sbx, sbx_binary, world, tmp_path):
    program = InternetSbx(sbx_binary, tmp_path, world)
    yield Net(program, world)
    program.close()
    sbx.killed = sbx.killed or program.killed


class UserSbx(InternetSbx):
    """The same started by an ordinary user of the whole machine, by whom root's namespaces were not made."""

    def __init__(self, binary, folder, world):
        super().__init__(binary, folder, world)
        self.degraded = ["--degrade", "cgroup"]
        self.runtime = folder / "runtime-of-user"
        self.runtime.mkdir(mode=0o700)
        os.chown(self.runtime, USER, USER)

    def around(self, cwd):
        return [*super().around(cwd), "setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "env",
                f"XDG_RUNTIME_DIR={self.runtime}", "HOME=/nonexistent"]


@pytest.fixture
def users_net(sbx, sbx_binary, world, open_folder):
    """As net, for root's tests alone: the ordinary user's are all started by him."""
    binary = world.folder / sbx_binary.name
    if not binary.exists():
        shutil.copy(sbx_binary, binary)  # where he can reach it
    program = UserSbx(binary, open_folder, world)
    yield Net(program, world)
    program.close()
    sbx.killed = sbx.killed or program.killed


@pytest.fixture(scope="session")
def virtualenv():
    return cache.made("venv")


@pytest.fixture(scope="session")
def java_client(world):
    subprocess.run(["javac", "-d", world.folder / "java", HERE / "clients" / "Get.java"], check=True)
    return world.folder / "java"


@pytest.fixture(scope="session")
def go_client(world):
    """Linked statically, with Go's own resolver: it never heard of libc."""
    source = world.folder / "go"
    shutil.copytree(HERE / "clients" / "get", source)
    subprocess.run(["go", "build", "-o", "client", "."], cwd=source, check=True,
                   env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"})
    return source / "client"
