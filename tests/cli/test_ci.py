"""--ci and --junit: what a CI service makes of the log, whatever the command writes into it."""
import fcntl
import os
import re
import shlex
import subprocess
import xml.etree.ElementTree as ET

import pytest
import yaml

from fault import hosts

GITHUB = {"GITHUB_ACTIONS": "true"}
COMMAND = re.compile(r"^\s*::([\w-]+)([^:]*)::(.*)$")
LEGACY = re.compile(r"##\[([\w-]+)[^\]]*\]")
ATTACKS = {
    "on a line": "echo '::add-mask::x'",
    "on standard error": "echo '::add-mask::x' >&2",
    "of the old form": "echo 'text ##[add-mask]x'",
    "after blanks": "printf '  ::add-mask::x\\n'",
    "after a word that is not ours": "echo '::stop-commands::mine'; echo '::mine::'; echo '::add-mask::x'",
    "in the last line, which has no end": "printf '::add-mask::x'",
    "on both streams at once": "for i in $(seq 200); do echo '::add-mask::x'; echo '::add-mask::x' >&2; done",
    "of another session": "setsid sh -c \"echo '::add-mask::x' >&2\" & wait",
}


def obeyed(log):
    """The commands that GitHub's runner finds in a log: both forms, until it is told to stop, until it reads
    the word that it was told (actions/runner, ActionCommandManager)."""
    found, word = [], None
    for line in log.splitlines():
        command = COMMAND.match(line)
        names = [command[1]] if command else LEGACY.findall(line)
        if word is not None:
            word = None if names == [word] else word
            continue
        for name in names:
            if name == "stop-commands":
                word = command[3]
            found.append(name)
    return found


def in_github(sbx, *words):
    return sbx.call("run", *sbx.degraded, *words, env=GITHUB)


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_github_obeys_nothing_of_the_commands(sbx, attack):
    run = in_github(sbx, "--ci", "--", "sh", "-c", attack)
    assert run.code == 0 and run.err == ""
    assert "add-mask" in run.out
    assert obeyed(run.out) == ["group", "stop-commands", "endgroup"]


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_without_ci_it_does(sbx, attack):
    run = in_github(sbx, "--", "sh", "-c", attack)
    assert "add-mask" in obeyed(run.out + run.err)


def test_a_log_that_does_not_take_the_word_gets_no_command(sbx):
    """The service would obey it. The control: read in time, the same log has its word."""
    for late in (True, False):
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        os.write(theirs, b"x" * 4095 + b"\n")
        with subprocess.Popen([sbx.binary, "run", *sbx.degraded, "--ci", "--", "echo", "::add-mask::x"], cwd=sbx.cwd,
                              env={**os.environ, **GITHUB}, stdout=theirs, stderr=subprocess.DEVNULL) as process:
            os.close(theirs)
            if late:
                process.wait(60)
            with open(ours, "rb") as log:
                text = log.read().decode().partition("\n")[2]
        assert process.returncode == (125 if late else 0)
        assert ("add-mask" in text, "add-mask" in obeyed(text)) == (not late, False), text


def test_the_word_is_another_each_time(sbx):
    words = {re.search("::stop-commands::(.*)", in_github(sbx, "--ci", "--", "true").out)[1] for _ in range(3)}
    assert len(words) == 3 and all(re.fullmatch("[0-9a-f]{32}", word) for word in words)


def test_github_gets_annotations(sbx):
    run = in_github(sbx, "--ci", "--", "sh", "-c", "exit 3")
    assert run.code == 3 and run.err == ""
    assert "::error title=sbx%3A nonzero::sh: it ended with exit code 3\n" in run.out
    assert re.search(r"\nsbx: nonzero after \d+\.\d\d s.*\(run [-0-9a-f]+\)\n$", run.out)


def test_what_was_blocked_is_a_warning(sbx):
    code = "import socket\ntry: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nexcept OSError: raise SystemExit(4)"
    run = in_github(sbx, "--ci", "--", "/usr/bin/python3", "-c", code)
    assert run.code == 4
    assert "::warning title=sbx::blocked: socket(AF_PACKET)" in run.out
    quiet = in_github(sbx, "--ci", "--quiet", "--", "/usr/bin/python3", "-c", code)
    assert quiet.code == 4 and "blocked" not in quiet.out


