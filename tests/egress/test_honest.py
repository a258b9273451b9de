"""What is no attack is let through as it is: requests as odd as honest programs send them, other versions of TLS,
a browser. Each works without rules as well."""
import pytest

from egress import smuggled
from egress.account import connections, denials

BROWSER = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=/tmp/b",
           "--ignore-certificate-errors", "--disable-background-networking", "--dump-dom"]
# What an administrator says to it (chromeenterprise.google/policies); there is no flag.
NO_ECH = {"mounts": [{"file": "/etc/chromium/policies/managed/ech.json", "content": '{"EncryptedClientHelloEnabled": false}'}]}


@pytest.fixture(params=["control", "rules"])
def how(request):
    """how(RULE...): the keywords of a run."""
    return lambda *rules: {"network": "host"} if request.param == "control" else {"allow": rules}


@pytest.mark.parametrize("step", ["0", "1", "7"], ids=["whole", "bytewise", "in_pieces"])
def test_requests(net, how, step):
    """All of smuggled.HONEST arrive, and just as they were sent."""
    run = net.hostile("all_honest", step, **how("other.test:80"))
    assert run.said["reached"] == list(smuggled.HONEST), repr(run)


def test_an_upgrade_that_the_server_takes(net, how):
    run = net.hostile("websocket", **how("other.test:2009"))
    assert run.said["reached"] is True, repr(run)


CURL = {
    "tls_1_2": ["--tls-max", "1.2", "https://allowed.test/"],
    "http_1_1": ["--http1.1", "https://allowed.test/"],
    "a_final_dot": ["http://allowed.test./"],
    "two_requests": ["https://allowed.test/", "https://allowed.test/"],
    "two_plain_requests": ["http://allowed.test/", "http://allowed.test/"],
    "ipv4": ["-4", "https://allowed.test/"],
    "ipv6": ["-6", "https://allowed.test/"],
    "expect": ["-X", "POST", "-H", "Expect: 100-continue", "-d", "x=y", "http://v4only.test/"],
    "chunked": ["-X", "POST", "-H", "Transfer-Encoding: chunked", "-d", "x=y", "http://v4only.test/"],
}


@pytest.mark.parametrize("case", CURL)
def test_curl(net, how, case):
    rules = [f"{name}.test:{port}" for name in ("allowed", "v4only") for port in (80, 443)]
    run = net(["curl", "-sS", "--max-time", "10", *CURL[case]], **how(*rules)).assert_ok()
    assert "hello from" in run.out, repr(run)


def browse(net, **network):
    return net(["/usr/lib/chromium/chromium", *BROWSER, "https://allowed.test/"], timeout=90,
               flags=["--memory", "2G", "--set", "limits.pids=512"], **network)


@pytest.mark.needs("program:chromium")
def test_a_browser(net, how):
    run = browse(net, profile=NO_ECH, **how("allowed.test:443"))
    assert "hello from allowed.test" in run.out, repr(run)
    if run.result["network"]["connections"] is not None:
        assert connections(run, host="allowed.test", port=443, verdict="allowed"), repr(run)


@pytest.mark.needs("program:chromium")
def test_a_browser_that_may_hide_a_name_is_told(net):
    """Chromium sends that extension always, full of random bytes when it has no key (RFC 9849 6.2): nobody can tell
    whether a name is in it."""
    run = browse(net, network="host")
    assert "hello from allowed.test" in run.out, repr(run)
    run = browse(net, allow=["allowed.test:443"])
    assert "hello from" not in run.out and "Encrypted Client Hello" in denials(run, "allowed.test:443")[0]["reason"], repr(run)
    run = browse(net, allow=["allowed.test:443"], network={"verify_name": False})
    assert "hello from allowed.test" in run.out, repr(run)
