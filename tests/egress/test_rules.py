"""The words of `network`: what each rule allows, and nothing beside it; what is said of it afterwards."""
import pytest
import yaml

from egress.account import connections, denials
from support import slow

ANY = 0.05 * slow.FACTOR * 1000  # milliseconds in which a refusal has to come

# Rules, what they reach, and what they do not: host and port of an echo server.
RULES = {
    "a_name": (["other.test:7"], ["other.test:7"], ["other.test:9000", "allowed.test:7"]),
    "odd_case": (["OTHER.Test.:7"], ["oThEr.tEST:7", "other.test.:7"], ["allowed.test:7"]),
    "below_a_name": (["*.cdn.test:7"], ["a.cdn.test:7", "a.b.c.cdn.test:7"], ["cdn.test:7", "acdn.test:7", "other.test:7"]),
    "a_name_and_below": (["cdn.test:7", "*.cdn.test:7"], ["cdn.test:7", "x.cdn.test:7"], ["allowed.test:7"]),
    "an_address": (["11.22.33.20:7"], ["11.22.33.20:7"], ["11.22.33.10:7", "other.test:7", "11.22.33.20:9000"]),
    "a_network": (["11.22.33.16/28:7"], ["11.22.33.20:7", "11.22.33.30:7"], ["11.22.33.10:7", "11.22.33.1:7"]),
    "a_network_of_v6": (["[2a00:1122:33::10/124]:7"], ["2a00:1122:33::10:7"], ["2a00:1122:33::20:7", "11.22.33.10:7"]),
    "everything_is_not_the_lan": (["0.0.0.0/0:7", "[::/0]:7"], ["11.22.33.20:7", "2a00:1122:33::20:7"],
                                  ["10.20.0.5:7", "fd00:20::5:7", "169.254.169.254:7", "127.0.0.1:7"]),
    "everything_is_not_the_host": (["0.0.0.0/0:7003", "[::/0]:7003"], [], ["11.22.33.2:7003", "2a00:1122:33::2:7003", "10.20.0.2:7003",
                                                                          "127.0.0.1:7003"]),
    "a_range": (["other.test:9000-9002"], ["other.test:9000", "other.test:9002"], ["other.test:9003", "other.test:7"]),
    "every_port": (["other.test:*"], ["other.test:7", "other.test:9004"], ["allowed.test:7", "11.22.33.20:7"]),
    "a_private_network": (["10.20.0.0/24:7"], ["10.20.0.5:7"], ["11.22.33.20:7", "127.0.0.1:7"]),
    "a_name_of_a_private_address": (["private.test:7", "10.20.0.5:7"], ["private.test:7"], ["fd00:20::5:7"]),
    "only_v6": (["v6only.test:7"], ["v6only.test:7"], ["2a00:1122:33::10:7"]),
    "an_alias": (["alias2.test:7"], ["alias2.test:7"], ["alias.test:7", "allowed.test:7"]),
    "punycode": (["xn--bcher-kva.test:7"], ["xn--bcher-kva.test:7"], ["bcher.test:7"]),
    "one_of_many_addresses": (["x.crowd.test:7"], ["x.crowd.test:7"], ["y.crowd.test:7"]),
    "more_addresses_than_fit_a_datagram": (["many.test:7"], ["many.test:7"], ["allowed.test:7"]),
    "a_name_of_etc_hosts": (["inhosts.test:7", "private-inhosts.test:7"], ["inhosts.test:7"], ["private-inhosts.test:7"]),
    "several": (["other.test:7", "allowed.test:9000", "11.22.33.30:9001"],
                ["other.test:7", "allowed.test:9000", "11.22.33.30:9001"],
                ["other.test:9000", "allowed.test:9001", "11.22.33.30:7"]),
}
DENY = {
    "a_name": (["*.test:7"], ["forbidden.test:7"], ["other.test:7"], ["forbidden.test:7"]),
    "below_a_name": (["*.test:7"], ["*.cdn.test:7"], ["other.test:7"], ["a.cdn.test:7"]),
    "a_port": (["other.test:*"], ["other.test:9000-9001"], ["other.test:7", "other.test:9002"], ["other.test:9001"]),
    "a_class": (["10.20.0.0/24:7", "other.test:7"], ["private"], ["other.test:7"], ["10.20.0.5:7"]),
    "a_class_behind_a_name": (["private.test:7", "10.20.0.0/24:7"], ["private"], [], ["private.test:7"]),
    "link_local": (["169.254.169.254:7", "other.test:7"], ["link-local"], ["other.test:7"], ["169.254.169.254:7"]),
    "a_network": (["11.0.0.0/8:7"], ["11.22.33.16/28:7"], ["11.22.33.10:7"], ["11.22.33.20:7"]),
    "a_network_behind_a_name": (["other.test:7", "v4only.test:7"], ["11.22.33.20/32:7", "[2a00:1122:33::20]:7"],
                                ["v4only.test:7"], ["other.test:7"]),
}