def test_a_refused_run_is_annotated_too(sbx):
    run = in_github(sbx, "--ci", "--memroy", "1G", "--", "true")
    assert (run.code, run.err) == (125, "")
    assert run.out.startswith("::error title=sbx::unknown flag --memroy; did you mean --memory?%0A")
    assert run.out.count("\n") == 1


def test_gitlab_folds(sbx):
    run = sbx.call("run", *sbx.degraded, "--ci", "--", "echo", "hello", env={"GITLAB_CI": "true", "GITHUB_ACTIONS": ""})
    assert run.code == 0
    start = re.match("\x1b\\[0Ksection_start:(\\d+):(sbx_[0-9a-f]{32})\r\x1b\\[0Ksbx: echo, profile default", run.out)
    end = re.search("hello\n\n\x1b\\[0Ksection_end:(\\d+):(\\w+)\r\x1b\\[0K\n$", run.out)
    assert start and end and start[2] == end[2] and 0 <= int(end[1]) - int(start[1]) <= 60


def test_elsewhere_lines_are_plain_and_streams_two(sbx):
    run = sbx.call("run", *sbx.degraded, "--ci", "--timeout", "300ms", "--", "sh", "-c", "echo out; echo err >&2; sleep 60",
                   env={"JENKINS_URL": "http://ci.example.org/", "GITHUB_ACTIONS": "", "GITLAB_CI": ""})
    assert run.code == 124
    assert re.fullmatch(r"sbx: sh, profile default, run \S+\nout\n\n", run.out)
    lines = run.err.splitlines()
    assert "err" in lines and "sbx: timeout: it ran longer than limits.wall allows (300ms)" in lines
    assert lines[-1].startswith("sbx: timeout after 0.3")


def test_ci_and_json_exclude_each_other(sbx):
    run = sbx.call("run", "--ci", "--json", "--", "true")
    assert run.code == 125 and "--ci and --json exclude each other" in run.err and run.out.startswith("{")


def suite(sbx, *words, code, env=None):
    run = sbx.call("run", *sbx.degraded, "--junit", "j.xml", *words, env=env)
    assert run.code == code, run
    root = ET.parse(sbx.cwd / "j.xml").getroot()
    assert root.tag == "testsuites" and root.get("tests") == "1"
    return root, root.find("testsuite/testcase")


def test_junit_of_a_run_that_is_well(sbx):
    root, case = suite(sbx, "--", "sh", "-c", "echo a 'b c'", code=0)
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert case.get("name").startswith("sh -c ") and "echo a" in case.get("name")
    assert case.get("classname") == "sbx.default" and len(case) == 0 and float(case.get("time")) < 60
    names = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert names["sbx.status"] == "ok" and names["sbx.exit_code"] == "0" and names["sbx.id"]


def test_junit_of_a_failure_says_what_was_blocked(sbx):
    code = "import socket\ntry: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\nexcept OSError: raise SystemExit(4)"
    root, case = suite(sbx, "--", "/usr/bin/python3", "-c", code, code=4)
    failure = case.find("failure")
    assert root.get("failures") == "1" and failure.get("type") == "nonzero"
    assert "exit code 4" in failure.get("message")
    assert "blocked: socket AF_PACKET; " in failure.text


def test_what_could_not_be_kept_is_an_error(sbx, monkeypatch, tmp_path):
    """The command itself has ended well."""
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    words = ["--workspace", ".:overlay", "--keep", "diff", "--set", "workspace.size=2M", "--", "sh", "-c", "head -c 1M /dev/urandom >big"]
    done = subprocess.run([sbx.binary, "run", *sbx.degraded, "--ci", "--junit", "/dev/stdout", *words], cwd=sbx.cwd,
                          capture_output=True, text=True, preexec_fn=hosts.small_state_disk, check=False)
    assert done.returncode == 125 and "the changes could not be kept" in done.stderr, done
    assert 'errors="1"' in done.stdout and "changes could not be kept" in done.stdout, done
    assert "sbx: ok after " in done.stderr and ", not all delivered" in done.stderr, done


def test_junit_of_a_run_that_never_was(sbx):
    for words in (["--memroy", "1G", "--", "true"], ["nosuchprofile", "--", "true"], []):
        root, case = suite(sbx, *words, code=125)
        assert root.get("errors") == "1" and case.find("error").get("type") == "setup_error"


