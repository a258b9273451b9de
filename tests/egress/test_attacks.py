"""Ways out that a payload would try: each is contained under the rules, and works where the one defence against
it is off, or where there are no rules at all. Written once, as a table: the control is the same command."""
import subprocess
import threading
from dataclasses import dataclass, field

import pytest

from egress import smuggled
from egress.account import connections, denials

HOST = "host"  # the control without any rules: network: host
UNVERIFIED = {"verify_name": False}


@dataclass(frozen=True)
class Attack:
    """`command`: a verb of hostile.py and its words. `allow`: what the profile allows all the same."""

    command: str
    allow: tuple
    control: object  # what the control adds: rules (a tuple), keys of `network` (a dict), or HOST
    target: str = ""  # whose denial there must be; empty: none is promised
    extra: dict = field(default_factory=dict)  # further keys of `network`, in both


def literal(address, rule, target=None):
    return Attack(f"echo {address} 7", ("allowed.test:7",), (rule,), f"{target or '11.22.33.10'}:7")


def resolved(name, rule, port=7):
    return Attack(f"echo {name} {port}", (f"{name}:{port}",), rule if rule == HOST else (rule,), f"{name}:{port}")


def of_host(address, control, port=7001, target=None):
    return Attack(f"echo {address} {port}", (f"allowed.test:{port}",), control, target or f"{address}:{port}")