def apart(targets):
    return [part for target in targets for part in target.rsplit(":", 1)]


def check(net, network, reached, refused):
    run = net.inside("echoes", *apart([*reached, *refused]), network=network)
    assert run.said["reached"] == list(reached), repr(run)
    return run


@pytest.mark.parametrize("name", RULES)
def test_allow(net, name):
    rules, reached, refused = RULES[name]
    run = check(net, {"allow": rules}, reached, refused)
    for target in refused:
        assert run.said["all"][target]["ms"] < ANY, (target, repr(run))


CROWD = """
import socket, threading
def one(n, good):
    with socket.create_connection(("other.test", 9000 + n % 5), 10) as peer:
        peer.sendall(b"%d" % n)
        good.append(peer.recv(9) == b"%d" % n)
good = []
threads = [threading.Thread(target=one, args=(n, good)) for n in range(100)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(sum(good))
"""


@pytest.mark.parametrize("rule", ["other.test:9000-9004", "other.test:*"])
def test_allow_many_ports_at_once(net, rule):
    """Of which each is asked for by twenty threads before anybody has used it."""
    run = net(["/usr/bin/python3", "-c", CROWD], allow=[rule]).assert_ok()
    assert run.out == "100\n" and {c["port"]: c["count"] for c in connections(run)} == dict.fromkeys(range(9000, 9005), 20), repr(run)


@pytest.mark.parametrize("name", DENY)
def test_deny_wins(net, name):
    allow, deny, reached, refused = DENY[name]
    check(net, {"allow": allow}, [*reached, *refused], [])
    run = check(net, {"allow": allow, "deny": deny}, reached, refused)
    for target in refused:
        for denial in denials(run, target):
            left = yaml.safe_load(denial["allow_with"].replace("!replace ", ""))["network"]["deny"]
            assert set(left) < set(deny) and len(left) == len(deny) - 1, repr(run)


def test_control_without_rules_all_of_them_are_there(net):
    """What the tables refuse is refused by the rules alone."""
    every = {t for _, reached, refused in RULES.values() for t in (*reached, *refused)}
    every -= {"127.0.0.1:7", "acdn.test:7", "bcher.test:7"}  # nobody's
    every -= {"inhosts.test:7", "private-inhosts.test:7"}  # of a file that is not shown inside
    run = net.inside("echoes", *apart(sorted(every)), network="host")
    assert run.said["reached"] == sorted(every), repr(run)


def test_a_port_that_no_rule_has_is_refused_by_the_kernel_and_reported(net):
    run = net.inside("echoes", *apart(["other.test:9000", "11.22.33.10:9000"]), allow=["other.test:7"])
    assert all("ConnectionRefused" in answer["why"] for answer in run.said["all"].values()), repr(run)
    for target in ("other.test:9000", "11.22.33.10:9000"):
        (denial,) = denials(run, target, "connect")
        assert target in denial["allow_with"], repr(run)


def test_the_line_in_the_result_allows_it(net):
    for verb, target in (("lookup", "forbidden.test"), ("echo", "11.22.33.10"), ("echo", "2a00:1122:33::10"), ("udp", "11.22.33.10")):
        port = () if verb == "lookup" else ("7", "hello", "0.3") if verb == "udp" else ("7",)
        run = net.inside(verb, target, *port, allow=["other.test:7", "udp:other.test:7"])
        (line,) = {d["allow_with"] for d in run.result["denials"]}
        rules = yaml.safe_load(line)["network"]["allow"]
        again = net.inside(verb, target, *port, allow=["other.test:7", "udp:other.test:7", *rules])
        assert again.said["reached"] and again.result["denials"] == [], (line, repr(again))


def test_udp(net):
    rules = ["udp:other.test:7", "other.test:9000", "udp:11.22.33.10:9001"]
    for host, port, ok in (("other.test", "7", True), ("other.test", "9000", False), ("allowed.test", "7", False),
                           ("11.22.33.10", "9001", True), ("11.22.33.20", "9001", False), ("10.20.0.5", "7", False)):
        run = net.inside("udp", host, port, "hello", "0.2", allow=rules)
        assert bool(run.said["reached"]) is ok, repr(run)
    run = net.inside("echo", "other.test", "7", allow=rules)
    assert run.said["reached"] is False, repr(run)


