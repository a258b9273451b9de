"""Hosts that lack something, made for one process and its children only: each function runs in the
child, between fork and exec of sbx, in namespaces of its own, and touches nothing of this machine."""
import ctypes
import errno
import os
import platform
import resource
import signal
import struct

CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 32, 4096, 16384, 1 << 18
AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = -100, 0x8000, 1
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
BPF_LOAD_WORD, BPF_JUMP_EQUAL, BPF_RETURN = 0x20, 0x15, 0x06
SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS = 0x00050000, 0x7FFF0000, 0x80000000
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER = 1, 8

# x86_64, the only table that sbx has.
CALLS = {"clone": 56, "mount": 165, "pivot_root": 155, "sethostname": 170, "unshare": 272, "seccomp": 317, "socket": 41,
         "prctl": 157, "capset": 126, "setresuid": 117, "pipe2": 293, "mmap": 9, "chdir": 80, "setsid": 112,
         "prlimit64": 302, "setns": 308, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
         "sendfile": 40, "clone3": 435, "close_range": 436, "openat2": 437, "mount_setattr": 442,
         "fsconfig": 431, "umount2": 166, "landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446, "signalfd4": 289, "timerfd_create": 283,
         "kill": 62, "sched_getscheduler": 145}

_libc = ctypes.CDLL(None, use_errno=True)
assert platform.machine() == "x86_64"


def _check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _write(path, text):
    with open(path, "w") as file:
        file.write(text)


def _mount(source, target, kind, flags=0, data=None):
    _check(_libc.mount(source and source.encode(), target.encode(), kind and kind.encode(), flags,
                       data and data.encode()))


def own_mounts():
    """A mount namespace of its own; an ordinary user gets the rights for that from a user namespace."""
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        _check(_libc.unshare(CLONE_NEWNS))
    else:
        _check(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    _mount(None, "/", None, MS_REC | MS_PRIVATE)


def no_user_namespaces():
    """sbx is started by an ordinary user; no namespace below this one may be made."""
    uid, gid = os.getuid(), os.getgid()
    _check(_libc.unshare(CLONE_NEWUSER))
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"4321 {uid} 1")
    _write("/proc/self/gid_map", f"4321 {gid} 1")
    _write("/proc/sys/user/max_user_namespaces", "0")


def masked_proc():
    """As in many containers: something is mounted over a part of /proc."""
    own_mounts()
    _mount("tmpfs", "/proc/irq", "tmpfs", MS_RDONLY)


def read_only_proc():
    own_mounts()
    _mount("/proc", "/proc", None, MS_BIND | MS_REC)
    _mount(None, "/proc", None, MS_REMOUNT | MS_BIND | MS_RDONLY)


def ignoring_children():
    """As some job runners start their jobs."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def no_proc():
    own_mounts()
    _mount("tmpfs", "/proc", "tmpfs", MS_RDONLY)


def empty_cgroup_mount():
    own_mounts()
    _mount("tmpfs", "/sys/fs/cgroup", "tmpfs", MS_RDONLY)


def read_only_cgroups():
    own_mounts()
    attributes = struct.pack("=QQQQ", MOUNT_ATTR_RDONLY, 0, 0, 0)
    _check(_libc.syscall(CALLS["mount_setattr"], AT_FDCWD, b"/sys/fs/cgroup", AT_RECURSIVE, attributes,
                         ctypes.c_size_t(len(attributes))))


def read_only_run():
    own_mounts()
    _mount("tmpfs", "/run", "tmpfs", MS_RDONLY)


def read_only_sys():
    own_mounts()
    _mount("/sys", "/sys", None, MS_BIND | MS_REC)
    _mount(None, "/sys", None, MS_REMOUNT | MS_BIND | MS_RDONLY)


def no_terminals():
    """A /dev with the nodes that everybody needs, and no devpts."""
    own_mounts()
    nodes = {name: os.open(f"/dev/{name}", os.O_PATH) for name in ("null", "zero", "full", "random", "urandom", "tty")}
    _mount("tmpfs", "/dev", "tmpfs")
    for name, node in nodes.items():
        _write(f"/dev/{name}", "")
        _mount(f"/proc/self/fd/{node}", f"/dev/{name}", None, MS_BIND)


def small_state_disk():
    """Where sbx keeps changes and artifacts: a file system with room for no more than the folders, an index and little."""
    own_mounts()
    _mount("tmpfs", os.environ["XDG_STATE_HOME"], "tmpfs", data="size=256k,mode=0700")


def no_home():
    for name in ("HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME"):
        os.environ.pop(name, None)


CAPABILITIES = {"CAP_CHOWN": 0, "CAP_DAC_OVERRIDE": 1, "CAP_SETGID": 6, "CAP_SETUID": 7, "CAP_SYS_ADMIN": 21}


def lacking(*names):
    """Root as in a container that took these capabilities away."""
    gone = sum(1 << CAPABILITIES[name] for name in names)

    def host():
        with open("/proc/self/status") as status:
            held = next(int(line.split()[1], 16) for line in status if line.startswith("CapPrm:")) & ~gone
        for name in names:
            _check(_libc.prctl(24, CAPABILITIES[name], 0, 0, 0))  # PR_CAPBSET_DROP: else an exec by root gives it back
        low, high = held & 0xFFFFFFFF, held >> 32
        _check(_libc.syscall(CALLS["capset"], struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", low, low, 0, high, high, 0)))

    return host


def landlocked():
    """In another's Landlock sandbox, which lets everything be written, and with that mounts nothing (landlock(7))."""
    write_file = struct.pack("=Q", 1 << 1)
    rules = _libc.syscall(CALLS["landlock_create_ruleset"], write_file, ctypes.c_size_t(len(write_file)), 0)
    everything = struct.pack("=Qi", 1 << 1, os.open("/", os.O_PATH))
    _check(_libc.syscall(CALLS["landlock_add_rule"], rules, 1, everything, 0))
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(_libc.syscall(CALLS["landlock_restrict_self"], rules, 0))


def few_processes():
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))


def few_files(limit):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def refusing(calls, error):
    """A seccomp filter, as a container's, that answers these calls with `error`."""
    return _filtering(calls, SECCOMP_RET_ERRNO | error)


def killing(calls):
    """The same, but who makes one of these calls is killed."""
    return _filtering(calls, SECCOMP_RET_KILL_PROCESS)


def _filtering(calls, answer):
    numbers = [CALLS[name] for name in calls]
    code = struct.pack("=HBBI", BPF_LOAD_WORD | 0, 0, 0, 0)
    for number in numbers:
        code += struct.pack("=HBBI", BPF_JUMP_EQUAL, 0, 1, number)
        code += struct.pack("=HBBI", BPF_RETURN, 0, 0, answer)
    code += struct.pack("=HBBI", BPF_RETURN, 0, 0, SECCOMP_RET_ALLOW)
    program = _Program(len(code) // 8, code)

    def install():
        _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        _check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0))

    return install


def listened():
    """A filter with a listener, of which there can be only one."""
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    code = struct.pack("=HBBI", BPF_RETURN, 0, 0, SECCOMP_RET_ALLOW)
    program = _Program(1, code)
    listener = _libc.syscall(CALLS["seccomp"], SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                             ctypes.byref(program))
    assert listener >= 0
    os.dup2(listener, 0)  # above 2 it would be closed at exec, and then nobody listens


def name_of(error):
    return errno.errorcode[error]