V4, V6 = "11.22.33.10:7", "[2a00:1122:33::10]:7"
ATTACKS = {
    # Addresses, in all the ways that they can be written.
    "literal": literal("11.22.33.10", V4),
    "decimal": literal("185999626", V4),
    "hexadecimal": literal("0x0b16210a", V4),
    "octal": literal("013.026.041.012", V4),
    "two_parts": literal("11.1450250", V4),
    "mapped": literal("::ffff:11.22.33.10", V4),
    "mapped_in_hexadecimal": literal("::ffff:b16:210a", V4),
    "ipv6": literal("2a00:1122:33::10", V6, "[2a00:1122:33::10]"),
    "another_address_of_an_allowed_network": Attack("echo 11.22.33.10 7", ("11.22.33.20/31:7",), (V4,), "11.22.33.10:7"),
    # Networks that are nobody's business.
    "lan": Attack("echo 10.20.0.5 7", ("allowed.test:7",), ("10.20.0.0/24:7",), "10.20.0.5:7"),
    "lan_by_a_wide_rule": Attack("echo 10.20.0.5 7", ("11.0.0.0/8:7",), ("10.20.0.5:7",), "10.20.0.5:7"),
    "unique_local": Attack("echo fd00:20::5 7", ("allowed.test:7",), ("[fd00:20::/64]:7",), "[fd00:20::5]:7"),
    "metadata": Attack("echo 169.254.169.254 7", ("allowed.test:7",), ("169.254.169.254:7",), "169.254.169.254:7"),
    # Allowed names whose addresses are not.
    "name_of_a_private_address": resolved("private.test", "10.20.0.5:7"),
    "name_of_a_private_address_by_an_alias": resolved("alias-of-private.test", "10.20.0.5:7"),
    "name_of_a_unique_local_address": resolved("ula.test", "[fd00:20::5]:7"),
    "name_of_a_mapped_private_address": resolved("mapped.test", "10.20.0.5:7"),
    "name_of_the_metadata_service": resolved("meta.test", "169.254.169.254:7"),
    "name_of_loopback": resolved("loop.test", HOST, 7001),
    "name_of_loopback_of_v6": resolved("loop6.test", HOST, 7001),
    "name_of_no_address": resolved("zero.test", HOST, 7001),
    "name_of_the_host": resolved("host.test", "11.22.33.2:7003", 7003),
    # The host itself.
    "loopback": of_host("127.0.0.1", {"host_ports": [7001]}),
    "loopback_of_v6": of_host("::1", HOST, target="[::1]:7001"),
    "loopback_in_short": of_host("127.1", {"host_ports": [7001]}, target="127.0.0.1:7001"),
    "loopback_mapped": of_host("::ffff:127.0.0.1", {"host_ports": [7001]}, target="127.0.0.1:7001"),
    "localhost": of_host("localhost", {"host_ports": [7001]}, target="127.0.0.1:7001"),
    "no_address": of_host("0.0.0.0", HOST, target=" "),
    "another_port_of_the_hosts_loopback": Attack("echo 127.0.0.1 7002", ("allowed.test:7002",), {"host_ports": [7001, 7002]},
                                                 "127.0.0.1:7002", {"host_ports": [7001]}),
    "own_public_address": of_host("11.22.33.2", ("11.22.33.2:7003",), 7003),
    "own_lan_address": of_host("10.20.0.2", ("10.20.0.2:7003",), 7003),
    "own_address_of_v6": of_host("2a00:1122:33::2", ("[2a00:1122:33::2]:7003",), 7003, "[2a00:1122:33::2]:7003"),
    # By way of a translator (NAT64), whose prefix is one of the internet's.
    "own_address_translated": Attack("echo 64:ff9b::b16:2102 7", ("[64:ff9b::/96]:7",), ("[64:ff9b::b16:2102]:7",),
                                     "[64:ff9b::b16:2102]:7"),
    "name_of_an_own_address_translated": resolved("translated.test", "[64:ff9b::b16:2102]:7"),
    # DNS that is not ours.
    "dns": Attack("dns 11.22.33.1 forbidden.test udp", ("allowed.test:7",), HOST, "forbidden.test"),
    "dns_over_tcp": Attack("dns 11.22.33.1 forbidden.test tcp", ("allowed.test:7",), HOST, "forbidden.test"),
    "dns_over_https": Attack("tls 11.22.33.10 443 allowed.test whole allowed.test /dns-query", ("allowed.test:443",),
                             ("11.22.33.10:443",), "11.22.33.10:443"),
    # Other names behind an allowed one.
    "sni_of_another": Attack("tls allowed.test 443 forbidden.test", ("allowed.test:443",), UNVERIFIED, "allowed.test:443"),
    "sni_bytewise": Attack("tls allowed.test 443 forbidden.test bytes", ("allowed.test:443",), UNVERIFIED, "allowed.test:443"),
    "sni_over_two_records": Attack("tls allowed.test 443 forbidden.test records", ("allowed.test:443",), UNVERIFIED,
                                   "allowed.test:443"),
    "sni_of_none": Attack("tls allowed.test 443 ''", ("allowed.test:443",), UNVERIFIED, "allowed.test:443"),
    "sni_of_another_under_a_wildcard": Attack("tls a.cdn.test 443 forbidden.test", ("*.cdn.test:443",), UNVERIFIED,
                                              "a.cdn.test:443"),
    "sni_of_another_at_another_port": Attack("tls allowed.test 8443 forbidden.test", ("allowed.test:8443",), UNVERIFIED,
                                             "allowed.test:8443"),
    "sni_bytewise_at_another_port": Attack("tls allowed.test 8443 forbidden.test bytes", ("allowed.test:8443",), UNVERIFIED,
                                           "allowed.test:8443"),
    "no_tls_at_443": Attack("echo other.test 443", ("other.test:443",), UNVERIFIED, "other.test:443"),
    "connect_at_80": Attack("connect_through proxy.test 80 forbidden.test:443", ("proxy.test:80",), UNVERIFIED,
                            "proxy.test:80"),
    "connect_at_443": Attack("connect_through proxy.test 443 forbidden.test:443", ("proxy.test:443",), UNVERIFIED,
                             "proxy.test:443"),
    "connect_at_a_proxys_port": Attack("connect_through proxy.test 3128 forbidden.test:443", ("proxy.test:3128",), UNVERIFIED,
                                       "proxy.test:3128"),
    "connect_after_an_empty_line": Attack("connect_through proxy.test 3128 forbidden.test:443 1", ("proxy.test:3128",),
                                          UNVERIFIED, "proxy.test:3128"),
}


def words(attack):
    return [word.strip("'") for word in attack.command.split()]


@pytest.fixture(params=ATTACKS)
def attack(request):
    return ATTACKS[request.param]


