"""sbx learn: it runs a command contained, and the profile that it writes lets the same command run again, with no
denial and with nothing in it that was not needed."""
import json
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from support import features

pytestmark = pytest.mark.needs("userns")


class Learned:
    def __init__(self, run, path):
        self.run, self.path = run, path
        self.text = path.read_text() if path.exists() else ""

    @property
    def data(self):
        """The lines that are no comment."""
        return "\n".join(line for line in self.text.splitlines() if not line.startswith("#"))


@pytest.fixture
def learn(sbx):
    def run(cmd, *flags, base=None, name="learned.yaml"):
        words = ["learn", "-o", sbx.folder / name, *sbx.degraded, *flags, *([base] if base else []), "--", *cmd]
        return Learned(sbx.call(*words), sbx.folder / name)

    return run


@pytest.fixture
def again(sbx):
    """The command under the learned profile: ok, and nothing is denied."""

    def run(learned, cmd):
        done = sbx.run(str(learned.path), cmd=cmd).assert_ok()
        assert done.result["denials"] == [], done
        assert len(learned.text.splitlines()) <= 25, learned.text
        assert sbx.call("check", learned.path).code == 0
        return done

    return run


def git(*words):
    subprocess.run(["git", "-c", "user.email=a@example.org", "-c", "user.name=A", *words], check=True, capture_output=True)


PYTEST = """
import subprocess, sys
def test_child():
    assert subprocess.check_output([sys.executable, "-c", "print(1)"]).strip() == b"1"
def test_file(tmp_path):
    (tmp_path / "x").write_text("x")
    assert [p.name for p in tmp_path.iterdir()] == ["x"]
"""


def pytest_suite(cwd):
    (cwd / "test_x.py").write_text(PYTEST)
    return "python", ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "."]


def node_script(cwd):
    (cwd / "a.js").write_text("const cp = require('child_process'); console.log(cp.execSync('echo hi').toString())")
    return "node", ["node", "a.js"]


def c_build(cwd):
    (cwd / "a.c").write_text("int main(void) { return 0; }\n")
    (cwd / "Makefile").write_text("a: a.c\n\tcc -o a a.c\n")
    return "build", ["make", "-B"]


def git_clone(cwd):
    git("init", "-q", cwd / "repo")
    git("-C", cwd / "repo", "commit", "-q", "--allow-empty", "-m", "first")
    return "default", ["git", "-c", "safe.directory=*", "clone", "-q", "/workspace/repo", "/tmp/clone"]


def image_conversion(cwd):
    return "default", ["sh", "-c", "convert -size 10x10 xc:red /tmp/a.png && convert /tmp/a.png /tmp/b.jpg && test -s /tmp/b.jpg"]


def traced_program(cwd):
    return "default", ["strace", "-f", "-o", "/dev/null", "true"]


@pytest.mark.parametrize("program", [pytest_suite, node_script, c_build, git_clone, image_conversion, traced_program],
                         ids=lambda p: p.__name__)
def test_a_program_runs_again_under_what_was_learned(sbx, learn, again, program):
    base, cmd = program(sbx.cwd)
    learned = learn(cmd, base=base)
    assert learned.run.code == 0, learned.run
    assert f"extends: [{base}]" in learned.text
    again(learned, cmd)


# Programs with one thread, which make the same calls each time.
@pytest.mark.parametrize("program", [pytest_suite, c_build, git_clone], ids=lambda p: p.__name__)
def test_a_program_runs_again_under_the_exact_list_of_its_calls(sbx, learn, again, program):
    base, cmd = program(sbx.cwd)
    learned = learn(cmd, "--tight", base=base)
    assert learned.run.code == 0, learned.run
    assert "allow: !replace [" in learned.data and "execve" in learned.data and "ptrace" not in learned.data
    again(learned, cmd)


def test_an_exact_list_has_each_call_of_a_group_that_was_denied(learn):
    learned = learn(["strace", "-f", "-o", "/dev/null", "true"], "--tight")
    assert learned.run.code == 0 and "@debug" not in learned.data and "ptrace" in learned.data


def test_only_what_was_denied_is_in_it(learn, again):
    learned = learn(["true"])
    assert "seccomp" not in learned.data and "mounts" not in learned.data
    learned = learn(["strace", "-o", "/dev/null", "true"])
    assert learned.data.count("- ") == 1 and '- "@debug"  # ptrace' in learned.text and "by strace" in learned.text


def test_a_tight_profile_denies_what_was_not_learned(sbx, learn):
    """The control: the list is exact."""
    learned = learn(["sh", "-c", "true"], "--tight")
    sbx.run(str(learned.path), cmd=["sh", "-c", "true"]).assert_ok()
    done = sbx.run(str(learned.path), cmd=["ls", "/"])
    assert done.code != 0 and "statx" in {d["operation"] for d in done.result["denials"]}, done


