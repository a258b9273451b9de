"""What a user's payloads have sent over sockets and nobody has received does not keep other runs from starting."""
import subprocess

import pytest

pytestmark = pytest.mark.needs("user")  # root may send as much as it likes

# To the kernel these are the user's, whichever process has sent them: up to the sender's limit, and 253 of one message.
HOLDER = """
import array, socket, sys
held = []
try:
    while True:
        held += socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            while True:
                held[-1].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 250))], socket.MSG_DONTWAIT)
        except BlockingIOError:
            pass
except OSError as error:
    print(error.strerror, flush=True)
sys.stdin.read()
"""


def start(sbx, limit, *flags):
    """A run whose sbx may have `limit` open files: of both limits, or `-S`, of the soft one alone."""
    argv = ["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", sbx.binary, "run", *sbx.degraded, *flags, "--", "echo", "started"]
    return subprocess.run(argv, cwd=sbx.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


@pytest.fixture
def holder(sbx):
    running = sbx.spawn("python", cmd=["python3", "-c", HOLDER], stdin=subprocess.PIPE)
    assert b"Too many references" in running.process.stdout.readline()
    yield running
    running.process.stdin.close()
    running.process.wait(30)


@pytest.mark.parametrize("flags", [(), ("--allow", "example.org:443")], ids=["plain", "gateway"])
def test_a_payload_that_holds_all_it_can_keeps_nobody_from_starting(sbx, holder, flags):
    done = start(sbx, "-Sn 1024", *flags)
    assert (done.returncode, done.stdout) == (0, "started\n"), done.stderr


def test_a_run_that_lists_denials_says_what_keeps_it_from_starting(sbx, holder):
    """Who sends the listener of its filter has the payload's limits already."""
    refused = start(sbx, "-Sn 1024", "--json")
    assert refused.returncode == 125 and "raise limits.rlimits.nofile" in refused.stderr, refused
    done = start(sbx, "-Sn 1024", "--json", "--set", "limits.rlimits.nofile=4096")
    assert done.returncode == 0 and '"status":"ok"' in done.stdout, done.stderr


def test_control_without_a_higher_hard_limit_no_run_starts(sbx, holder):
    done = start(sbx, "-n 1024")
    assert done.returncode == 125 and "ETOOMANYREFS" in done.stderr and "ulimit -n" in done.stderr, done