def test_udp_several_answers_and_both_families(net):
    for family in ("2", "10"):
        run = net.inside("udp", "other.test", "7", "three", "2", family, allow=["udp:other.test:7"])
        assert run.said["all"] == ["three"] * 3, repr(run)
        (entry,) = connections(run, host="other.test", port=7, protocol="udp", verdict="allowed")
        assert entry["sent"] == 5 and entry["received"] == 15, repr(run)


def test_a_refusal_takes_no_time(net):
    """By a resolver, by DNS itself, and of a literal address whose port somebody listens to. The quickest of three:
    a host that stands still for a moment delays one, a name that is waited for all of them."""
    rules = ["other.test:7"]
    for verb, *words in (("lookup", "forbidden.test"), ("lookup", "nowhere.test"), ("echo", "11.22.33.10", "7"),
                         ("echo", "2a00:1122:33::10", "7"), ("echo", "10.20.0.5", "7"), ("echo", "11.22.33.10", "9000")):
        for _ in range(3):
            run = net.inside(verb, *words, allow=rules)
            assert run.said["reached"] is False, repr(run)
            if run.said["ms"] < ANY:
                break
        assert run.said["ms"] < ANY, repr(run)


DNS = {  # name and type: the code of the answer, and whether it has a record
    ("other.test", 1): (0, True), ("other.test", 28): (0, True), ("OTHER.test", 1): (0, True), ("other.test", 65): (0, False),
    ("other.test", 64): (0, False), ("other.test", 16): (0, False), ("forbidden.test", 1): (5, False),
    ("forbidden.test", 28): (5, False), ("forbidden.test", 16): (5, False), ("forbidden.test", 255): (5, False),
    ("sub.other.test", 1): (5, False), ("test", 1): (5, False), ("10.33.22.11.in-addr.arpa", 12): (3, False),
}


def test_dns_inside(net):
    for (name, kind), (code, has) in DNS.items():
        for transport in ("udp", "tcp"):
            for server in ("11.22.33.1", "2a00:1122:33::1", "8.8.8.8"):  # whoever is asked, we answer
                run = net.hostile("dns", server, name, transport, str(kind), allow=["other.test:7"])
                assert (run.said["code"], run.said["reached"]) == (code, has), (name, kind, transport, server, repr(run))
                break  # one of them for each


def test_dns_of_everybody_is_ours(net):
    for server in ("11.22.33.1", "2a00:1122:33::1", "8.8.8.8", "127.0.0.1"):
        run = net.hostile("dns", server, "other.test", allow=["other.test:7"])
        assert (run.said["code"], run.said["reached"]) == (0, True), repr(run)


def test_the_address_of_a_name_is_its_own(net):
    """And the same each time, forwards and back."""
    script = ("import socket\nfor _ in range(2):\n  for n in ('other.test', 'allowed.test', 'OTHER.TEST.'):\n"
              "    a = socket.gethostbyname(n); print(a, socket.gethostbyaddr(a)[0])\n"
              "    b = socket.getaddrinfo(n, 7, socket.AF_INET6)[0][4][0]; print(b, socket.gethostbyaddr(b)[0])\n")
    run = net(["/usr/bin/python3", "-c", script], allow=["other.test:7", "allowed.test:7"]).assert_ok()
    lines = [line.split() for line in run.out.splitlines()]
    assert lines[:6] == lines[6:] and len({a for a, _ in lines}) == 4, run.out
    assert {name for _, name in lines} == {"other.test", "allowed.test"}, run.out
    assert lines[0][0].startswith(("198.18.", "198.19.")) and lines[1][0].startswith("fd"), run.out


def test_an_allowed_name_that_does_not_exist(net):
    run = net.inside("connect", "nowhere.test", "7", allow=["nowhere.test:7"])
    assert run.said["ms"] < 3000 * slow.FACTOR, repr(run)
    assert run.said["reached"] is False and run.result["denials"] == [], repr(run)


def test_an_allowed_port_where_nobody_listens(net):
    run = net.inside("echo", "other.test", "9999", allow=["other.test:9999"])
    assert run.said["reached"] is False and run.said["ms"] < 500 * slow.FACTOR, repr(run)
    assert connections(run, host="other.test", port=9999, verdict="failed"), repr(run)


def test_a_dead_address_of_a_name_does_not_hide_the_other(net):
    run = net.inside("echo", "nobody.test", "7", allow=["nobody.test:7"])
    assert run.said["reached"] is True and run.said["ms"] < 5000, repr(run)
