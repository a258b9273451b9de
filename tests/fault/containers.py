"""Real containers as hosts for sbx: each is a function that runs words inside of one and returns the completed
process. Nothing of this machine is changed: mounts are made in namespaces of their own."""
import glob
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

TREE = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc"]
# What dockerd gives a container (moby, daemon/pkg/oci/defaults.go).
DOCKER_CAPABILITIES = ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FSETID", "CAP_FOWNER", "CAP_MKNOD", "CAP_NET_RAW", "CAP_SETGID",
                       "CAP_SETUID", "CAP_SETFCAP", "CAP_SETPCAP", "CAP_NET_BIND_SERVICE", "CAP_SYS_CHROOT", "CAP_KILL",
                       "CAP_AUDIT_WRITE"]
DOCKER_MASKED = ["/proc/asound", "/proc/acpi", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats",
                 "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware"]
DOCKER_READ_ONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]


def _call(words, **options):
    return subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                          **options)


def bubblewrap(binary, *flags, proc="--unshare-pid --proc /proc"):
    """As people use it: the host's tree read-only, a /proc and /dev of its own, namespaces of its own."""
    shown = ["--ro-bind", "/", "/", *proc.split(), "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run",
             "--ro-bind", Path(binary).parent, "/tmp/sbx-bin", "--chdir", "/tmp"]
    return lambda words: _call(["bwrap", *shown, "--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-net", *flags, "--", f"/tmp/sbx-bin/{Path(binary).name}", *words])


def chroot(binary, folder):
    """A chroot into a plain folder that shows the host's system and a /proc of its own; for root."""
    root = Path(folder)
    # pid namespace: a procfs to mount; the mounts end with the process.
    script = "\n".join(["set -e", f"cd {root}", "mkdir -p proc tmp dev run", "mount -t tmpfs tmpfs tmp", "mount -t proc proc proc",
                        "mount --rbind /dev dev", *[f"mkdir -p .{t}; mount --rbind {os.path.realpath(t)} .{t}" for t in TREE],
                        "cp \"$0\" tmp/sbx", f"exec chroot {root} /bin/sh -c 'cd /tmp; exec /tmp/sbx \"$@\"' sh \"$@\""])
    return lambda words: _call(["unshare", "--mount", "--pid", "--fork", "--propagation", "private", "sh", "-c", script, binary,
                                *words])


def nspawn(binary, folder):
    root = Path(folder)
    for name in ("usr", "etc", "tmp", "proc", "sys", "dev", "run", "var", "root", "opt"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    (root / "opt" / "sbx").touch()
    flags = ["--quiet", "--register=no", "--keep-unit", "--link-journal=no", f"--machine=sbx-test-{os.getpid()}", "-D", root,
             "--read-only", "--tmpfs=/tmp", "--private-network", "--pipe", "--bind-ro=/usr", "--bind-ro=/etc",
             f"--bind-ro={binary}:/opt/sbx", "--chdir=/tmp"]
    # It keeps notes in /run/systemd, which are not for this machine's.
    script = 'mount -t tmpfs tmpfs /run && exec systemd-nspawn "$@"'
    return lambda words: _call(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", *flags, "--",
                                "/opt/sbx", *words])


def _docker_rules(profile):
    """Docker's default seccomp profile as an OCI one, for a container with Docker's default capabilities."""
    rules = []
    for rule in profile["syscalls"]:
        includes, excludes = rule.get("includes", {}), rule.get("excludes", {})
        if not set(includes.get("caps", [])) <= set(DOCKER_CAPABILITIES):
            continue
        if set(excludes.get("caps", [])) & set(DOCKER_CAPABILITIES):
            continue
        if "amd64" not in includes.get("arches", ["amd64"]) or "amd64" in excludes.get("arches", []):
            continue
        rules.append({key: rule[key] for key in ("names", "action", "errnoRet", "args") if rule.get(key)})
    return {"defaultAction": profile["defaultAction"], "defaultErrnoRet": profile["defaultErrnoRet"], "syscalls": rules,
            "architectures": ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]}


def docker_profile(cache):
    """The file of moby's own module, which scripts/setup fetches."""
    (found,) = glob.glob(f"{cache}/moby-seccomp/default.json")
    return json.loads(Path(found).read_text())


def docker(binary, folder, cache, uid=0, filtered=True, masked=True):
    """What `docker run` makes, by crun: its filter, capabilities, masked and read-only paths; for root."""
    bundle = Path(tempfile.mkdtemp(dir=folder))
    (bundle / "rootfs" / "run").mkdir(parents=True)
    (bundle / "rootfs" / ".dockerenv").touch()
    (bundle / "sbx").write_bytes(Path(binary).read_bytes())
    (bundle / "sbx").chmod(0o755)
    sets = {"bounding": DOCKER_CAPABILITIES}
    if uid == 0:
        sets |= {"effective": DOCKER_CAPABILITIES, "permitted": DOCKER_CAPABILITIES}
    mounts = [("/proc", "proc", ["nosuid", "noexec", "nodev"]), ("/dev", "tmpfs", ["nosuid", "strictatime", "mode=755"]),
              ("/dev/pts", "devpts", ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"]),
              ("/sys", "sysfs", ["nosuid", "noexec", "nodev", "ro"]), ("/tmp", "tmpfs", ["nosuid", "nodev", "mode=1777"])]
    shown = [(place, place) for place in TREE] + [(str(bundle / "sbx"), "/opt/sbx")]
    linux = {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount", "network", "cgroup")]}
    if filtered:
        linux["seccomp"] = _docker_rules(docker_profile(cache))
    if masked:
        linux |= {"maskedPaths": DOCKER_MASKED, "readonlyPaths": DOCKER_READ_ONLY}

    def run(words):
        config = {
            "ociVersion": "1.0.2", "hostname": "box", "root": {"path": "rootfs", "readonly": False}, "linux": linux,
            "process": {"user": {"uid": uid, "gid": uid}, "args": ["/opt/sbx", *map(str, words)], "cwd": "/tmp",
                        "env": ["PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/tmp"], "capabilities": sets},
            "mounts": [{"destination": at, "type": kind, "source": kind, "options": options} for at, kind, options in mounts]
            + [{"destination": at, "type": "none", "source": source, "options": ["rbind", "ro"]} for source, at in shown]}
        (bundle / "config.json").write_text(json.dumps(config))
        # crun refuses hosts that have v1 and v2 side by side, so it is shown v2 alone.
        script = ('if [ -d /sys/fs/cgroup/unified ]; then mount --bind /sys/fs/cgroup/unified /sys/fs/cgroup; fi; '
                  'exec crun --cgroup-manager=disabled --root "$0/state" run --no-new-keyring --bundle "$0" "box$$"')
        done = _call(["unshare", "--mount", "--propagation", "private", "sh", "-c", script, bundle])
        shutil.rmtree(bundle / "state", ignore_errors=True)
        return done

    return run
