"""The words of `network` beside allow and deny: ports of the host, published ones, limits; and what is told."""
import json
import subprocess

import jsonschema
import pytest

from egress.account import connections, denials
from egress.world import ports
from support import slow

SERVE = """
import socket, sys
with socket.create_server((sys.argv[1], 8080), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET) as server:
    print("listens", flush=True)
    while True:
        peer = server.accept()[0]
        peer.sendall(b"served " + peer.recv(100))
        peer.close()
"""


def ask(world, address, port, text="hello"):
    """From the host: what is said at this port of its own."""
    code = ("import socket, sys\nwith socket.create_connection((sys.argv[1], int(sys.argv[2])), 5) as peer:\n"
            "  peer.sendall(sys.argv[3].encode()); print(peer.recv(100).decode())")
    return world.run("/usr/bin/python3", "-c", code, address, port, text)


def test_a_port_of_the_hosts_loopback_and_no_other(net):
    targets = ("127.0.0.1", "7001", "localhost", "7001", "127.0.0.1", "7002", "11.22.33.2", "7003", "other.test", "7")
    run = net.inside("echoes", *targets, network="host")
    assert len(run.said["reached"]) == 5, repr(run)
    run = net.inside("echoes", *targets, network={"host_ports": [7001]})
    assert run.said["reached"] == ["127.0.0.1:7001", "localhost:7001"], repr(run)


def test_a_name_does_not_lead_elsewhere_in_the_hosts_loopback(net):
    """127.0.0.5 has a service on the port, and 127.0.0.1 has none."""
    port = ports.ELSEWHERE_ON_HOST
    net.inside("echo", "127.0.0.5", port, network="host").assert_ok()
    rules = {"allow": [f"{name}.test:{port}" for name in ("loop5", "loop")], "network": {"host_ports": [port]}}
    run = net.inside("echoes", "loop5.test", port, "loop.test", port, "127.0.0.5", port, **rules)
    assert run.said["reached"] == [], repr(run)
    assert {c["verdict"] for c in connections(run)} == {"failed"}, repr(run)


def test_the_line_for_a_port_of_the_hosts_loopback(net):
    """Where the gateway listens to the port: else it is the sandbox's own loopback, and nothing to report."""
    run = net.inside("echo", "127.0.0.1", "7002", allow=["other.test:7002"])
    (denial,) = denials(run, "127.0.0.1:7002")
    assert denial["allow_with"] == "network: {host_ports: [7002]}", repr(run)


def test_a_connection_to_port_0_is_no_lookup(net):
    """connect(2) takes the port; only DNS asks without one."""
    run = net.inside("echoes", "11.22.33.20", "0", "nowhere.test", "7", allow=["other.test:7"])
    (denial,) = denials(run, "11.22.33.20")
    assert (denial["operation"], denial["target"]) == ("connect", "11.22.33.20:0"), repr(run)
    assert [c["port"] for c in connections(run, host="11.22.33.20")] == [0], repr(run)
    assert [c["port"] for c in connections(run, host="nowhere.test")] == [None], repr(run)


@pytest.mark.parametrize("entry,address", [("18080:8080", "127.0.0.1"), ("127.0.0.1:18081:8080", "127.0.0.1"),
                                           ("11.22.33.2:18082:8080", "11.22.33.2")])
@pytest.mark.parametrize("listens", ["0.0.0.0", "127.0.0.1", "::"])
def test_publish(net, world, entry, address, listens):
    port = int(entry.rsplit(":", 2)[-2])
    running = net.spawn(["/usr/bin/python3", "-c", SERVE, listens], network={"publish": [entry]})
    running.read_until(b"listens")
    for n in range(3):
        answer = ask(world, address, port, f"number {n}")
        assert answer.stdout == f"served number {n}\n", answer
    other = "11.22.33.2" if address == "127.0.0.1" else "127.0.0.1"
    assert ask(world, other, port).returncode != 0
    running.signal(2)
    run = running.wait()
    assert ask(world, address, port).returncode != 0
    assert "125" not in str(run.code), repr(run)