def test_control_it_works_where_the_defence_is_off(net, attack):
    if attack.control == HOST:
        run = net.hostile(*words(attack), network=HOST)
    else:
        rules = attack.control if isinstance(attack.control, tuple) else ()
        keys = {**attack.extra, **(attack.control if isinstance(attack.control, dict) else {})}
        run = net.hostile(*words(attack), allow=attack.allow + rules, network=keys)
    assert run.said["reached"] is True, repr(run)


def test_it_is_contained(net, attack):
    run = net.hostile(*words(attack), allow=attack.allow, network=attack.extra)
    assert run.said["reached"] is False, repr(run)
    if attack.target.strip():
        assert denials(run, attack.target), repr(run)


def test_tls_that_names_nobody_passes_at_another_port(net):
    """As clients of mail, directories and databases speak it; at 443 it is `sni_of_none`."""
    run = net.hostile("tls", "allowed.test", "8443", "", allow=["allowed.test:8443"])
    assert run.said["reached"] is True, repr(run)


def test_no_request_is_smuggled(net):
    """None of smuggled.py; all of them where the defence is off."""
    run = net.hostile("all_http", allow=["other.test:80"], network=UNVERIFIED)
    assert run.said["reached"] == list(smuggled.REQUESTS), repr(run)
    run = net.hostile("all_http", allow=["other.test:80"])
    assert run.said["reached"] == [], repr(run)
    denied = denials(run, "other.test:80")  # an entry for each reason
    assert sum(one["count"] for one in denied) >= len(smuggled.REQUESTS) // 2, repr(run)
    assert all("verify_name" in one["allow_with"] for one in denied), repr(run)


def test_rebinding_goes_unnoticed_by_nobody(net, request):
    """First a public address, later a private one: the address that is connected to is what is checked."""
    for tag, rules in (("contained", ()), ("control", ("10.20.0.5:80",))):
        name = f"{tag}.rebind.test"
        run = net.hostile("where", name, "80", "2", "1.2", allow=(f"{name}:80", *rules))
        assert run.said["reached"][0] == "11.22.33.20", repr(run)
        assert ("10.20.0.5" in run.said["reached"]) == bool(rules), repr(run)
    assert denials(run, "control.rebind.test") == []


def test_of_a_public_and_a_private_address_only_the_public_one_is_used(net):
    run = net.hostile("where", "mixed.test", "80", "4", allow=["mixed.test:80"])
    assert set(run.said["reached"]) == {"11.22.33.20"}, repr(run)


def test_no_name_leaves_the_sandbox_that_is_not_allowed(net, world):
    """Not in the queries of the host's resolver either: data cannot be carried out by asking."""
    net.inside("lookup", "secret-0.other.test", network=HOST)
    assert "secret-0.other.test" in world.queries()
    run = net.inside("lookup", "secret-1.other.test", allow=["allowed.test:7"])
    net.hostile("dns", "11.22.33.1", "secret-1.other.test", "tcp", "16", allow=["allowed.test:7"])
    net.hostile("dns", "11.22.33.1", "secret-1.allowed.test", allow=["allowed.test:7"])
    assert run.said["reached"] is False and not [q for q in world.queries() if "secret-1" in q.lower()]


# What a profile may grant, and then has to bear: rights over the sandbox's own network.
OWN_NETWORK = {"capabilities": ["CAP_NET_RAW", "CAP_NET_ADMIN"], "user": {"uid": 0, "gid": 0}}


def test_no_rule_is_for_another_dns_server(net):
    for rule in ("11.22.33.1:53", "udp:11.22.33.1:53", "allowed.test:53"):
        net(["true"], allow=[rule]).assert_refused("53", "DNS")
    run = net.hostile("dns", "11.22.33.1", "forbidden.test", "tcp", allow=["11.22.33.1:*"])
    assert run.said["reached"] is False, repr(run)


def test_sockets_that_know_no_rules_are_refused(net):
    run = net.hostile("kinds_of_sockets", allow=["allowed.test:7"])
    assert run.said["reached"] == [], repr(run)


