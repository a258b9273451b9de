"""What this host offers, tried for real: behind @pytest.mark.needs(...)."""
import ctypes
import functools
import os
import shutil
import subprocess

from . import bed, cgroups

SYS_LANDLOCK_CREATE_RULESET = 444
LANDLOCK_CREATE_RULESET_VERSION = 1


def _succeeds(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def _cgroup(controller):
    """A controller in a group below which we may make others; no controller: memory and pids. In a bed its
    row says it: where sbx may find a place is for sbx to know."""
    if bed.NAME:
        return bed.why_no_cgroup(*([controller] if controller else ["memory", "pids"]))
    for name in [controller] if controller else ["memory", "pids"]:
        hierarchy = cgroups.find({"io": "blkio"}.get(name, name)) or cgroups.find(name)
        if hierarchy is None:
            return f"no {name} controller is mounted"
        if not hierarchy.writable():
            return f"{hierarchy.path} is not writable for this user"
    return None


def _version(wanted):
    hierarchy = cgroups.find("memory")
    # Our own group need not have it handed down, where the host has it on v2.
    have = hierarchy.version if hierarchy else 2 if cgroups.top_has("memory") else 0
    return None if have == wanted else f"the memory controller is on cgroup v{have}"


def _swap(_):
    hierarchy = cgroups.find("memory")
    names = ("memory.memsw.limit_in_bytes", "memory.swap.max")
    if hierarchy and any((hierarchy.testbed / name).exists() for name in names):
        return None
    return "the kernel does not account for swap"


def _huge_pages(_):
    with open("/proc/sys/vm/nr_hugepages") as file:
        return None if int(file.read()) else "this host has none reserved"


def _userns(_):
    return None if _succeeds("unshare", "--user", "--map-root-user", "true") else \
        "user namespaces are refused"


def _overlay(_):
    script = "mount -t tmpfs t /tmp && cd /tmp && mkdir l u w m && " \
             "mount -t overlay -o lowerdir=l,upperdir=u,workdir=w,userxattr o m"
    return None if _succeeds("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script) else \
        "overlayfs in a user namespace is refused"


def _landlock(_):
    call = ctypes.CDLL(None, use_errno=True).syscall
    abi = call(SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_CREATE_RULESET_VERSION)
    return None if abi >= 1 else "the kernel has no Landlock"


def _signal_scope(_):
    call = ctypes.CDLL(None, use_errno=True).syscall
    abi = call(SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), LANDLOCK_CREATE_RULESET_VERSION)
    return None if abi >= 6 else "the kernel's Landlock has no scope for signals (Linux 6.12)"


def _ipv6(_):
    return None if os.path.exists("/proc/net/if_inet6") else "the kernel has no IPv6"


def _program(name):
    return None if shutil.which(name) else f"no {name} on PATH"


def _sandbox(_):
    return "programs run natively (SBX_TEST_NATIVE)" if os.environ.get("SBX_TEST_NATIVE") else None


def _root(_):
    return None if os.geteuid() == 0 else "tests run as an ordinary user"


def _user(_):
    return None if os.geteuid() != 0 else "tests run as root"


_TABLE = {
    "root": _root, "user": _user, "userns": _userns, "cgroup": _cgroup, "swap": _swap,
    "cgroup-v1": lambda _: _version(1), "cgroup-v2": lambda _: _version(2),
    "sandbox": _sandbox, "overlay": _overlay, "landlock": _landlock, "signal-scope": _signal_scope, "ipv6": _ipv6, "huge-pages": _huge_pages, "program": _program,
}


@functools.lru_cache(maxsize=None)
def why_not(feature):
    """None when this host has the feature ("cgroup", "cgroup:cpuset", "program:node", ...); else why not."""
    name, _, argument = feature.partition(":")
    if name not in _TABLE:
        raise ValueError(f"needs({feature!r}): known are {', '.join(sorted(_TABLE))}")
    return _TABLE[name](argument)


def is_root():
    return os.geteuid() == 0