def test_a_policy_that_kills_lets_through_what_can_be_allowed(learn, again):
    cmd = ["/usr/bin/python3", "-c", "import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0); print('on')"]
    learned = learn(cmd, "--on-deny", "kill")
    assert learned.run.code == 0 and learned.run.stdout == b"on\n" and "@debug" in learned.data, learned.run
    again(learned, cmd)
    learned = learn(["mount", "-t", "tmpfs", "x", "/tmp"], "--on-deny", "kill")
    assert learned.run.code == 159, learned.run


@pytest.fixture
def tool(tmp_path):
    """A program's files where no sandbox shows them."""
    folder = Path("/var/tmp") / f"sbx-learn-{os.getpid()}-{tmp_path.name}"
    (folder / "lib").mkdir(parents=True)
    folder.chmod(0o755)
    for name in "abc":
        (folder / "lib" / name).write_text(name)
    yield folder
    shutil.rmtree(folder)


def test_missing_files_are_mounted_when_the_command_failed(sbx, learn, again, tool):
    cmd = ["cat", *(f"{tool}/lib/{name}" for name in "abc")]
    learned = learn(cmd)
    assert learned.run.code == 1 and learned.run.stdout == b"", "the tree stayed as strict as the profile has it"
    assert f"- {{bind: {tool}/lib, at: {tool}/lib}}  # 3 paths in it, by cat" in learned.text
    assert again(learned, cmd).stdout == b"abc"


# Real programs whose files no sandbox shows by default.
LACKING_FILES = {"dpkg": ["dpkg", "-s", "bash"], "update-alternatives": ["update-alternatives", "--display", "awk"],
                 "ls": ["ls", "/var/lib/dpkg/info"]}


@pytest.mark.parametrize("program", LACKING_FILES)
def test_a_program_that_lacks_its_files_gets_them(learn, again, program):
    command = LACKING_FILES[program]
    learned = learn(command)
    assert learned.run.code != 0 and "bind: /var/lib/dpkg" in learned.data, learned.text
    again(learned, command)


def test_missing_files_are_remarks_when_it_did_without(learn, tool):
    learned = learn(["sh", "-c", f"cat {tool}/lib/a || true"])
    assert learned.run.code == 0 and "bind" not in learned.data and f"#   {tool}/lib/a" in learned.text


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


@pytest.mark.parametrize("at", ["", "/", "/x"])
def test_a_home_is_never_mounted(sbx, learn, tool, monkeypatch, at):
    """Wherever it is, and however HOME is written."""
    (tool / "x").write_text("x")
    monkeypatch.setenv("HOME", f"{tool}{at}")
    learned = learn(["stat", f"{tool}/x"])
    assert learned.run.code == 1 and "bind" not in learned.data and f"- {{bind: {tool}/x" in learned.text


def test_names_that_mean_something_to_yaml_are_remarks(learn, tool):
    for name in ("${HOME}", "a\u202eb", "a'b", "a#b", "a\nb"):
        (tool / name).write_text("x")
        learned = learn(["stat", f"{tool}/{name}"])
        assert learned.run.code == 1 and "bind" not in learned.data and "\u202e" not in learned.text, learned.text


def test_keys_of_the_caller_stay_out_of_reach(learn, again):
    """What reaches further than the sandbox is noted and not given."""
    command = ["keyctl", "show"]
    learned = learn(command)
    assert learned.run.code != 0 and '- "@keyring"  # keyctl, by keyctl; not given while learning' in learned.text
    again(learned, command)


def test_what_the_profile_denies_by_name_stays_denied(sbx, learn):
    learned = learn(["/usr/bin/python3", "-c", "import socket; socket.socket()"], "--seccomp-deny", "@network-io")
    assert learned.run.code == 1 and "seccomp" not in learned.data and "#   socket" in learned.text


def test_signals_come_through(learn):
    code = ("import os, signal\nn = 0\ndef hit(*_):\n global n\n n += 1\nsignal.signal(signal.SIGUSR1, hit)\n"
            "pid = os.fork()\nif pid == 0:\n for _ in range(2000): os.kill(os.getppid(), signal.SIGUSR1)\n os._exit(0)\n"
            "while os.waitpid(pid, os.WNOHANG) == (0, 0): os.getppid()\n")
    for flags in ([], ["--tight"]):
        assert learn(["/usr/bin/python3", "-c", code], *flags).run.code == 0


def test_whole_folders_of_everybody_are_never_mounted(learn):
    learned = learn(["sh", "-c", "ls /home /opt /var /etc/passwd- /srv; exit 3"])
    assert learned.run.code == 3
    for folder in ("/home", "/opt", "/var", "/srv", "/etc"):
        assert f"bind: {folder}," not in learned.data


