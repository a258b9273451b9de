"""The payload cannot make or join a namespace, nor see what the host's would show."""
import ctypes
import os
import socket

import pytest

from escape.attacks import (ROOT_INSIDE, Attack, test_contained, test_one_wall_less_still_contains,  # noqa: F401
                            test_works_without_its_walls)

NEEDS_CAPABILITIES = ("pid", "mnt", "net", "ipc", "uts", "cgroup")
WALLS = ("install_seccomp", "capabilities", "forbid_namespaces")
USER_WALLS = ("install_seccomp", "forbid_namespaces")

IPC_CREAT, IPC_RMID = 0o1000, 0


def make(kind, walls, flags=()):
    yield Attack(f"cannot_unshare_{kind}", f"unshare {kind}", walls=walls, control_flags=flags)
    yield Attack(f"cannot_clone_into_a_new_{kind}", f"clone {kind}", walls=walls, control_flags=flags)
    # The filter answers ENOSYS to clone3: it cannot look into the structure behind the pointer.
    yield Attack(f"cannot_clone3_into_a_new_{kind}", f"clone3 {kind}", walls=walls, control_flags=flags)


ATTACKS = [
    *make("user", USER_WALLS),
    *[attack for kind in NEEDS_CAPABILITIES for attack in make(kind, WALLS, ROOT_INSIDE)],
    Attack("cannot_unshare_time", "unshare time", walls=WALLS, control_flags=ROOT_INSIDE),
    Attack("cannot_hide_clone_flags_in_high_bits", "clone user high-bits", walls=USER_WALLS),
    *[Attack(f"cannot_join_{kind}", f"setns /proc/self/ns/{kind}", control_flags=ROOT_INSIDE,
             walls=("install_seccomp", "capabilities")) for kind in ("net", "uts", "ipc")],
    Attack("cannot_rename_the_host", "rename-host", walls=("install_seccomp", "capabilities"),
           control_flags=ROOT_INSIDE),
    Attack("cannot_see_the_host_name", "hostname-is {hostname}", walls=("set_hostname",), clone_without="uts"),
    Attack("cannot_see_the_hosts_interfaces", "interfaces", granted_by=("--net", "host")),
    Attack("cannot_see_the_hosts_shared_memory", "shared-memory {shm_key}", clone_without="ipc"),
    Attack("cannot_see_the_hosts_cgroups", "cgroup-path", walls=("unshare_cgroup",), clone_without="cgroup",
           needs=("cgroup",)),
]


@pytest.fixture
def scene():
    """A segment of System V shared memory on the host."""
    libc = ctypes.CDLL(None, use_errno=True)
    key = 0x5B000000 | (os.getpid() & 0xFFFFFF)
    segment = libc.shmget(key, 4096, IPC_CREAT | 0o666)
    assert segment >= 0, os.strerror(ctypes.get_errno())
    yield {"hostname": socket.gethostname(), "shm_key": key}
    libc.shmctl(segment, IPC_RMID, None)
