"""sbx learn: it runs a command contained, and the profile that it writes lets the same command run again, with no
denial and with nothing in it that was not needed."""
import os
import shlex
import subprocess

import pytest

from fault import hosts

pytestmark = pytest.mark.needs("userns")


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


def test_missing_files_are_mounted_when_the_command_failed(sbx, learn, again, tool):
    cmd = ["cat", *(f"{tool}/lib/{name}" for name in "abc")]
    learned = learn(cmd)
    assert learned.run.code == 1 and learned.run.stdout == b"", "the tree stayed as strict as the profile has it"
    assert f"- {{bind: {tool}/lib, at: {tool}/lib}}  # 3 paths in it, by cat" in learned.text
    assert again(learned, cmd).stdout == b"abc"


# Real programs whose files no sandbox shows by default.
LACKING_FILES = {"dpkg": ["dpkg", "-s", "bash"], "update-alternatives": ["update-alternatives", "--display", "awk"],
                 "ls": ["ls", "/var/lib/dpkg/alternatives"]}


@pytest.mark.parametrize("program", LACKING_FILES)
def test_a_program_that_lacks_its_files_gets_them(learn, again, program):
    command = LACKING_FILES[program]
    learned = learn(command)
    assert learned.run.code != 0 and "bind: /var/lib/dpkg" in learned.data, learned.text
    again(learned, command)


def test_missing_files_are_remarks_when_it_did_without(learn, tool):
    learned = learn(["sh", "-c", f"cat {tool}/lib/a || true"])
    assert learned.run.code == 0 and "bind" not in learned.data and f"#   {tool}/lib/a" in learned.text


def test_a_file_that_the_c_library_does_without_is_a_remark_when_the_command_failed_too(learn):
    learned = learn(["getent", "ahosts", "no-such-name.invalid"])
    assert learned.run.code == 2 and "mounts:" not in learned.text, learned.text
    remark = "# Looked for, and done without:\n#   /etc/host.conf  (looked for, by getent)\n"
    assert (remark in learned.text) == os.path.exists("/etc/host.conf"), learned.text


def test_signals_come_through(learn):
    code = ("import os, signal\nn = 0\ndef hit(*_):\n global n\n n += 1\nsignal.signal(signal.SIGUSR1, hit)\n"
            "pid = os.fork()\nif pid == 0:\n for _ in range(2000): os.kill(os.getppid(), signal.SIGUSR1)\n os._exit(0)\n"
            "while os.waitpid(pid, os.WNOHANG) == (0, 0): os.getppid()\n")
    for flags in ([], ["--tight"]):
        assert learn(["/usr/bin/python3", "-c", code], *flags).run.code == 0


@pytest.mark.parametrize("flags", [[], ["--tight"]], ids=["needs", "tight"])
def test_a_shell_is_not_disturbed_by_who_listens(learn, again, flags):
    """dash has the SIGCHLD of one child while it makes the pipe for the next, and the process."""
    command = ["sh", "-c", "set -e; for i in $(seq 30); do true | true | true; done; echo done"]
    learned = learn(command, *flags)
    assert learned.run.code == 0 and ("clone" in learned.data) == bool(flags), learned.run
    again(learned, command)


def test_what_makes_processes_is_allowed_who_made_one(learn):
    learned = learn(["true"], "--tight")
    assert not {"clone", "fork", "vfork"} & set(learned.data.replace(",", " ").split()) and "execve" in learned.data


def test_a_tight_profile_allows_nothing_that_its_base_does_not(sbx, learn, again):
    base = learn(["true"], "--tight", name="base.yaml")
    narrow = base.path.with_name("narrow.yaml")
    narrow.write_text(base.path.read_text().replace(" pipe, pipe2,", ""))
    learned = learn(["true"], "--tight", base=narrow)
    assert "pipe" not in learned.data and "mmap" in learned.data
    again(learned, ["true"])


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
    """They are no part of what was needed, and the line that is told has them: a shell takes it as it is."""
    (sbx.cwd / "data").write_text("data\n")
    flags = ["--ro", "./data:/data", "--env", "A=b", "--set", "mask=[/workspace/it's]", "--seccomp-allow", "@debug"]
    command = ["cat", "/data"]
    for tight in ([], ["--tight"]):
        learned = learn(command, *flags, *tight)
        assert learned.run.code == 0 and "data" not in learned.data
        line = learned.run.err.split("; run it again: ")[1].splitlines()[0]
        told = shlex.split(line)
        assert told[:3] == ["sbx", "run", str(learned.path)] and told[-3:] == ["--", *command], line
        assert "--set=mask=[/workspace/it's]" in told and not {"-o", "--tight"} & set(told), line
        again = sbx.call(*told[1:])
        assert (again.code, again.out) == (0, "data\n"), again


