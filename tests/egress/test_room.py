"""What waits in the supervisor's sockets is in no limit of the run's: the room of all of them together is bounded,
inside and on the host's side, whoever does not read."""
import re
import subprocess

import pytest

from egress.world import ports
from support import slow

MEGABYTE = 1 << 20
WIDE = 8  # connections that have room for a long way
SERVE = """
import socket, sys
held = []
with socket.create_server(("0.0.0.0", 8080)) as server:
    print("listens", flush=True)
    for _ in range(int(sys.argv[1])):
        peer = server.accept()[0]
        peer.setblocking(False)
        try:
            while True:
                peer.send(bytes(1 << 20))
        except BlockingIOError:
            held.append(peer)
print("here", flush=True)
sys.stdin.readline()
"""
HOLD = """
import socket, sys
held = [socket.create_connection(("127.0.0.1", int(sys.argv[1])), 10) for _ in range(int(sys.argv[2]))]
print("here", flush=True)
sys.stdin.readline()
"""


AMONG_OTHERS = """
import socket, sys, time
held = [socket.create_connection(("other.test", int(sys.argv[1])), 10) for _ in range(int(sys.argv[2]))]
start = time.monotonic()
for _ in range(5):
    with socket.create_connection(("other.test", int(sys.argv[3])), 10) as peer:
        peer.sendall(bytes(1 << 20))
        peer.shutdown(socket.SHUT_WR)
        assert peer.makefile().readline().split()[0] == str(1 << 20)
    with socket.create_connection(("other.test", int(sys.argv[4])), 10) as peer:
        peer.sendall(b"1000000\\n")
        assert len(peer.makefile("rb").read()) == 1000000
print(time.monotonic() - start)
"""


def rooms(listed):
    """(receive, send) of each socket in the output of ss(8): what the kernel lets it grow to now."""
    return [(int(a), int(b)) for a, b in re.findall(r"skmem:\(r\d+,rb(\d+),t\d+,tb(\d+)", listed)]


def inside(running, *words):
    """ss(8) in the sandbox's network, sockets of the supervisor's included."""
    pid = max(pid for pid, _ in running.processes())
    command = ["nsenter", f"--target={pid}", "--user", "--net", "--preserve-credentials", "ss", "-Htnm", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(outside, within, count):
    assert len(outside) == len(within) == count, (outside, within)
    assert sum(max(room) > MEGABYTE for room in outside) <= WIDE, outside
    assert all(receive <= 6 * MEGABYTE and send <= 4 * MEGABYTE for receive, send in outside), outside
    assert sum(max(room) > MEGABYTE // 8 for room in within) <= WIDE, within
    assert all(max(room) <= MEGABYTE for room in within), within


def test_of_what_the_payload_does_not_read(net, world):
    words = ["stall", "other.test", ports.SOURCE, 100, 8 * MEGABYTE, "other.test", ports.ECHO]
    running = net.spawn(["/usr/bin/python3", "/flows.py", *map(str, words)], stdin=subprocess.PIPE,
                        allow=[f"other.test:{ports.SOURCE}", f"other.test:{ports.ECHO}"])
    running.read_until(b"here\n", 50)
    outside = rooms(world.run("ss", "-Htnm", "dport", "=", f":{ports.SOURCE}").stdout)
    within = rooms(inside(running, "sport", "=", f":{ports.SOURCE}"))
    running.wait(b"\n").assert_ok()
    check(outside, within, 100)
    assert sum(map(sum, outside + within)) <= 150 * MEGABYTE


@pytest.mark.parametrize("others", [7, 31, 100])
def test_a_connection_of_many_does_not_stand_still(net, others):
    """What is sent to little room is not more than it takes: nothing is lost, which the sender sees by time alone."""
    places = [ports.SILENT, others, ports.SPEAKS_LAST, ports.SOURCE]
    run = net(["/usr/bin/python3", "-c", AMONG_OTHERS, *map(str, places)],
              allow=[f"other.test:{ports.SILENT}", f"other.test:{ports.SPEAKS_LAST}", f"other.test:{ports.SOURCE}"]).assert_ok()
    assert float(run.out) < 3 * slow.FACTOR, repr(run)


def test_of_what_nobody_reads_of_a_published_port(net, world):
    running = net.spawn(["/usr/bin/python3", "-c", SERVE, "20"], network={"publish": ["18090:8080"]}, stdin=subprocess.PIPE)
    running.read_until(b"listens\n")
    client = subprocess.Popen([*world.prefix(), "/usr/bin/python3", "-c", HOLD, "18090", "20"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    try:
        assert client.stdout.readline() == b"here\n"
        running.read_until(b"here\n")
        outside = rooms(world.run("ss", "-Htnm", "sport", "=", ":18090").stdout)
        within = rooms(inside(running, "dport", "=", ":8080"))
    finally:
        client.communicate(b"\n")
    running.wait(b"\n").assert_ok()
    check(outside, within, 20)