def test_junit_with_json_has_the_output(sbx):
    _, case = suite(sbx, "--json", "--", "printf", "<a>\\001\\n]]>", code=0)
    assert case.find("system-out").text == "<a>\ufffd\n]]>"


def test_junit_shows_no_secret(sbx):
    secret = "correct-horse-battery-9"
    _, case = suite(sbx, "--json", "--secret", "key=env:KEY", "--", "sh", "-c", f"echo {secret}; exit 1", code=1,
                    env={"KEY": secret})
    assert secret not in (sbx.cwd / "j.xml").read_text() and case.find("failure") is not None


@pytest.mark.parametrize("service", [GITHUB, {"GITLAB_CI": "true", "GITHUB_ACTIONS": ""},
                                     {"GITHUB_ACTIONS": "", "GITLAB_CI": ""}], ids=["github", "gitlab", "elsewhere"])
@pytest.mark.parametrize("flags", [[], ["--stdin", "nowhere/{secret}"]], ids=["that runs", "that fails"])
def test_the_log_of_a_run_shows_no_secret(sbx, service, flags):
    """Neither the name of the command, nor what is said of it, nor a step's place in the table of times."""
    secret = "correct-horse-battery-9"
    (sbx.cwd / secret).write_text("#!/bin/sh\nexit 3\n")
    (sbx.cwd / secret).chmod(0o755)
    told = []
    for redact in ("true", "false"):
        run = sbx.call("run", *sbx.degraded, "--ci", "--timing", "--tmpfs", f"/tmp/{secret}:1M",
                       *(flag.format(secret=secret) for flag in flags), "--secret", "key=env:KEY", "--set", f"secrets.key.redact={redact}", "--", f"./{secret}",
                       env={**service, "KEY": secret})
        assert run.code == 3 or flags
        told.append(run.out + run.err)
    masked, plain = told
    assert "correct-horse" not in masked and plain.count(secret) >= masked.count("[redacted:key]") > 0
    assert ("sbx: ./[redacted:key], profile default" in masked) == (not flags)


def test_junit_that_cannot_be_written_is_no_success(sbx):
    assert sbx.call("run", *sbx.degraded, "--junit", "/dev/full", "--", "true").code == 125
    assert sbx.call("run", *sbx.degraded, "--junit", "/dev/full", "--", "false").code == 1
    sbx.call("run", *sbx.degraded, "--junit", "nowhere/j.xml", "--", "true").assert_refused("--junit")
    for pair in (["--result", "same", "--junit", "same"], ["--events", "same", "--junit", "same"]):
        sbx.call("run", *sbx.degraded, *pair, "--", "true").assert_refused("same file")


def steps(root_dir):
    """{file: its command line of `sbx run`}"""
    files = (root_dir / "examples" / "ci").iterdir()
    found = {path.name: re.findall(r"sbx run [^'\n]*", path.read_text()) for path in files}
    assert len(found) == 3 and all(len(lines) == 1 for lines in found.values()), found
    return {name: lines[0] for name, lines in found.items()}


def test_the_examples_are_yaml(root_dir):
    jobs = yaml.safe_load((root_dir / "examples/ci/github.yml").read_text())["jobs"]
    assert [step for step in jobs["test"]["steps"] if step.get("run", "").startswith("sbx run")]
    assert yaml.safe_load((root_dir / "examples/ci/gitlab-ci.yml").read_text())["test"]["script"]


@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.needs("overlay")
def test_the_examples_run(sbx, root_dir, passes):
    (sbx.cwd / "test_it.py").write_text(f"""import unittest
class It(unittest.TestCase):
    def test_it(self): self.assertTrue({passes})
""")
    for name, line in steps(root_dir).items():
        words = shlex.split(line)[2:]
        run = sbx.call("run", *sbx.degraded, *words, env=GITHUB)
        assert run.code == (0 if passes else 1), (name, run)
        case = ET.parse(sbx.cwd / "junit.xml").getroot().find("testsuite/testcase")
        assert (case.find("failure") is None) == passes and "unittest" in case.get("name")
        assert obeyed(run.out) == ["group", "stop-commands", "endgroup", *([] if passes else ["error"])]