def test_publish_where_nobody_listens_yet(net, world):
    """The caller is refused, and a later one is served."""
    late = "import sys; sys.stdin.readline()\n" + SERVE
    running = net.spawn(["sh", "-c", 'echo ready; exec /usr/bin/python3 -c "$0" 0.0.0.0', late],
                        network={"publish": ["18083:8080"]}, stdin=subprocess.PIPE)
    running.read_until(b"ready")
    early = ask(world, "127.0.0.1", 18083)
    assert "served" not in early.stdout, early
    running.process.stdin.write(b"\n")
    running.process.stdin.flush()
    running.read_until(b"listens")
    assert ask(world, "127.0.0.1", 18083).stdout == "served hello\n"
    running.signal(2)
    running.wait()


def test_a_published_port_that_is_taken_starts_nothing(net, world):
    net(["true"], network={"publish": ["7001:8080"]}).assert_refused("7001")


def test_limit_of_connections(net):
    run = net.flows("crowd", "other.test", ports.ECHO, "6", allow=["other.test:7"], network={"limits": {"connections": 4}})
    assert run.said["good"] == 4, repr(run)
    assert connections(run, verdict="limited") and connections(run, verdict="allowed")[0]["count"] == 4, repr(run)


@pytest.mark.parametrize("limits,least,most", [({"down": "4M/s"}, 1.2, 4.0), ({}, 0.0, 1.0)], ids=["limited", "control"])
def test_limit_of_what_comes_down_in_a_second(net, limits, least, most):
    run = net.flows("download", "other.test", ports.SOURCE, 10 << 20, allow=[f"other.test:{ports.SOURCE}"],
                    network={"limits": limits} if limits else None)
    assert run.said["intact"] and least < run.said["seconds"] < most * slow.FACTOR, repr(run)


@pytest.mark.parametrize("limits,least,most", [({"up": "4M/s"}, 1.2, 4.0), ({}, 0.0, 1.0)], ids=["limited", "control"])
def test_limit_of_what_goes_up_in_a_second(net, limits, least, most):
    run = net.flows("upload", "other.test", ports.SPEAKS_LAST, "10", allow=[f"other.test:{ports.SPEAKS_LAST}"],
                    network={"limits": limits} if limits else None)
    assert run.said["answer"] == run.said["sent"], repr(run)
    assert least < run.result["wall_ms"] / 1000 < (most + 0.5) * slow.FACTOR, repr(run)


def test_limit_of_all_bytes(net):
    rules = [f"other.test:{ports.SOURCE}"]
    run = net.flows("download", "other.test", ports.SOURCE, 10 << 20, allow=rules, network={"limits": {"total": "4M"}})
    assert not run.said["intact"] and run.said["got"] <= 4 << 20, repr(run)  # a reset may drop what was on its way
    assert sum(c["bytes"] for c in run.result["network"]["connections"]) <= 4 << 20, repr(run)
    run = net.flows("download", "other.test", ports.SOURCE, 10 << 20, allow=rules, network={"limits": {"total": "12M"}})
    assert run.said["intact"], repr(run)


def test_the_result_counts_alike_connections_together(net):
    run = net.inside("echoes", *["other.test", "7"] * 3, *["forbidden.test", "7"] * 2, allow=["other.test:7"])
    (entry,) = connections(run, host="other.test", port=7)
    assert entry == {"host": "other.test", "port": 7, "protocol": "tcp", "verdict": "allowed", "reason": None, "count": 3,
                     "sent": 15, "received": 15, "bytes": 30}, entry
    (denial,) = denials(run, "forbidden.test")
    assert denial["kind"] == "network" and denial["operation"] == "lookup" and denial["count"] >= 2, denial
    assert run.result["network"]["mode"] not in ("none", "host")


@pytest.mark.parametrize("host,port,verdict", [("deadend.test", 7, "failed"), ("other.test", ports.SILENT, "allowed")])
def test_a_run_that_ends_first_tells_of_what_was_under_way(net, host, port, verdict):
    """Nobody answers the one; the other waits for its first bytes. The echo comes when both are under way."""
    code = (f"import socket\npeer = socket.create_connection(('{host}', {port}))\n"
            "echo = socket.create_connection(('other.test', 7))\necho.sendall(b'x'); echo.recv(1)\n"
            "print('x' * 9000, flush=True)\npeer.recv(1)")
    run = net(["/usr/bin/python3", "-c", code], allow=[f"{host}:{port}", "other.test:7"],
              profile={"limits": {"output": {"stdout": "1K", "on_exceed": "kill"}}})
    (entry,) = connections(run, host=host, port=port)
    assert (entry["verdict"], entry["count"], entry["bytes"]) == (verdict, 1, 0), repr(run)
    assert verdict == "allowed" or entry["reason"] == "the run ended before it was connected", repr(run)


