"""Memory that the kernel takes for the command and counts for no cgroup: without end where one descriptor is enough."""
import pytest

# Each prints a line once it holds some 60 MiB or more, and stays. A socket takes what net.core.rmem_default says.
PRELUDE = """
import socket, struct, sys, time
held = []
def ready():
    print("full", flush=True)
    time.sleep(float(sys.argv[1]))
"""
ANSWERS = """
ask = struct.pack("=IHHIIBxHiII", 32, 18, 1, 0, 0, 0, 0, 1, 0, 0)  # RTM_GETLINK of lo
for _ in range(400):
    held.append(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0))
    for _ in range(100):
        held[-1].send(ask)
"""
ERRORS = """
for _ in range(400):
    held.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    held[-1].setsockopt(socket.IPPROTO_IP, 11, 1)  # IP_RECVERR
    for _ in range(400):
        try:
            held[-1].sendto(b"x" * 1000, ("127.0.0.1", 9))
        except ConnectionRefusedError:
            pass
"""
CONNECTIONS = """
listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
for _ in range(1500):
    with socket.socket() as one:
        one.setblocking(False)
        one.connect_ex(listener.getsockname())
        try:
            one.send(b"x" * 50000)
        except BlockingIOError:
            pass
"""
BEGUN = """
for _ in range(900):
    held.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    held[-1].sendto(b"x" * 60000, socket.MSG_MORE, ("127.0.0.1", 9))
"""
WAYS = {"answers of netlink": ANSWERS, "errors": ERRORS, "datagrams that never end": BEGUN,
        "connections that nobody accepts": CONNECTIONS}


def run(sbx, way, memory, seconds):
    script = PRELUDE + WAYS[way] + "ready()"
    return sbx.run(flags=["--memory", memory], cmd=["/usr/bin/python3", "-S", "-c", script, seconds], timeout=120)


@pytest.mark.needs("cgroup:memory")
@pytest.mark.parametrize("way", WAYS)
def test_more_than_the_limit_ends_the_run(sbx, way):
    ended = run(sbx, way, "32M", "30")
    ended.assert_status("oom", 137)
    assert ended.result["reason"]["code"] == "memory_limit" and "unread" in ended.result["reason"]["text"], ended
    assert ended.result["memory"]["oom_kills"] == 0, ended  # no cgroup has seen any of it


@pytest.mark.needs("cgroup:memory")
def test_nor_does_one_that_waits_until_it_is_looked_at_seldom(sbx):
    run = sbx.run(flags=["--memory", "32M"], cmd=["/usr/bin/python3", "-S", "-c", "import time; time.sleep(1.6)\n" + PRELUDE +
                                                  WAYS["answers of netlink"] + "ready()", "30"], timeout=120)
    run.assert_status("oom", 137)


@pytest.mark.parametrize("way", WAYS)
def test_control_without_the_limit_it_stays(sbx, way):
    assert run(sbx, way, "none", "1").assert_ok().out == "full\n"


@pytest.mark.needs("cgroup:memory")
@pytest.mark.parametrize("way", WAYS)
def test_what_stays_below_is_left_alone(sbx, way):
    assert run(sbx, way, "1G", "1").assert_ok().out == "full\n"


TOLD = """
import signal
signal.signal(signal.SIGTERM, lambda *_: None)
signal.pause()
"""


@pytest.mark.needs("cgroup:memory")
@pytest.mark.parametrize("memory, early", [("32M", True), ("none", False)])
def test_the_grace_before_a_kill_has_the_limit_as_well(sbx, memory, early):
    script = PRELUDE + TOLD + WAYS["answers of netlink"] + "ready()"
    flags = ["--memory", memory, "--timeout", "1s", "--grace", "30s" if early else "3s"]
    run = sbx.run(flags=flags, cmd=["/usr/bin/python3", "-S", "-c", script, "60"], timeout=120)
    run.assert_status("timeout", 124)  # the first reason stays
    assert run.seconds < 25 if early else run.seconds >= 4, run


# What may be asked for once may be asked for without end: a policy for each page of a file that has none, a program
# that the kernel compiles for each socket.
ASK = """
import ctypes, mmap, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
"""
POLICY = """
fd = os.memfd_create("x")
os.ftruncate(fd, 1 << 30)
memory = mmap.mmap(fd, 1 << 20)
at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
nodes = (ctypes.c_ulong * 16)(1)
for page in range(0, 1 << 20, 8192):
    if libc.syscall(237, ctypes.c_void_p(at + page), ctypes.c_ulong(4096), 2, nodes, ctypes.c_ulong(65), 0) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))  # mbind, MPOL_BIND
"""
FILTER = """
step = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0xffffffff))
with socket.socket(socket.AF_UNIX) as one:
    try:
        one.setsockopt(socket.SOL_SOCKET, 26, struct.pack("@HP", 1, ctypes.addressof(step)))
    except OSError as error:
        sys.exit(error.strerror)
"""
ENDLESS = {"a policy for each page": POLICY, "a filter for each socket": FILTER}


@pytest.mark.parametrize("way", ENDLESS)
def test_endless_is_refused(sbx, way):
    run = sbx.run(cmd=["/usr/bin/python3", "-S", "-c", ASK + ENDLESS[way]]).assert_nonzero(1)
    assert run.err == "Operation not permitted\n", run


@pytest.mark.parametrize("way", ENDLESS)
def test_control_without_the_filter_it_is_given(weakened, way):
    run = weakened.run(cmd=["/usr/bin/python3", "-S", "-c", ASK + ENDLESS[way]],
                       env={"SBX_TEST_WITHOUT": "install_seccomp"})
    if "not implemented" in run.err:
        pytest.skip("this kernel does not have it: NUMA")
    run.assert_ok()