def test_a_line_that_is_too_long_to_be_told_is_not_cut(sbx, learn):
    learned = learn(["echo", "x" * 5000])
    assert learned.run.code == 0 and "run it again: " not in learned.run.err
    assert learned.run.err.endswith(f"; run it again with {learned.path} as the profile\n"), learned.run.err


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


@pytest.mark.parametrize("own, code", [(0, 125), (3, 3)])
def test_output_that_is_lost_is_told_as_by_run(sbx, own, code):
    with open("/dev/full", "wb") as full:
        run = subprocess.run([sbx.binary, "learn", "-o", "out.yaml", *sbx.degraded, "--", "sh", "-c", f"echo; exit {own}"],
                             cwd=sbx.cwd, stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert run.returncode == code and b"sbx: stdout could not be written: No space left on device" in run.stderr, run
    assert (sbx.cwd / "out.yaml").exists()


def test_the_profile_goes_to_standard_output_and_the_commands_output_aside(sbx):
    for flags in ([], ["-o", "-"]):
        run = sbx.call("learn", *flags, *sbx.degraded, "--", "sh", "-c", "echo said")
        assert run.code == 0 and run.stdout.startswith(b"# Written by `sbx learn`") and b"said\n" not in run.stdout
        assert b"said\n" in run.stderr


def test_where_nobody_can_listen_nothing_is_written(sbx, tmp_path):
    out = sbx.folder / "learned.yaml"
    done = subprocess.run([sbx.binary, "learn", "-o", out, *sbx.degraded, "--", "true"], cwd=sbx.cwd, capture_output=True,
                          text=True, preexec_fn=hosts.listened, timeout=60)
    assert done.returncode == 125 and "nothing was learned" in done.stderr and not out.exists(), done


def test_the_command_that_it_names_runs_under_what_it_wrote(sbx):
    done = sbx.call("learn", "-o", "plain", *sbx.degraded, "--", "true")
    assert done.code == 0 and "sbx run ./plain " in done.err, done
    assert sbx.call("run", "./plain", *sbx.degraded, "--", "true").code == 0
    done = sbx.call("learn", "-o", "/dev/null", *sbx.degraded, "--", "true")
    assert done.code == 0 and "learned" in done.err and "sbx run" not in done.err, done


@pytest.mark.parametrize("name", ["${HOME}.yaml", os.fsdecode(b"\xff.yaml")])
def test_a_base_that_no_profile_can_name_is_refused_before_the_run(sbx, name):
    (sbx.cwd / name).write_text("version: 1\n")
    done = sbx.call("learn", "-o", "out.yaml", *sbx.degraded, f"./{name}", "--", "echo", "begun")
    assert done.code == 125 and "cannot be extended" in done.err and "begun" not in done.out, done
    assert not (sbx.cwd / "out.yaml").exists()


def test_a_base_with_a_name_that_yaml_reads_as_nothing(sbx, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "config/sbx/profiles"
    folder.mkdir(parents=True)
    (folder / "null.yaml").write_text("version: 1\n")
    assert sbx.call("learn", "-o", "out.yaml", *sbx.degraded, "null", "--", "true").code == 0
    assert sbx.call("check", "out.yaml").code == 0


@pytest.mark.parametrize("words, said", [
    (["learn"], "no command"),
    (["learn", "-o", "/nonexistent/x.yaml", "--", "true"], "--output: cannot write into"),
    (["learn", "nosuchprofile", "--", "true"], "nosuchprofile"),
    (["learn", "--tight=yes", "--", "true"], "takes no value"),
    (["run", "--tight", "--", "true"], "no flag"),
])
def test_mistakes(sbx, words, said):
    run = sbx.call(*words)
    assert run.code == 125 and said in run.err, run
