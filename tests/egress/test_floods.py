"""What the payload can make the supervisor hold is bounded, and it goes on serving meanwhile."""
import subprocess
import time
from pathlib import Path

import pytest

from egress.account import Said
from egress.world import ports
from support import slow

MEGABYTE = 1 << 20
START = ["/usr/bin/python3", "/flows.py"]


def resident(pid):
    """Bytes of a process's own memory that are in RAM."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("RssAnon:")[1].split()[0]) * 1024


@pytest.fixture
def watched(net):
    """watched(VERB, ...): the run, and the supervisor's memory while the payload waited at its end."""
    def run(verb, *words, **network):
        running = net.spawn([*START, verb, *map(str, words)], stdin=subprocess.PIPE, **network)
        running.read_until(b"here\n", 50)
        used = resident(running.pid)
        done = running.wait(b"\n")
        done.said = Said(done)
        return done, used
    return run


def test_of_names_below_a_wildcard(watched):
    few, little = watched("name_flood", "cdn.test", 10, allow=["*.cdn.test:443"])
    assert few.said["codes"] == {"0": 11}, repr(few)
    many, much = watched("name_flood", "cdn.test", 20000, allow=["*.cdn.test:443"])
    assert many.said["first"][0] == many.said["first"][1] != None, repr(many)  # noqa: E711
    assert set(many.said["codes"]) <= {"0", "2", "5"} and many.said["codes"]["0"] < 20000, repr(many)
    assert much - little < 16 * MEGABYTE, (little, much)
    assert len(many.result["network"]["connections"]) <= 1001 and len(many.result["denials"]) <= 1001


def test_of_names_that_are_not_allowed(watched):
    few, little = watched("name_flood", "forbidden.test", 10, allow=["*.cdn.test:443"])
    assert few.said["codes"] == {"5": 11}, repr(few)
    many, much = watched("name_flood", "forbidden.test", 20000, allow=["*.cdn.test:443"])
    assert many.said["codes"] == {"5": 20001}, repr(many)
    assert much - little < 16 * MEGABYTE, (little, much)
    assert len(many.result["network"]["connections"]) <= 1001 and len(many.result["denials"]) <= 1001


@pytest.mark.parametrize("target", ["allowed.test 443", "other.test 80", f"other.test {ports.SILENT}", "11.22.33.1 53"],
                         ids=["hello", "header", "silent", "dns"])
def test_of_connections_that_say_next_to_nothing(watched, target):
    rules = ["allowed.test:443", "other.test:80", f"other.test:{ports.SILENT}", f"other.test:{ports.ECHO}"]
    few, little = watched("loris", *target.split(), 1, 0.2, "other.test", ports.ECHO, allow=rules)
    many, much = watched("loris", *target.split(), 400, 2, "other.test", ports.ECHO, allow=rules)
    assert many.said["held"] == 400 and many.said["slowest_ms"] < 500 * slow.FACTOR, repr(many)
    assert much - little < 30 * MEGABYTE, (little, much)


def test_of_datagrams_from_many_sockets(watched):
    few, little = watched("many_flows", "other.test", 7, 1, allow=["udp:other.test:7"])
    assert few.said["answered"] == 1, repr(few)
    many, much = watched("many_flows", "other.test", 7, 900, allow=["udp:other.test:7"],
                         network={"limits": {"connections": 300}})
    assert 200 <= many.said["answered"] <= 300 and much - little < 10 * MEGABYTE, (little, much, repr(many))
    assert any(c["verdict"] == "limited" for c in many.result["network"]["connections"]), repr(many)


def test_of_datagrams_that_nobody_waits_for_any_more(net):
    """Flows of sockets that are closed keep a connection out for seconds, not for as long as a NAT would keep them."""
    run = net.flows("leave_datagrams", "other.test", 7, 4, ports.ECHO, allow=["udp:other.test:7", f"other.test:{ports.ECHO}"],
                    network={"limits": {"connections": 4}})
    assert run.said["answered"] == 4 and run.said["reached"], repr(run)


def test_of_readers_that_do_not_read(watched):
    rules = [f"other.test:{ports.SOURCE}", f"other.test:{ports.ECHO}"]
    few, little = watched("stall", "other.test", ports.SOURCE, 1, MEGABYTE, "other.test", ports.ECHO, allow=rules)
    many, much = watched("stall", "other.test", ports.SOURCE, 200, 2 * MEGABYTE, "other.test", ports.ECHO, allow=rules)
    assert many.said["held"] == 200 and many.said["got"] == 400 * MEGABYTE, repr(many)
    assert many.said["slowest_ms"] < 500 * slow.FACTOR and much - little < 20 * MEGABYTE, (little, much, repr(many))


def test_of_connections_that_have_ended_and_were_not_read(net):
    """Their bytes are in the kernel of the host, until somebody takes them: that is what the limit bounds."""
    run = net.flows("hoard", "other.test", ports.SOURCE, 40, 500_000, allow=[f"other.test:{ports.SOURCE}"],
                    network={"limits": {"connections": 4}})
    allowed = [c for c in run.result["network"]["connections"] if c["verdict"] == "allowed"]
    assert run.said["kept"] == 4 and sum(c["count"] for c in allowed) == 4, repr(run)
    # Those that are read to the end give it back.
    run = net.flows("crowd", "other.test", ports.ECHO, "80", allow=[f"other.test:{ports.ECHO}"],
                    network={"limits": {"connections": 100}})
    assert run.said["good"] == 80, repr(run)


def test_of_connections_past_the_limit(net):
    """Refused, told, and no harm to those that there are."""
    run = net.flows("crowd", "other.test", ports.ECHO, "80", allow=[f"other.test:{ports.ECHO}"],
                    network={"limits": {"connections": 50}})
    assert run.said["good"] == 50, repr(run)
    limited = [c for c in run.result["network"]["connections"] if c["verdict"] == "limited"]
    assert sum(c["count"] for c in limited) >= 30, repr(run)  # of both families, if the first one fails


def test_a_gigabyte_leaves_memory_flat(net):
    running = net.spawn([*START, "transfer_and_wait", "other.test", str(ports.SPEAKS_LAST), "1"],
                        allow=[f"other.test:{ports.SPEAKS_LAST}"])
    used = []
    while running.process.poll() is None and len(used) < 3000:
        try:
            used.append(resident(running.pid))
        except (OSError, IndexError):
            break
        time.sleep(0.02)
    done = running.wait().assert_ok()
    assert str(1 << 30) in done.out, repr(done)
    used = used[5:-1] or used
    assert max(used) - used[0] < 4 * MEGABYTE, (used[0], max(used))


def test_a_name_whose_server_never_answers_holds_up_nobody(net):
    """It is looked up on the host, without waiting for it."""
    script = ("import socket, threading, time, sys; sys.path.insert(0, '/'); import inside, json\n"
              "threads = [threading.Thread(target=inside.connect, args=(f'n{n}.hang.test', '7'), daemon=True) for n in range(50)]\n"
              "[t.start() for t in threads]; time.sleep(0.2)\n"
              "answer = inside.echo('other.test', '7'); print(json.dumps(answer), flush=True)\n"
              "import os; os._exit(0)")
    run = net(["/usr/bin/python3", "-c", script], allow=["*.hang.test:7", "other.test:7"])
    assert '"reached": true' in run.out and float(run.out.split('"ms": ')[1].split(",")[0]) < 500 * slow.FACTOR, repr(run)