def test_runs_are_merged_by_learning_on_top(sbx, learn, again, tool):
    first = learn(["cat", f"{tool}/lib/a"], name="first.yaml")
    both = learn(["strace", "-o", "/dev/null", "cat", f"{tool}/lib/a"], base=first.path, name="both.yaml")
    assert f"extends: [{first.path}]" in both.text and "bind" not in both.data and "@debug" in both.data
    again(both, ["strace", "-o", "/dev/null", "cat", f"{tool}/lib/a"])


def test_a_workspace_that_is_written_to(sbx, learn, again):
    learned = learn(["touch", "new"])
    assert learned.run.code == 1 and not (sbx.cwd / "new").exists()
    assert "workspace:\n  mode: overlay" in learned.data
    again(learned, ["touch", "new"])
    assert not (sbx.cwd / "new").exists()


def test_flags_are_given_again(sbx, learn):
    """They are no part of what was needed."""
    (sbx.cwd / "data").write_text("data\n")
    flags = ["--ro", "./data:/data", "--env", "A=b", "--set", "mask=[/workspace/it's]", "--seccomp-allow", "@debug"]
    command = ["sh", "-c", "cat /data; strace -o /dev/null true"]
    for tight in ([], ["--tight"]):
        learned = learn(command, *flags, *tight)
        assert learned.run.code == 0 and "the same flags" in learned.run.err and "data" not in learned.data
        sbx.run(str(learned.path), flags=flags, cmd=command).assert_ok()


def test_what_it_extends_is_not_overwritten(sbx, learn):
    first = learn(["true"], name="first.yaml")
    text = first.text
    again = sbx.call("learn", "-o", first.path, *sbx.degraded, first.path, "--", "true")
    assert again.code == 125 and "would extend" in again.err and first.path.read_text() == text
    second = learn(["true"], base=first.path, name="second.yaml")
    again = sbx.call("learn", "-o", first.path, *sbx.degraded, second.path, "--", "true")
    assert again.code == 125 and "would extend" in again.err and first.path.read_text() == text


def test_a_command_that_is_not_there(learn):
    learned = learn(["nosuchcommand"])
    assert learned.run.code == 127 and not learned.text


def test_what_no_profile_allows_is_denied_and_told(learn, sbx):
    learned = learn(["mount", "-t", "tmpfs", "x", "/tmp"])
    assert learned.run.code != 0 and "# Denied:\n#   mount, by mount; no profile can allow it" in learned.text
    assert "seccomp" not in learned.data


def test_what_could_hold_the_supervisor_is_not_given_to_learn(learn):
    """userfaultfd(2) stops whoever reads the memory behind it."""
    learned = learn(["/usr/bin/python3", "-c", "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(323, 1) == -1)"])
    assert learned.run.code == 1
    assert '- "@userfault"  # userfaultfd, by python3; not given while learning' in learned.text


def test_the_profile_goes_to_standard_output_and_the_commands_output_aside(sbx):
    run = sbx.call("learn", *sbx.degraded, "--", "sh", "-c", "echo said")
    assert run.code == 0 and run.stdout.startswith(b"# Written by `sbx learn`") and b"said\n" not in run.stdout
    assert b"said\n" in run.stderr


def test_hostile_names_stay_comments(sbx, learn):
    """Path and program name are the payload's: neither may break out of a comment or of a flow mapping."""
    name = "/srv/x\nseccomp: {allow: [ptrace]} #"
    code = ("import ctypes, sys\n"
            "ctypes.CDLL(None).prctl(15, b'a\\nb: c', 0, 0, 0)\n"
            f"open('/workspace/y', 'w') if 0 else None\nopen({name!r}, 'w')")
    learned = learn(["/usr/bin/python3", "-c", code])
    assert sbx.call("check", learned.path).code == 0
    assert "seccomp" not in learned.data


def test_where_nobody_can_listen_nothing_is_written(sbx, tmp_path):
    from fault import hosts
    out = sbx.folder / "learned.yaml"
    done = subprocess.run([sbx.binary, "learn", "-o", out, *sbx.degraded, "--", "true"], cwd=sbx.cwd, capture_output=True,
                          text=True, preexec_fn=hosts.listened, timeout=60)
    assert done.returncode == 125 and "nothing was learned" in done.stderr and not out.exists(), done


@pytest.mark.parametrize("words, said", [
    (["learn"], "no command"),
    (["learn", "-o", "/nonexistent/x.yaml", "--", "true"], "/nonexistent"),
    (["learn", "nosuchprofile", "--", "true"], "nosuchprofile"),
    (["learn", "--tight=yes", "--", "true"], "takes no value"),
    (["run", "--tight", "--", "true"], "no flag"),
])
def test_mistakes(sbx, words, said):
    run = sbx.call(*words)
    assert run.code == 125 and said in run.err, run
