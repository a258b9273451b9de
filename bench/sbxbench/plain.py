"""The peers as their own manuals start a command, nothing added: what somebody gets who has read the first example."""
import json
import os
import shutil

from .ours import Ours
from .peers import SEARCHED
from .skeleton import TOP_LINKS
from .tool import SLOT, Tool
from .view import CGROUP2, OWN

SHOWN = ("/usr", "/etc")  # programs, for those that start with an empty root


def bwrap(bench, path, _):
    """bubblewrap's README, "Usage"; the folder is ours."""
    links = [word for name in TOP_LINKS for word in ("--symlink", f"usr/{name}", f"/{name}")]
    flags = ["--ro-bind", "/usr", "/usr", *links, "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--new-session",
             "--ro-bind", bench.workspace, "/workspace", "--chdir", "/workspace"]
    return Tool("bubblewrap", "bwrap --ro-bind /usr /usr ... --unshare-pid --new-session CMD", path=path,
                words=lambda command, _: [path, *flags, *command])


def firejail(bench, path, _):
    """firejail(1), "USAGE"."""
    return Tool("firejail", "firejail --quiet CMD", path=path, work="", view=OWN,
                words=lambda command, _: [path, "--quiet", *command])


def systemd_nspawn(bench, path, root):
    """systemd-nspawn(1), with a folder as the root; for root. It would register with a machined that may be missing."""
    shown = [f"--bind-ro={place}" for place in (*SHOWN, f"{bench.workspace}:/workspace")]
    flags = ["--quiet", "--register=no", "--keep-unit", "--pipe", "-D", root, "--chdir=/workspace", *shown]
    return Tool("systemd-nspawn", "systemd-nspawn -D ROOT CMD", path=path, view=OWN,
                words=lambda command, _: [path, *flags, f"--machine=compare-{SLOT}", *command])


class Oci:
    """`crun spec` (runc the same) writes a config.json, which then has the root and the command."""

    def __init__(self, bench, path, root):
        self.bench, self.path, self.root = bench, path, root
        self.name = os.path.basename(path)
        self.folder = bench.folder / f"plain-{self.name}-{bench.user.uid}"
        self.bundles, self.state = {}, self.folder / "state"
        self.state.mkdir(parents=True)
        for place in (self.folder, self.state):
            os.chown(place, bench.user.uid, bench.user.gid)
        rootless = ["--rootless"] if bench.user.uid else []
        bench.user.run([path, "spec", *rootless], self.folder, bench.views.get(CGROUP2))
        self.base = json.loads((self.folder / "config.json").read_text())

    def bundle(self, command):
        key = "\0".join(command)
        if key not in self.bundles:
            place = self.folder / f"bundle-{len(self.bundles)}"
            place.mkdir()
            shown = [*((at, at) for at in SHOWN), (str(self.bench.workspace), "/workspace")]
            mounts = [{"destination": at, "type": "bind", "source": source, "options": ["rbind", "ro"]} for source, at in shown]
            whole = {**self.base, "root": {"path": str(self.root), "readonly": True},
                     "mounts": [*self.base["mounts"], *mounts],
                     "process": {**self.base["process"], "terminal": False, "args": command, "cwd": "/workspace"}}
            (place / "config.json").write_text(json.dumps(whole))
            self.bundles[key] = place
        return self.bundles[key]

    def clean(self, count):
        """What is left of a container whose launcher was killed would keep its name from the next one."""
        if count == 0:
            self.bench.user.run([self.path, "--root", self.state, "delete", "--force", "compare-0"], self.folder,
                                self.bench.views.get(CGROUP2))

    def tool(self):
        before = ["--cgroup-manager=disabled"] if self.name == "crun" and self.bench.views.get(CGROUP2) else []
        return Tool(self.name, f"{self.name} run ID, in a bundle of {self.name} spec", path=self.path, view=CGROUP2,
                    slots=self.clean,
                    words=lambda command, _: [self.path, *before, "--root", self.state, "run", "--bundle",
                                              self.bundle([str(word) for word in command]), f"compare-{SLOT}"])


def oci(bench, path, root):
    return Oci(bench, path, root).tool()


RECIPES = {"bwrap": bwrap, "firejail": firejail, "crun": oci, "runc": oci, "systemd-nspawn": systemd_nspawn}


def tools(bench, root, names=None):
    """No sandbox, sbx and the peers that are installed; a note names the others."""
    found = [Tool("no sandbox", "", lambda command, _: command, work="")]
    missing = []
    if bench.sbx:
        degrade = Ours(bench).find_degrade()
        found.append(Tool("sbx", " ".join(["sbx run", *degrade, "-- CMD"]), path=bench.sbx, patient=("--timeout", "none"),
                          words=lambda command, more: [bench.sbx, "run", *degrade, *more, "--", *command]))
    for name, recipe in RECIPES.items():
        path = shutil.which(name, path=SEARCHED)
        if path:
            found.append(recipe(bench, path, root))
        else:
            missing.append(name)
    if missing:
        bench.note(f"Not installed, and left out: {', '.join(missing)}.")
    return [tool for tool in found if names is None or tool.name in names]