def test_a_run_that_ends_first_tells_of_a_name_that_nobody_answers(net, world):
    name = "unanswered.hang.test"
    running = net.spawn(["/usr/bin/python3", "-c", f"import socket; socket.gethostbyname('{name}')"], allow=[f"{name}:7"])
    assert world.wait_seen("names", name=name)
    running.signal(15)
    (entry,) = connections(running.wait())
    assert (entry["host"], entry["port"], entry["verdict"]) == (name, None, "failed"), entry
    assert entry["reason"] == "the run ended before the host's DNS had answered"


def test_events_tell_of_each_kind_once_and_as_it_happens(net):
    run = net.inside("echoes", *["other.test", "7"] * 3, "forbidden.test", "7", allow=["other.test:7"], events=True)
    told = [e for e in run.events if e["type"] == "connection"]
    assert {(e["host"], e["verdict"]) for e in told} == {("other.test", "allowed"), ("forbidden.test", "denied")}, told
    assert run.events[-1]["type"] == "result" and run.events.index(told[0]) < len(run.events) - 2
    denied = [e for e in run.events if e["type"] == "denial"]
    assert any("forbidden.test" in json.dumps(e) for e in denied), denied


def test_result_and_events_are_as_their_schemas_say(net):
    targets = ("other.test", "7", "forbidden.test", "7", "11.22.33.10", "7", "11.22.33.10", "9000", "nowhere.test", "7")
    run = net.inside("echoes", *targets, allow=["other.test:7", "nowhere.test:7"], events=True)
    jsonschema.validate(run.result, json.loads(net.sbx.call("schema", "result").out))
    schema = json.loads(net.sbx.call("schema", "event").out)
    for event in run.events:
        jsonschema.validate(event, schema)


@pytest.mark.parametrize("question,allowed,word", [
    ("host:other.test:7", True, "other.test:7"), ("host:other.test:8", False, "8"), ("host:forbidden.test:443", False, "forbidden.test"),
    ("host:a.cdn.test:443", True, "*.cdn.test:443"), ("host:bad.cdn.test:443", False, "bad.cdn.test"),
    ("host:10.20.0.5:7", False, "10.20.0.5")])
def test_explain_says_what_decides(net, question, allowed, word):
    profile = net.sbx.profile({"version": 1, "network": {"allow": ["other.test:7", "*.cdn.test:443"], "deny": ["bad.cdn.test:443"]}})
    run = net.sbx.call("explain", profile, "--workspace", "none", "--why", question)
    assert run.code == 0 and word in run.out, run
    # What it says is what happens.
    host, port = question.split(":", 1)[1].rsplit(":", 1)
    done = net.inside("connect", host, port, network=json.loads(profile.read_text())["network"])
    assert bool(connections(done, verdict="denied")) is not allowed, repr(done)


def test_a_run_that_ends_leaves_no_connection(net, world):
    """The payload's last bytes have gone out, and the host's side is closed."""
    script = ("import socket; s = socket.create_connection(('other.test', 2008)); s.sendall(b'the last words\\n');"
              "assert s.recv(10) == b'noted\\n'; import os; os._exit(0)")
    net(["/usr/bin/python3", "-c", script], allow=["other.test:2008"]).assert_ok()
    assert world.wait_seen("how_it_ended", tag="the last words")


@pytest.mark.parametrize("size,network", [(200001, "host"), (200002, None), (3000003, None)])
def test_last_words_arrive(net, world, size, network):
    """A process that ends at once has said what it said: it is carried before the run is over."""
    script = f"import socket\nsocket.create_connection(('other.test', 2004)).sendall(b'x' * {size})"
    rules = {"network": network} if network else {"allow": ["other.test:2004"]}
    net(["/usr/bin/python3", "-c", script], **rules).assert_ok()
    assert world.wait_seen("speaks_last", total=size)


@pytest.mark.parametrize("size,end,how", [(700000, "", "reset"), (100, "", "end"), (700000, "time.sleep(60)", "reset")],
                         ids=["too slow", "in time", "killed"])
