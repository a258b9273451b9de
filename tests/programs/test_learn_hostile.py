"""sbx learn with a command that wants more than it should have: nothing of the caller's is given to it while it runs,
and the profile that comes of it allows nothing that a person has not been asked for."""
import os
import socket

import pytest

pytestmark = pytest.mark.needs("userns")


def test_a_policy_that_kills_lets_through_what_can_be_allowed(learn, again):
    cmd = ["/usr/bin/python3", "-c", "import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0); print('on')"]
    learned = learn(cmd, "--on-deny", "kill")
    assert learned.run.code == 0 and learned.run.stdout == b"on\n" and "@debug" in learned.data, learned.run
    again(learned, cmd)
    learned = learn(["mount", "-t", "tmpfs", "x", "/tmp"], "--on-deny", "kill")
    assert learned.run.code == 159, learned.run


def test_what_is_not_for_everybody_is_a_remark(learn, tool):
    """A command that asks for a key must not get it by asking."""
    (tool / "lib" / "a").chmod(0o600)
    learned = learn(["cat", f"{tool}/lib/a"])
    assert learned.run.code == 1 and "bind" not in learned.data
    assert f"#   - {{bind: {tool}/lib/a" in learned.text


def test_a_folder_with_something_private_in_it_is_never_whole(learn, again, tool):
    (tool / "lib" / "c").chmod(0o600)
    command = ["cat", f"{tool}/lib/a", f"{tool}/lib/b"]
    learned = learn(command)
    assert f"bind: {tool}/lib," not in learned.text and learned.data.count("bind: ") == 2
    again(learned, command)


@pytest.mark.parametrize("make", [
    lambda tool: (tool / "lib" / "a").symlink_to("/etc/passwd"),
    lambda tool: socket.socket(socket.AF_UNIX).bind(str(tool / "lib" / "a")),
    lambda tool: ((tool / "lib" / "a").write_text("x"), (tool / "lib").chmod(0o700)),
], ids=["link", "socket", "closed folder"])
def test_what_is_no_plain_shared_file_is_a_remark(learn, tool, make):
    (tool / "lib" / "a").unlink()
    make(tool)
    learned = learn(["stat", f"{tool}/lib/a"])
    assert learned.run.code == 1 and "bind" not in learned.data, learned.text


def test_what_is_missing_in_a_closed_folder_is_not_offered(learn, tool):
    """As in root's home, which is closed to others."""
    (tool / "lib").chmod(0o700)
    learned = learn(["stat", f"{tool}/lib/none/x", f"{tool}/lib/none", f"{tool}/lib/a"])
    assert f"bind: {tool}/lib/a" in learned.text and "none" not in learned.text.split("version: 1")[1], learned.text


@pytest.mark.parametrize("at", ["", "/", "/x"])
def test_a_home_is_never_mounted(sbx, learn, tool, monkeypatch, at):
    """Wherever it is, and however HOME is written."""
    (tool / "x").write_text("x")
    monkeypatch.setenv("HOME", f"{tool}{at}")
    learned = learn(["stat", f"{tool}/x"])
    assert learned.run.code == 1 and "bind" not in learned.data and f"- {{bind: {tool}/x" in learned.text


@pytest.mark.parametrize("name", ["${HOME}", "a$${b", "a\u202eb", "a\u0085b", "a'b", 'a"b', "a#b", "a\nb"])
def test_names_that_mean_something_to_yaml_are_remarks(sbx, learn, tool, name):
    """And whoever takes such a line as it stands gets the file that was meant."""
    (tool / name).write_text("x")
    command = ["stat", "-c", "%s", f"{tool}/{name}"]
    learned = learn(command)
    assert learned.run.code == 1 and "bind" not in learned.data, learned.text
    assert "\u202e" not in learned.text and "\u0085" not in learned.text, learned.text
    entry, = [line.removeprefix("#   ") for line in learned.text.splitlines() if line.startswith("#   - {bind:")]
    profile = f"version: 1\nextends: [default]\nmounts:\n  {entry}\n"
    assert sbx.run(profile, cmd=command).assert_ok().stdout == b"1\n"


def test_a_name_that_no_profile_can_give_is_told_as_that(learn, tool):
    path = os.fsencode(tool) + b"/a\xffb"
    with open(path, "w"):
        pass
    learned = learn(["stat", os.fsdecode(path)])
    assert learned.run.code == 1 and "bind" not in learned.text, learned.text
    assert "which no profile can name" in learned.text, learned.text


def test_keys_of_the_caller_stay_out_of_reach(learn, again):
    """What reaches further than the sandbox is noted and not given."""
    command = ["keyctl", "show"]
    learned = learn(command)
    assert learned.run.code != 0 and '- "@keyring"  # keyctl, by keyctl; not given while learning' in learned.text
    again(learned, command)


def test_what_the_profile_denies_by_name_stays_denied(sbx, learn):
    learned = learn(["/usr/bin/python3", "-c", "import socket; socket.socket()"], "--seccomp-deny", "@network-io")
    assert learned.run.code == 1 and "seccomp" not in learned.data and "#   socket" in learned.text


def test_the_hosts_network_is_not_given(learn, sbx):
    """A list without sockets keeps a command off a network that it shares with the host."""
    python = ["/usr/bin/python3", "-c"]
    base = learn([*python, "pass"], "--tight", "--net", "host", name="base.yaml")
    learned = learn([*python, "import socket; socket.socket()"], "--net", "host", base=base.path)
    assert learned.run.code == 1 and "- socket  # denied, by python3; not given while learning" in learned.text


def test_whole_folders_of_everybody_are_never_mounted(learn):
    learned = learn(["sh", "-c", "ls /home /opt /var /etc/passwd- /srv; exit 3"])
    assert learned.run.code == 3
    for folder in ("/home", "/opt", "/var", "/srv", "/etc"):
        assert f"bind: {folder}," not in learned.data
    told = learned.text.partition("# Looked for, and never offered as a whole; mounts can show what is in it:\n")[2]
    assert "#   /opt  (looked for, by ls)\n" in told, learned.text


def test_what_no_profile_allows_is_denied_and_told(learn, sbx):
    learned = learn(["mount", "-t", "tmpfs", "x", "/tmp"])
    assert learned.run.code != 0 and "# Denied:\n#   mount, by mount; no line of a profile allows it" in learned.text
    assert "seccomp" not in learned.data


def test_what_could_hold_the_supervisor_is_not_given_to_learn(learn):
    """userfaultfd(2) stops whoever reads the memory behind it."""
    learned = learn(["/usr/bin/python3", "-c", "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(323, 1) == -1)"])
    assert learned.run.code == 1
    assert '- "@userfault"  # userfaultfd, by python3; not given while learning' in learned.text


def test_hostile_names_stay_comments(sbx, learn):
    """Path and program name are the payload's: neither may break out of a comment or of a flow mapping."""
    name = "/srv/x\nseccomp: {allow: [ptrace]} #"
    code = ("import ctypes, sys\n"
            "ctypes.CDLL(None).prctl(15, b'a\\nb: c', 0, 0, 0)\n"
            f"open('/workspace/y', 'w') if 0 else None\nopen({name!r}, 'w')")
    learned = learn(["/usr/bin/python3", "-c", code])
    assert sbx.call("check", learned.path).code == 0
    assert "seccomp" not in learned.data
