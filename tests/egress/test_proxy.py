"""Hosts that reach the outside through an HTTP proxy alone: the gateway asks it for what is allowed, by name."""
import pytest

from egress.account import connections, denials
from egress.world import ports

PROXY = f"http://11.22.33.30:{ports.PROXY}"
WITH_PASSWORD = f"http://user:pass%20word@11.22.33.30:{ports.PROXY_WITH_PASSWORD}"


def asked(world, before):
    """What the proxies were asked for since."""
    return [e["target"] for e in world.seen("proxy")[before:] if e["verb"] == "CONNECT"]


@pytest.fixture
def before(world):
    return len(world.seen("proxy"))


@pytest.mark.parametrize("how", ["written", "of_the_caller"])
def test_by_name_through_it(net, world, before, how):
    """behind.test is known to the proxy alone: the host's own resolver is not asked."""
    network, env = ({"proxy": PROXY}, {}) if how == "written" else ({"proxy": "env"}, {"HTTPS_PROXY": PROXY})
    run = net.inside("echoes", "behind.test", "7", "forbidden.test", "7", allow=["behind.test:7"], network=network, env=env)
    assert run.said["reached"] == ["behind.test:7"], repr(run)
    assert asked(world, before) == ["behind.test:7"]
    assert connections(run, host="behind.test", port=7, verdict="allowed") and denials(run, "forbidden.test"), repr(run)
    assert "behind.test" not in world.queries()


def test_control_without_it_there_is_no_such_name(net, world, before):
    run = net.inside("echo", "behind.test", "7", allow=["behind.test:7"], env={"HTTPS_PROXY": PROXY})
    assert run.said["reached"] is False and asked(world, before) == [], repr(run)


def test_an_address_through_it(net, world, before):
    run = net.inside("echo", "11.22.33.20", "7", allow=["11.22.33.20:7"], network={"proxy": PROXY})
    assert run.said["reached"] and asked(world, before) == ["11.22.33.20:7"], repr(run)


@pytest.mark.parametrize("proxy,works", [(WITH_PASSWORD, True), (WITH_PASSWORD.replace("pass", "wrong"), False)])
def test_with_a_password(net, proxy, works):
    run = net.inside("echo", "behind.test", "7", allow=["behind.test:7"], network={"proxy": proxy}, events=True)
    assert run.said["reached"] is works, repr(run)
    assert bool(connections(run, host="behind.test", verdict="failed")) is not works, repr(run)
    for secret in ("pass word", "pass%20word", "wrong%20word", "wrong word"):
        assert secret not in repr(run.result) + repr(run.events) + run.err, "the password is nobody's business"


def test_its_password_is_told_to_nobody(net):
    """Neither to who reads a plan nor to the payload."""
    profile = net.sbx.profile({"version": 1, "network": {"allow": ["a.test:1"], "proxy": WITH_PASSWORD}})
    for words in ((), ("--json",)):
        plan = net.sbx.call("explain", profile, *words, "--", "true")
        assert plan.code == 0 and "11.22.33.30" in plan.out, plan
        assert not [secret for secret in ("pass%20word", "pass word", "user:pass") if secret in plan.out], plan
    look = "env; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; exit 0"
    run = net(["sh", "-c", look], allow=["a.test:1"], network={"proxy": "env"}, env={"HTTPS_PROXY": WITH_PASSWORD}).assert_ok()
    assert "pass%20word" not in run.out and "pass word" not in run.out, repr(run)


def test_what_goes_past_it(net, world, before):
    run = net.inside("echoes", "other.test", "7", "allowed.test", "7", allow=["other.test:7", "allowed.test:7"],
                     network={"proxy": "env"}, env={"HTTPS_PROXY": PROXY, "NO_PROXY": "other.test,10.0.0.0/8"})
    assert len(run.said["reached"]) == 2 and asked(world, before) == ["allowed.test:7"], repr(run)


def test_the_hosts_loopback_is_never_asked_of_it(net, world, before):
    run = net.inside("echo", "127.0.0.1", "7001", network={"host_ports": [7001], "proxy": PROXY})
    assert run.said["reached"] and asked(world, before) == [], repr(run)


def test_a_private_address_is_not_reached_through_it_either(net, world, before):
    run = net.inside("echo", "10.20.0.5", "7", allow=["other.test:7"], network={"proxy": PROXY})
    assert run.said["reached"] is False and asked(world, before) == [], repr(run)


def test_the_name_is_verified_there_as_well(net):
    words = ("tls", "allowed.test", "443", "forbidden.test")
    run = net.hostile(*words, allow=["allowed.test:443"], network={"proxy": PROXY})
    assert run.said["reached"] is False, repr(run)
    run = net.hostile(*words, allow=["allowed.test:443"], network={"proxy": PROXY, "verify_name": False})
    assert run.said["reached"] is True, repr(run)


def test_many_bytes_through_it(net):
    rule = f"behind.test:{ports.SPEAKS_LAST}"
    run = net.flows("upload", "behind.test", ports.SPEAKS_LAST, "20", allow=[rule], network={"proxy": PROXY})
    assert run.said["answer"] == run.said["sent"], repr(run)


def test_a_proxy_that_is_not_there(net):
    run = net.inside("echo", "behind.test", "7", allow=["behind.test:7"], network={"proxy": "http://11.22.33.30:1"})
    assert run.said["reached"] is False and run.said["ms"] < 3000, repr(run)
    assert connections(run, host="behind.test", verdict="failed"), repr(run)


def test_env_without_a_proxy_in_it(net):
    """What the profile asks for and is not there."""
    run = net.inside("echo", "other.test", "7", allow=["other.test:7"], network={"proxy": "env"},
                     env={"HTTPS_PROXY": "", "https_proxy": "", "ALL_PROXY": "", "all_proxy": ""})
    assert run.code == 125 or run.said.get("reached") is True, repr(run)
