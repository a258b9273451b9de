"""What a process has of its parent's beside descriptors: nothing of the caller's keys, personality or priority."""
import ctypes
import os
import resource
import subprocess

import pytest

SESSION, JOIN = -3, 1
KEYCTL, ADD_KEY, PERSONALITY = 250, 248, 135
NO_RANDOMIZE, MMAP_PAGE_ZERO = 0x0040000, 0x0100000

FIND_KEY = """
import ctypes
c = ctypes.CDLL(None, use_errno=True)
key = c.syscall(250, 10, -3, b"user", b"sbx-test", 0)
data = ctypes.create_string_buffer(20)
length = c.syscall(250, 11, key, data, 20)
print(data.raw[:length].decode() if key > 0 else "none")
"""
_libc = ctypes.CDLL(None, use_errno=True)


def with_a_key():
    """A session keyring of this process's own, as a login's, with a key in it."""
    assert _libc.syscall(KEYCTL, JOIN, None) > 0, os.strerror(ctypes.get_errno())
    assert _libc.syscall(ADD_KEY, b"user", b"sbx-test", b"the key", 7, SESSION) > 0, os.strerror(ctypes.get_errno())


@pytest.fixture
def start(sbx):
    def run(host, *flags, cmd, bare=False):
        words = [*cmd] if bare else [sbx.binary, "run", *sbx.degraded, *flags, "--", *cmd]
        return subprocess.run(list(map(str, words)), cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              preexec_fn=host, timeout=60)

    return run


@pytest.mark.parametrize("flags", [("--seccomp-allow", "@keyring"), ("--on-deny", "log")], ids=["allowed", "logged"])
def test_a_key_of_the_callers_is_not_found(start, flags):
    """Whatever the profile: the control, without a sandbox, finds it."""
    command = ["/usr/bin/python3", "-c", FIND_KEY]
    assert start(with_a_key, cmd=command, bare=True).stdout == "the key\n"
    done = start(with_a_key, *flags, cmd=command)
    assert done.stdout == "none\n", done


def test_a_key_of_its_own_is(start):
    own = "import ctypes\nc = ctypes.CDLL(None)\nc.syscall(248, b'user', b'sbx-test', b'own key', 7, -3)\n" + FIND_KEY
    done = start(None, "--seccomp-allow", "@keyring", cmd=["/usr/bin/python3", "-c", own])
    assert done.stdout == "own key\n", done


@pytest.mark.parametrize("bits", [NO_RANDOMIZE, NO_RANDOMIZE | MMAP_PAGE_ZERO])
def test_no_personality_of_the_callers(start, bits):
    """Read as the kernel shows it, since asking is denied."""
    def host():
        assert _libc.syscall(PERSONALITY, bits) >= 0

    show = ["cat", "/proc/self/personality"]
    assert int(start(host, cmd=show, bare=True).stdout, 16) == bits
    assert int(start(host, cmd=show).stdout, 16) == 0


@pytest.mark.needs("root")
def test_no_real_time_class_of_the_callers(start):
    def host():
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))

    try:
        subprocess.run(["true"], preexec_fn=host, check=True)
    except subprocess.SubprocessError:
        pytest.skip("this host does not have it: a real-time class for this process's group")
    show = ["/usr/bin/python3", "-c", "import os; print(os.sched_getscheduler(0))"]
    assert start(host, cmd=show, bare=True).stdout == f"{os.SCHED_RR}\n"
    limits = ["--set", "limits.cpus=none"]
    assert start(host, *limits, cmd=show).stdout == f"{os.SCHED_OTHER}\n"


@pytest.mark.needs("root")
@pytest.mark.parametrize("limit, name", [(resource.RLIMIT_RTPRIO, "rtprio"), (resource.RLIMIT_NICE, "nice")])
def test_no_right_to_a_priority_unless_the_profile_names_it(start, limit, name):
    def host():
        resource.setrlimit(limit, (15, 15))

    try:
        subprocess.run(["true"], preexec_fn=host, check=True)
    except subprocess.SubprocessError:
        pytest.skip(f"this host does not have it: a right to raise RLIMIT_{name.upper()}")
    show = ["/usr/bin/python3", "-c", f"import resource; print(*resource.getrlimit(resource.RLIMIT_{name.upper()}))"]
    assert start(host, cmd=show).stdout == "0 0\n"
    assert start(host, "--rlimit", f"{name}=7", cmd=show).stdout == "7 7\n"
