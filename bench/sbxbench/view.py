"""Mount namespaces around what we start, entered before any clock, for peers that the machine's is not for: those
that leave mounts behind, and those that refuse cgroup v1 and v2 side by side. Only root can; others go without."""
import os
from pathlib import Path

PLACE = "/sys/fs/cgroup"
OWN = "own"  # a copy of the machine's mounts
CGROUP2 = "cgroup2"  # and cgroup2 alone at PLACE


def mounted(kind):
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return [words[1] for words in map(str.split, lines) if words[2] == kind]


class View:
    def __init__(self, cgroup2=None):
        self.cgroup2 = cgroup2

    def words(self, user):
        """What comes before a command; it ends as `user`."""
        own = ["unshare", "--mount", "--propagation", "private", "--"]
        show = ["sh", "-c", f'mount --bind "$0" {PLACE} && exec "$@"', self.cgroup2] if self.cgroup2 else []
        drop = ["setpriv", f"--reuid={user.uid}", f"--regid={user.gid}", "--clear-groups", "--"] if user.other else []
        return own + show + drop


def find_views(note):
    """Kind -> view; what is missing is not needed, or cannot be had."""
    found = mounted("cgroup2")
    mixed = found and PLACE not in found
    if os.geteuid() != 0:
        if mixed:
            note(f"{PLACE} mixes cgroup v1 and v2, and only root can hide that from who refuses it.")
        return {}
    return {OWN: View(), CGROUP2: View(found[0])} if mixed else {OWN: View()}
