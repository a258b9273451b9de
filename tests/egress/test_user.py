"""Started by an ordinary user of the machine, outside of any namespace of his own: the same rules, no right of
root's and no helper. (As that user, scripts/test runs all of this folder, in a user namespace.)"""
import pytest

from egress.account import connections, denials

pytestmark = pytest.mark.needs("root")
TARGETS = ("other.test", "7", "allowed.test", "9000", "forbidden.test", "7", "11.22.33.10", "7", "10.20.0.5", "7",
           "127.0.0.1", "7001")


def test_control_without_rules(users_net):
    run = users_net.inside("echoes", *TARGETS, network="host")
    assert len(run.said["reached"]) == 6, repr(run)


def test_rules_of_an_ordinary_user(users_net):
    run = users_net.inside("echoes", *TARGETS, allow=["other.test:7", "allowed.test:9000"])
    assert run.said["reached"] == ["other.test:7", "allowed.test:9000"], repr(run)
    assert connections(run, host="other.test", verdict="allowed") and denials(run, "forbidden.test"), repr(run)
    assert denials(run, "11.22.33.10:7") and denials(run, "10.20.0.5:7"), repr(run)


def test_programs_of_an_ordinary_user(users_net):
    run = users_net(["curl", "-sS", "--max-time", "10", "https://allowed.test/"], allow=["allowed.test:443"]).assert_ok()
    assert run.out == "hello from allowed.test\n"
    run = users_net(["curl", "-sS", "--max-time", "10", "https://forbidden.test/"], allow=["allowed.test:443"])
    assert run.code == 6 and denials(run, "forbidden.test"), repr(run)
