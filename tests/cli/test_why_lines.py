"""The lines that --why offers are taken at their word: a profile can have them, and what was asked for works then."""
import json
import os

import pytest


@pytest.fixture
def asked(sbx):
    def ask(question, *words):
        run = sbx.call("explain", *sbx.degraded, *words, "--json", "--why", question)
        assert run.code == 0, run
        return json.loads(run.out)

    return ask


@pytest.fixture
def base(sbx):
    """base(text): a profile, and the same with a line behind it."""

    def write(text, line=""):
        (sbx.cwd / "base.yaml").write_text(f"version: 1\n{text}\n")
        (sbx.cwd / "more.yaml").write_text(f"version: 1\nextends: [./base.yaml]\n{line}\n")
        return "base.yaml", "more.yaml"

    return write


def test_the_place_of_a_mount_has_no_second_one(sbx, base, asked):
    folder = sbx.cwd / "data"
    folder.mkdir()
    profile, _ = base(f"mounts: [{{bind: {folder}, at: /data}}]")
    answer = asked("path:/data", profile)
    assert (answer["allow_with"], answer["key"]) == (None, "mounts[0]") and "mode: rw" in answer["hint"], answer
    below = asked("path:/data/x", profile)
    (folder / "x").write_text("")
    below = asked("path:/data/x", profile)
    _, more = base(f"mounts: [{{bind: {folder}, at: /data}}]", below["allow_with"])
    assert sbx.call("check", more).code == 0


def test_a_device_is_given_by_devices(sbx, base, asked):
    if not os.path.exists("/dev/fuse"):
        pytest.skip("this host has no /dev/fuse")
    answer = asked("path:/dev/fuse", "default")
    assert answer["allow_with"] == "devices: [fuse]", answer
    _, more = base("", answer["allow_with"])
    assert sbx.run(more, cmd=["test", "-c", "/dev/fuse"]).assert_ok()


def test_what_leads_to_processes_of_the_hosts_is_not_offered(asked):
    answer = asked("path:/etc/mtab", "default")
    assert answer["allow_with"] is None and "file of its own" in answer["hint"], answer


@pytest.mark.parametrize("question", ["syscall:seccomp", "syscall:execveat", "syscall:ptrace"])
def test_a_call_that_a_list_denies(sbx, base, asked, question):
    profile, _ = base("seccomp: {deny: [seccomp, execveat, ptrace]}")
    answer = asked(question, profile)
    assert "deny: !replace" in answer["allow_with"], answer
    _, more = base("seccomp: {deny: [seccomp, execveat, ptrace]}", answer["allow_with"])
    assert asked(question, more)["verdict"] != "denied"


def test_a_flag_of_another_key_decides_nothing(asked, sbx):
    answer = asked("syscall:ptrace", "--on-deny", "log")
    assert answer["origin"] is None, answer


NETWORK = {
    "denied by a rule": ('allow: ["10.0.0.0/8:*"], deny: ["10.1.0.0/16:*", "x.test:1"]', "host:10.1.2.3:80", True),
    "denied by a class": ('allow: ["10.0.0.0/8:*"], deny: [private]', "host:10.1.2.3:80", True),
    "a published port": ('publish: ["18080:8080"]', "host:10.1.2.3:8080", False),
    "a published port of the host": ('publish: ["18080:8080"]', "host:127.0.0.1:8080", False),
    "multicast": ("", "host:udp:239.1.2.3:99", False),
    "too many udp ports": ('allow: ["udp:10.0.0.1:1000-1255"]', "host:udp:10.0.0.1:5", False),
}


@pytest.mark.parametrize("network, question, opens", NETWORK.values(), ids=list(NETWORK))
def test_a_place_of_the_network(sbx, base, asked, network, question, opens):
    profile, _ = base(f"network: {{{network}}}")
    answer = asked(question, profile)
    assert answer["verdict"] != "allowed", answer
    if not opens:
        assert answer["allow_with"] is None and "host_ports" not in (answer["hint"] or ""), answer
        return
    _, more = base(f"network: {{{network}}}", answer["allow_with"])
    assert asked(question, more)["verdict"] == "allowed", (answer, sbx.call("check", more))


def test_a_rule_for_multicast_is_refused(sbx, base):
    profile, _ = base('network: {allow: ["udp:239.1.2.3:99"]}')
    run = sbx.call("check", profile)
    assert run.code == 125 and "is for multicast or broadcast, which is not carried" in run.out, run


def test_root_is_told_of_a_file_system_that_cannot_be_mapped(sbx, base, asked):
    answer = asked("path:/sys/class/tty", "default")
    if os.geteuid() == 0:
        assert answer["allow_with"] is None, answer
        lines = answer["hint"].partition("two lines do:  ")[2].split("  and  ")
    else:
        lines = [answer["allow_with"]]
    _, more = base("", "\n".join(lines))
    run = sbx.run(more, cmd=["ls", "/sys/class/tty"]).assert_ok()
    assert sorted(run.out.split()) == sorted(os.listdir("/sys/class/tty")), run
