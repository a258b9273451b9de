"""The peers: how each is asked for the isolation that sbx gives by default. What one cannot do is left out of its
recipe; the part `isolation` shows what came of it. None is given cgroups."""
import os
import shutil

from .skeleton import MASKED, NODES, TOP_LINKS, Bundles
from .tool import FILTER_FD, SLOT, Tool
from .view import CGROUP2, OWN

OWN_BOXES = 500  # of `isolate, whole`: from this number on, which no other row's runs have
BIND, REMOUNT_READ_ONLY = "0x1000", "0x201027"  # MS_BIND; remount a bind ro, nosuid, nodev, relatime (which is locked)


class Peers:
    def __init__(self, bench, root, calls):
        self.bench, self.root, self.calls = bench, root, calls
        self.workspace, self.user = bench.workspace, bench.user
        self.folder = bench.folder / f"peers-{self.user.uid}"
        self.folder.mkdir()
        self.bundles = Bundles(self.folder, root, self.user, self.workspace, calls)

    def state(self, name):
        """A folder of the user's, for who keeps files about live runs."""
        folder = self.folder / name
        folder.mkdir()
        os.chown(folder, self.user.uid, self.user.gid)
        return folder

    def bwrap(self, path):
        binds = [w for place in ("/usr", "/etc/ssl", "/etc/alternatives", "/etc/ld.so.cache")
                 for w in ("--ro-bind-try", place, place)]
        links = [w for name in TOP_LINKS for w in ("--symlink", f"usr/{name}", f"/{name}")]
        masks = [w for place in MASKED if os.path.exists(place) for w in ("--ro-bind", "/dev/null", place)]
        flags = ["--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--uid", "1000",
                 "--gid", "1000", "--cap-drop", "ALL", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv",
                 "HOME", "/tmp", *binds, *links, "--proc", "/proc", *masks, "--dev", "/dev", "--tmpfs", "/tmp",
                 "--tmpfs", "/dev/shm", "--ro-bind", self.workspace, "/workspace", "--chdir", "/workspace",
                 "--remount-ro", "/dev", "--remount-ro", "/"]
        yield Tool("bwrap", "bubblewrap, with floor's filter", path=path, extra=self.bench.folder / "filter",
                   words=lambda command, _: [path, *flags, "--seccomp", FILTER_FD, "--", *command])

    def nsjail(self, path):
        policy = self.folder / "policy.kafel"
        numbers = ", ".join(f"SYSCALL[{number}]" for number in self.calls.values())
        policy.write_text(f"POLICY floor {{ ALLOW {{ {numbers} }} }} USE floor DEFAULT ERRNO(1)\n")
        shown = [w for place in ("/usr", "/etc", f"{self.workspace}:/workspace", *NODES) for w in ("-R", place)]
        links = [w for name in TOP_LINKS for w in ("-s", f"usr/{name}:/{name}")]
        # Its limits and its niceness are no part of the comparison; it raises lo unless told not to.
        flags = ["-Mo", "-Q", "--user", "1000", "--group", "1000", "--hostname", "sandbox", *shown, *links,
                 "-T", "/tmp", "-T", "/dev/shm", "-D", "/workspace", "-E", "PATH=/usr/bin:/bin", "-E", "HOME=/tmp",
                 "--nice_level", "0", "--disable_rlimits", "--time_limit", "0", "--iface_no_lo"]
        for name, about, filtered in (("nsjail", "nsjail, with a policy that each start compiles", ["-P", policy]),
                                      ("nsjail, no filter", "nsjail without a policy", [])):
            yield Tool(name, about, path=path if filtered else None,
                       words=lambda command, _, filtered=filtered: [path, *flags, *filtered, "--", *command],
                       parts=None if filtered else ("isolation", "start"))

    def minijail0(self, path):
        shown = []
        for place, source in (("/", self.root), ("/usr", "/usr"), ("/etc", "/etc"), ("/workspace", self.workspace)):
            shown += ["-k", f"{source},{place},none,{BIND}", "-k", f"none,{place},none,{REMOUNT_READ_ONLY}"]
        shown += [w for node in NODES for w in ("-k", f"{node},{node},none,{BIND}")]
        # -T static: no preloaded library, which would put its own filter in later.
        flags = ["-T", "static", "--ambient", "-c", "0", "-U", "-m", "-M", "-p", "-v", "-l", "-e", "-N", "-n",
                 "--uts=sandbox", "-P", self.root, *shown, "-k", "proc,/proc,proc,0xe", "-t",
                 f"--seccomp-bpf-binary={self.bench.folder / 'filter'}", "--logging=stderr"]
        yield Tool("minijail0", "minijail, with floor's filter", path=path,
                   words=lambda command, _: [path, *flags, "--", *command])

    def isolate(self, path):
        def prepare(count):
            for box in range(prepare.boxes, count):
                self.user.run([path, f"--box-id={box}", "--init"], self.workspace)
            for box in range(prepare.boxes if count == 0 else 0):
                self.user.run([path, f"--box-id={box}", "--cleanup"], self.workspace)
            prepare.boxes = max(prepare.boxes, count) if count else 0

        prepare.boxes = 0
        flags = ["--silent", "--processes", "--dir=/etc", f"--dir=/workspace={self.workspace}", "--chdir=/workspace",
                 "--env=PATH=/usr/bin:/bin", "--env=HOME=/tmp", "--run", "--"]
        yield Tool("isolate", "isolate --run in a box made before; setuid root, no user namespace, its own filter",
                   path=path, slots=prepare, words=lambda command, _: [path, f"--box-id={SLOT}", *flags, *command])
        script = ('box=$(($1 + $2)); shift 2; "$0" --box-id=$box --init >/dev/null && "$0" --box-id=$box "$@"; '
                  'code=$?; "$0" --box-id=$box --cleanup; exit $code')
        yield Tool("isolate, whole", "isolate --init, --run and --cleanup: what one sandbox comes to",
                   words=lambda command, _: ["/bin/sh", "-c", script, path, OWN_BOXES, SLOT, *flags, *command],
                   parts=("start", "python", "rate"))

    def firejail(self, path):
        flags = ["--quiet", "--noprofile", "--net=none", "--caps.drop=all", "--nonewprivs", "--hostname=sandbox",
                 f"--seccomp.keep={','.join(self.calls)}", "--private-tmp", "--keep-var-tmp", "--private-dev",
                 "--read-only=/", "--ipc-namespace", *([] if self.user.uid == 0 else ["--noroot"])]
        yield Tool("firejail", "firejail without a profile; setuid root", path=path, work="", view=OWN,
                   words=lambda command, _: [path, *flags, "--", *command])

    def oci(self, path):
        name = os.path.basename(path)
        before = ["--cgroup-manager=disabled"] if name == "crun" else []
        # A keyring for each would use up the user's quota; the filter has no keyctl.
        own = ["--no-new-keyring"] if name in ("crun", "runc") else []
        state = self.state(name)
        yield Tool(name, f"{name} run, with a bundle for each command", path=path, view=CGROUP2,
                   words=lambda command, _: [path, *before, "--root", state, "run", *own, "--bundle",
                                             self.bundles.of(command), f"bench-{SLOT}"])

    def sandlock(self, path):
        shown = [w for place in ("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", *NODES, self.workspace)
                 for w in ("-r", place)]
        flags = ["--clean-env", "--env", "PATH=/usr/bin:/bin", "--env", "HOME=/tmp", "--no-coredump", *shown]
        yield Tool("sandlock", "sandlock: Landlock and a supervised filter, no namespaces", path=path, work="",
                   words=lambda command, _: [path, "run", *flags, "--", *command])

    def systemd_nspawn(self, path):
        shown = [f"--bind-ro={place}" for place in ("/usr", "/etc", f"{self.workspace}:/workspace")]
        flags = ["--quiet", "--register=no", "--keep-unit", "--link-journal=no", "-D", self.root, "--read-only",
                 "--tmpfs=/tmp", "--private-network", "--private-users=pick", "--private-users-ownership=off", "--pipe",
                 "--chdir=/workspace", "--drop-capability=all", "--no-new-privileges=yes", *shown]
        yield Tool("systemd-nspawn", "systemd-nspawn, its own filter; root only", path=path, view=OWN,
                   words=lambda command, _: [path, *flags, f"--machine=bench-{SLOT}", "--", *command])


SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"  # where Debian puts runc
RECIPES = {"bwrap": Peers.bwrap, "nsjail": Peers.nsjail, "minijail0": Peers.minijail0, "isolate": Peers.isolate,
           "firejail": Peers.firejail, "crun": Peers.oci, "runc": Peers.oci, "youki": Peers.oci,
           "sandlock": Peers.sandlock, "systemd-nspawn": Peers.systemd_nspawn}


def find(bench, root, calls):
    """The rows of those that are installed; a note names the others."""
    peers, found, missing = Peers(bench, root, calls), [], []
    for name, recipe in RECIPES.items():
        path = bench.args.bwrap if name == "bwrap" else shutil.which(name, path=SEARCHED)
        if path:
            found += recipe(peers, path)
        else:
            missing.append(name)
    if missing:
        bench.note(f"Not installed, and left out: {', '.join(missing)}.")
    return found