def test_control_with_capabilities_there_are_raw_sockets(net):
    run = net.hostile("kinds_of_sockets", network={"host_ports": [7001]}, profile=OWN_NETWORK)
    assert {"raw", "raw of udp", "raw of v6"} <= set(run.said["reached"]), repr(run)


@pytest.mark.needs("ipv6")
def test_ipv6_extension_headers_lead_nowhere(net):
    run = net.hostile("routed_by_a_header", "2a00:1122:33::10", "2a00:1122:33::20", "7", allow=["udp:allowed.test:7"])
    assert run.said["reached"] == [], repr(run)


@pytest.mark.needs("ipv6")
def test_a_link_local_address_of_the_host(net, world):
    """With every interface that there is as its scope."""
    text = world.run("ip", "-6", "-o", "addr", "show", "dev", "up0", "scope", "link").stdout
    address = text.split("inet6 ")[1].split("/")[0]
    run = net.hostile("echo", f"{address}%up0", "7003", network=HOST)
    assert run.said["reached"] is True, repr(run)
    for scope in ("%lo", "%1", "%2", ""):
        run = net.hostile("echo", address + scope, "7003", allow=["allowed.test:7003"])
        assert run.said["reached"] is False, repr(run)


LISTEN = """
import socket, sys
with socket.create_server((sys.argv[1], 8888)) if len(sys.argv) > 1 else socket.socket(socket.AF_UNIX) as server:
    if len(sys.argv) == 1:
        server.bind("\\0abstract of the tests")
        server.listen()
    print("listens", flush=True)
    while True:
        peer = server.accept()[0]
        peer.sendall(b"hello")
        peer.recv(100)
"""


def test_an_abstract_socket_of_the_hosts(net, world):
    server = subprocess.Popen([*world.prefix(), "/usr/bin/python3", "-c", LISTEN], stdout=subprocess.PIPE)
    try:
        assert server.stdout.readline() == b"listens\n"
        run = net.hostile("abstract", "abstract of the tests", network=HOST, flags=["--set", "landlock=off"])
        assert run.said["reached"] is True, repr(run)
        for flags in ((), ("--set", "landlock=off")):
            run = net.hostile("abstract", "abstract of the tests", allow=["allowed.test:7"], flags=flags)
            assert run.said["reached"] is False, repr(run)
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@pytest.mark.parametrize("network", [HOST, None], ids=["control", "contained"])
def test_a_sandbox_next_door(net, network):
    rules = {"network": HOST} if network else {"allow": ["allowed.test:8888"]}
    next_door = net.spawn(["/usr/bin/python3", "-c", LISTEN, "0.0.0.0"], **({"network": HOST} if network else
                                                                            {"allow": ["allowed.test:7"]}))
    next_door.read_until(b"listens")
    for address in ("127.0.0.1", "11.22.33.2", "10.20.0.2"):
        run = net.hostile("echo", address, "8888", "hello", **rules)
        assert run.said["reached"] is bool(network), repr(run)
    next_door.signal(2)
    next_door.wait()


@pytest.mark.parametrize("how", ["as_it_is", "new_user", "new_both"])
def test_the_network_inside_cannot_be_changed(net, how):
    run = net.hostile("changes", how, allow=["allowed.test:7"])
    assert run.said["reached"] == [], repr(run)
    assert run.said["then"]["reached"] is True, repr(run)


def test_control_with_capabilities_the_network_inside_can_be_changed(net):
    """And still nobody is reached who is not allowed: what changes is the sandbox's own network."""
    run = net.hostile("changes", "as_it_is", "11.22.33.10", "7", allow=["allowed.test:7"], profile=OWN_NETWORK)
    assert {"an address", "no route"} <= set(run.said["reached"]), repr(run)
    assert run.said["then"]["reached"] is False, repr(run)


def test_many_at_once_ask_for_what_is_not_allowed(net):
    """Refused side by side: none of them gets through because others are looked at."""
    out = []
    threads = [threading.Thread(target=lambda: out.append(net.hostile("echo", "11.22.33.10", "7", allow=["allowed.test:7"])))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.said["reached"] for run in out] == [False] * 4
    assert all(connections(run, host="11.22.33.10", verdict="denied") for run in out), repr(out[0])
