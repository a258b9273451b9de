"""An almost empty root for the peers that mount into one, and the bundles of those that read OCI's format."""
import json

TOP_LINKS = ("bin", "sbin", "lib", "lib64")
NODES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
MASKED = ("/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/kallsyms")
KEPT = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs")
NAMESPACES = ("user", "pid", "network", "ipc", "uts", "mount", "cgroup")
CAPABILITIES = ("bounding", "effective", "permitted", "inheritable", "ambient")
NEW_NAMESPACES = 0x7E020000  # the flags of clone(2) that make one
ENOSYS = 38


def make_root(root):
    for name in ("usr", "etc", "proc", "tmp", "dev", "sys", "run", "var", "root", "workspace"):
        (root / name).mkdir(parents=True)
    for name in TOP_LINKS:
        (root / name).symlink_to(f"usr/{name}")
    for node in NODES:
        (root / node[1:]).touch()


def mount(place, kind, *options, source=None):
    return {"destination": place, "type": kind, "source": source or kind, "options": list(options)}


def mounts(workspace):
    shown = [mount(place, "bind", "rbind", "ro", "nosuid", "nodev", source=str(source))
             for place, source in (("/usr", "/usr"), ("/etc", "/etc"), ("/workspace", workspace))]
    return [mount("/proc", "proc"), mount("/dev", "tmpfs", "nosuid", "mode=755", "size=64k"),
            mount("/dev/shm", "tmpfs", "nosuid", "nodev", "mode=1777", "size=64m"),
            mount("/dev/pts", "devpts", "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"),
            mount("/tmp", "tmpfs", "nosuid", "nodev", "mode=1777", "size=64m"), *shown]


def seccomp(calls):
    """floor's filter by names: clone makes no namespace, and clone3 is not there, so that libraries fall back."""
    plain = [name for name in calls if name != "clone"]
    no_namespace = {"index": 0, "value": NEW_NAMESPACES, "valueTwo": 0, "op": "SCMP_CMP_MASKED_EQ"}
    return {"defaultAction": "SCMP_ACT_ERRNO", "architectures": ["SCMP_ARCH_X86_64"],
            "syscalls": [{"names": plain, "action": "SCMP_ACT_ALLOW"},
                         {"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [no_namespace]},
                         {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": ENOSYS}]}


class Bundles:
    """A folder with a config.json for each command: it is where a runtime finds its arguments."""

    def __init__(self, folder, root, user, workspace, calls):
        self.folder, self.known = folder, {}
        self.base = {
            "ociVersion": "1.0.0", "hostname": "sandbox", "root": {"path": str(root), "readonly": True},
            "mounts": mounts(workspace),
            "linux": {"namespaces": [{"type": name} for name in NAMESPACES], "seccomp": seccomp(calls),
                      "uidMappings": [{"containerID": 0, "hostID": user.uid, "size": 1}],
                      "gidMappings": [{"containerID": 0, "hostID": user.gid, "size": 1}],
                      "maskedPaths": list(MASKED), "readonlyPaths": list(KEPT)}}

    def of(self, command):
        key = "\0".join(map(str, command))
        if key not in self.known:
            bundle = self.folder / f"bundle-{len(self.known)}"
            bundle.mkdir()
            process = {"terminal": False, "user": {"uid": 0, "gid": 0}, "args": [str(word) for word in command],
                       "cwd": "/workspace", "env": ["PATH=/usr/bin:/bin", "HOME=/tmp"], "noNewPrivileges": True,
                       "capabilities": {name: [] for name in CAPABILITIES}}
            (bundle / "config.json").write_text(json.dumps({**self.base, "process": process}))
            self.known[key] = bundle
        return self.known[key]