def test_what_is_cut_short_does_not_look_complete(net, world, size, end, how):
    """A server that goes by the end of what it reads would keep half a file for a whole one."""
    tag = f"{size} {end} {how}"
    script = (f"import socket, time\ns = socket.create_connection(('other.test', 2008))\ns.sendall(b'{tag}\\n')\n"
              f"assert s.recv(10) == b'noted\\n'\ns.sendall(b'x' * {size})\n{end}")
    run = net(["/usr/bin/python3", "-c", script], allow=["other.test:2008"], network={"limits": {"up": "100K/s"}},
              profile={"limits": {"wall": "2s", "grace": "0s"}})
    assert (run.result["status"] == "ok") is not bool(end), repr(run)
    (seen,) = world.wait_seen("how_it_ended", tag=tag)
    assert seen["how"] == how
    warned = [one for one in run.result["warnings"] if "those connections were reset" in one]
    assert len(warned) == (how == "reset" and not end), run.result["warnings"]


def test_what_only_the_kernel_of_this_host_has_taken_is_not_sent(net, world):
    """All of it fits into its buffers; the other host takes none."""
    script = "import socket\nsocket.create_connection(('other.test', 2010)).sendall(bytes(200_000))"
    run = net(["/usr/bin/python3", "-c", script], allow=["other.test:2010"]).assert_ok()
    assert [one for one in run.result["warnings"] if "those connections were reset" in one], repr(run)
    assert [seen["how"] for seen in world.wait_seen("never_reads")] == ["reset"]


def test_no_supervisor_listens_on_the_host(net, world):
    """What the gateway opens is inside; on the host nothing new can be connected to."""
    def listening():
        return set(world.run("ss", "-Hltnu").stdout.split("\n"))
    before = listening()
    running = net.spawn(["/usr/bin/python3", "-c", "print('up', flush=True); input()"], allow=["other.test:*"],
                        stdin=subprocess.PIPE)
    running.read_until(b"up")
    during = listening()
    running.wait(b"\n")
    assert during == before


HOLD = """
import socket, sys
peer = socket.create_connection(("other.test", 2008))
peer.sendall(b"held\\n")
assert peer.recv(10) == b"noted\\n"
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_killed_supervisor_leaves_no_connection_and_no_port(net, world):
    running = net.spawn(["/usr/bin/python3", "-c", HOLD], allow=["other.test:2008"], network={"publish": ["18084:8080"]},
                        stdin=subprocess.PIPE)
    running.read_until(b"held")
    running.kill()
    running.process.wait()
    assert world.wait_seen("how_it_ended", tag="held")
    assert "ConnectionRefused" in ask(world, "127.0.0.1", 18084).stderr


def test_two_runs_do_not_share_a_published_port(net):
    first = net.spawn(["sh", "-c", "echo up; read line"], network={"publish": ["18085:8080"]}, stdin=subprocess.PIPE)
    first.read_until(b"up")
    net(["true"], network={"publish": ["18085:8080"]}).assert_refused("18085")
    net(["true"], network={"publish": ["18086:8080"]}).assert_ok()
    first.wait(b"\n").assert_ok()
    net(["true"], network={"publish": ["18085:8080"]}).assert_ok()


@pytest.mark.parametrize("redact", [True, False], ids=["masked", "control"])
def test_a_secret_that_is_looked_up(net, redact):
    """Names are told in small letters and with escapes, which is another form of the value."""
    value = "AbCdEfGh-Tok_En1234!XyZ"
    told = [value.lower(), value.lower().replace("!", "\\033")]
    query = ("import os, socket, struct\n"
             "name = os.environ['T'].encode()\n"
             "question = bytes([len(name)]) + name + b'\\x04evil\\x04test\\x00' + struct.pack('>HH', 1, 1)\n"
             "peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
             "peer.sendto(struct.pack('>6H', 7, 256, 1, 0, 0, 0) + question, ('198.18.0.1', 53))\n"
             "print(peer.recv(512)[3] & 15)\n")
    run = net(["/usr/bin/python3", "-c", query], allow=["allowed.test:443"], events=True, env={"SBX_TEST_T": value},
              profile={"secrets": {"k": {"from": "env:SBX_TEST_T", "env": "T", "redact": redact}}}).assert_ok()
    assert run.out == "5\n"
    whole = json.dumps(run.result) + json.dumps(run.events)
    assert any(json.dumps(form)[1:-1] in whole for form in told) != redact, repr(run)
    assert ("k" in str(run.result["denials"])) and value not in whole
