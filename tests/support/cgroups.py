"""Where this process stands in each cgroup hierarchy, v1 and v2, and test groups made below there."""
import os
import time
from dataclasses import dataclass
from pathlib import Path

from . import bed

# Not "sbx-": that is what sbx calls its own groups, and sweeps.
TESTBED = "testbed-"
V1_CONTROLLERS = {"memory", "pids", "cpu", "cpuacct", "cpuset", "blkio"}


@dataclass(frozen=True)
class Hierarchy:
    """One mounted hierarchy and our place in it."""

    mount: Path
    group: str  # relative to the mount, without a leading slash; "" at its top
    version: int
    controllers: frozenset

    @property
    def path(self):
        return self.mount / self.group

    @property
    def testbed(self):
        """The test group that we are in or below, else our own group. In a bed everything is ours."""
        if bed.NAME:
            return self.mount
        for path in [self.path, *self.path.parents]:
            if path.name.startswith(TESTBED):
                return path
        return self.path

    def has(self, controller):
        return controller in self.controllers

    def writable(self):
        return os.access(self.path, os.W_OK)


def _mounts():
    """(root, mount point, version, super options) of each cgroup mount that we can see."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            fields = left.split(" ")
            version = 2 if kind == "cgroup2" else 1
            yield fields[3], Path(fields[4]), version, set(options.split(","))


def own(pid="self"):
    """Our place in every hierarchy: v1 ones with a controller that limits something, and v2."""
    mounts = list(_mounts())
    found = []
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, names, group = line.split(":", 2)
        controllers = set(filter(None, names.split(",")))
        if controllers and not controllers & V1_CONTROLLERS:
            continue
        version = 1 if controllers else 2
        for root, point, mounted_version, options in mounts:
            if mounted_version != version or not controllers <= options:
                continue
            relative = os.path.relpath(group, root)
            if relative.startswith(".."):
                continue  # mounted from a subtree that we are not in
            here = point / ("" if relative == "." else relative)
            if version == 2:
                controllers = set((here / "cgroup.controllers").read_text().split())
            found.append(Hierarchy(point, "" if relative == "." else relative, version,
                                   frozenset(controllers)))
            break
    return found


def find(controller):
    """The hierarchy that has the controller, or None."""
    return next((h for h in own() if h.has(controller)), None)


def top_has(controller):
    """Whether v2 has it at what is mounted."""
    return any(controller in (h.mount / "cgroup.controllers").read_text().split() for h in own() if h.version == 2)


def is_frozen(pid):
    """Does its group of v2 stand still as a whole?"""
    return any("frozen 1" in (h.path / "cgroup.events").read_text() for h in own(pid) if h.version == 2 and h.group)


def groups_of_runs():
    """Every group of a run ("sbx-*") below where we stand, in any hierarchy."""
    found = set()
    for hierarchy in own():
        for folder, children, _ in os.walk(hierarchy.testbed):
            found.update(os.path.join(folder, c) for c in children if c.startswith("sbx-"))
            children[:] = [c for c in children if not c.startswith("sbx-")]
    return found


class Testbed:
    """A group of the tests' own below ours in each hierarchy, given to `uid`, so that nothing else on
    the host mixes with what the tests see. For root only."""

    __test__ = False  # pytest: the name is all it has in common with a test

    def __init__(self, uid=0, gid=0):
        self.leaves = []   # where the test process goes
        self.origins = []  # where it came from
        self.tops = []
        for hierarchy in own():
            _sweep(hierarchy.path)
            self.origins.append(hierarchy.path)
            top = (_make_v1 if hierarchy.version == 1 else _make_v2)(hierarchy)
            self.tops.append(top)
            leaf = top
            if hierarchy.version == 2:
                # A v2 group that gives controllers to its children may hold no process itself.
                leaf = top / "tests"
                leaf.mkdir()
            self.leaves.append(leaf)
            for folder in {top, leaf}:
                for name in ("", "cgroup.procs", "tasks", "cgroup.threads", "cgroup.subtree_control"):
                    if (folder / name).exists():
                        os.chown(folder / name, uid, gid)

    def enter(self):
        for leaf in self.leaves:
            (leaf / "cgroup.procs").write_text(str(os.getpid()))

    def leave(self):
        for origin in self.origins:
            (origin / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        """Ends what is left inside and removes the groups."""
        for top in self.tops:
            remove_tree(top)


def _make_v1(hierarchy):
    top = hierarchy.path / f"{TESTBED}{os.getpid()}"
    top.mkdir()
    for name in ("cpuset.cpus", "cpuset.mems"):  # empty in a new v1 group, which then takes no process
        if (top / name).exists():
            (top / name).write_text((hierarchy.path / name).read_text())
    return top


def _make_v2(hierarchy):
    # Only the hierarchy's top may hold processes and hand out controllers at once.
    parent = hierarchy.path
    if hierarchy.controllers and not _enable(parent, hierarchy.controllers):
        parent = hierarchy.mount
        _sweep(parent)
    top = parent / f"{TESTBED}{os.getpid()}"
    top.mkdir()
    _enable(top, (top / "cgroup.controllers").read_text().split())
    return top


def _enable(group, controllers):
    try:
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{c}" for c in controllers))
    except OSError:
        return False
    return True


def _sweep(parent):
    """Removes test groups whose maker is gone."""
    for top in parent.glob(f"{TESTBED}*"):
        if not Path("/proc", top.name.removeprefix(TESTBED)).exists():
            remove_tree(top)


def remove_tree(top):
    deadline = time.monotonic() + 5
    while top.exists():
        folders = [Path(folder) for folder, _, _ in os.walk(top, topdown=False)]
        for folder in folders:
            try:
                for pid in (folder / "cgroup.procs").read_text().split():
                    os.kill(int(pid), 9)
                folder.rmdir()
            except OSError:  # gone already, or still busy with what was just killed
                if time.monotonic() > deadline:
                    raise
        time.sleep(0.01)
