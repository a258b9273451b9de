"""sbx explain --why: what it answers is what the command meets."""
import json
import os
import re
import tempfile
from pathlib import Path

import pytest

PATHS = ["/", "/bin/sh", "/usr/bin/env", "/etc", "/etc/passwd", "/etc/shadow", "/etc/hostname", "/tmp", "/tmp/new",
         "/dev/null", "/dev/shm/new", "/dev/mem", "/proc/1/status", "/proc/sys/kernel/hostname", "/root", "/workspace",
         "/workspace/new", "/workspace/kept.txt", "/workspace/key.pem", "/workspace/a/b.pem", "/data/in", "/data/none",
         "/scratch/x", "/nothing", "/app.ini", "/sys", "/run", "/bin/../etc/passwd", "/bin/../lib/os-release", "/.sbx",
         "/.sbx/workspace", "/.sbx/workspace/lower/kept.txt", "/.sbx/workspace/upper", "/dev/../tmp/y"]
# Prints for each path what can be done with it.
LOOK = r"""
import os, stat, sys
def look(path):
    try:
        what = os.stat(path).st_mode
    except OSError:
        what = None
    if what is not None and stat.S_ISCHR(what) and not path.startswith("/dev/"):
        return "hidden"
    folder = what is not None and stat.S_ISDIR(what)
    try:
        os.close(os.open(path + "/probe" if folder else path, os.O_WRONLY | (0 if what and not folder else os.O_CREAT)))
        return "written"
    except OSError:
        pass
    if what is None:
        return "absent"
    try:
        os.listdir(path) if folder else open(path, "rb").read(64)
        return "read"
    except OSError:
        return "unreadable"
for path in sys.argv[1:]:
    print(path, look(path))
"""
# Whether the caller may read a file is not looked at.
MEANS = {"allowed": {"written"}, "partly": {"read", "unreadable"}, "denied": {"absent", "hidden"}}


@pytest.fixture
def scene(sbx):
    (sbx.cwd / "kept.txt").write_text("kept")
    (sbx.cwd / "key.pem").write_text("secret")
    (sbx.cwd / "a").mkdir()
    (sbx.cwd / "a" / "b.pem").write_text("secret")
    (sbx.folder / "data").mkdir()
    (sbx.folder / "data" / "in").write_text("1")
    return sbx.profile("""\
version: 1
mounts:
  - ./data:/data
  - {tmpfs: /scratch, size: 4M}
  - {file: /app.ini, content: "debug=0"}
mask: [/workspace/key.pem, "/workspace/**/*.pem"]
env: {pass: [LANG], set: {MODE: fast}}
""")


@pytest.fixture
def elsewhere():
    """A folder that no plan shows; /tmp is the sandbox's own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        (Path(folder) / "in").write_text("1")
        (Path(folder) / "dangling").symlink_to("nowhere")
        yield folder


def answers(sbx, profile, *questions, flags=()):
    asked = [word for question in questions for word in ("--why", question)]
    run = sbx.call("explain", profile, *sbx.degraded, *flags, "--json", *asked)
    assert run.code == 0, run
    return [json.loads(line) for line in run.out.splitlines()]


@pytest.mark.parametrize("mode", ["ro", "rw", "overlay"])
def test_paths_are_as_the_command_finds_them(sbx, scene, mode):
    flags = ["--workspace", f".:{mode}", "--tool", "python3"]
    run = sbx.run(scene, flags=flags, cmd=["python3", "-c", LOOK, *PATHS]).assert_ok()
    found = dict(line.split(" ") for line in run.out.splitlines())
    told = {answer["question"].removeprefix("path:"): answer
            for answer in answers(sbx, scene, *(f"path:{path}" for path in PATHS), flags=flags)}
    assert sorted(told) == sorted(found) == sorted(PATHS)
    for path, answer in told.items():
        assert found[path] in MEANS[answer["verdict"]], (answer, found[path])
    assert {"written", "read", "absent", "hidden"} <= set(found.values()), "the scene has all of them"


def test_the_line_it_names_does_allow_it(sbx, scene, elsewhere):
    path = f"{elsewhere}/in"
    [answer] = answers(sbx, scene, f"path:{path}")
    assert answer["verdict"] == "denied"
    denied = sbx.run(scene, cmd=["cat", path])
    assert denied.code == 1
    wider = sbx.profile(f"version: 1\nextends: [{scene}]\n{answer['allow_with']}\n")
    assert sbx.run(wider, cmd=["cat", path]).assert_ok().out == "1"


def test_no_line_is_given_for_what_the_host_lacks(sbx, scene, elsewhere):
    nothing, link, below = answers(sbx, scene, f"path:{elsewhere}/none", f"path:{elsewhere}/dangling", "path:/usr/none")
    assert nothing["allow_with"] is None and f"{{tmpfs: {elsewhere}/none}}" in nothing["hint"]
    assert link["allow_with"] is None
    assert below["verdict"] == "denied" and "does not exist" in below["text"] and below["allow_with"] is None
    for line in re.findall(r"mounts: \[.*?\}\]", nothing["hint"]):
        wider = sbx.profile(f"version: 1\n{line}\n")
        assert sbx.run(wider, cmd=["test", "-e", f"{elsewhere}/none"]).assert_ok()


@pytest.mark.needs("user")
def test_no_line_is_given_for_what_the_caller_cannot_reach(sbx, elsewhere):
    """It would end the run."""
    os.chmod(elsewhere, 0o600)
    try:
        [answer] = answers(sbx, "default", f"path:{elsewhere}/in")
    finally:
        os.chmod(elsewhere, 0o700)
    assert answer["allow_with"] is None and "cannot reach it" in answer["hint"], answer


def test_the_line_for_a_variable_gives_it(sbx, monkeypatch):
    monkeypatch.setenv("KEY", "a-secret-value")
    monkeypatch.setenv("THERE", "1")
    monkeypatch.delenv("UNSET", raising=False)
    profile = sbx.profile("version: 1\nsecrets: {key: {from: 'env:KEY', at: /run/secrets/key}}\n")
    for name in ("KEY", "THERE", "UNSET"):
        [answer] = answers(sbx, profile, f"env:{name}")
        assert answer["verdict"] == "denied" and sbx.run(profile, cmd=["sh", "-c", f"test -n \"${name}\""]).code == 1
        wider = sbx.profile(f"version: 1\nextends: [{profile}]\n{answer['allow_with']}\n")
        assert sbx.run(wider, cmd=["sh", "-c", f"test -n \"${name}\""]).assert_ok()


def test_calls_and_variables_name_their_line(sbx, monkeypatch):
    monkeypatch.setenv("TOKEN", "1")
    profile = sbx.profile("version: 1\nseccomp:\n  deny: [chmod]\nenv: {set: {MODE: fast}}\n")
    chmod, ptrace, mode, token = answers(sbx, profile, "syscall:chmod", "syscall:ptrace", "env:MODE", "env:TOKEN")
    assert chmod["verdict"] == "denied" and chmod["origin"].endswith(":3:10") and chmod["key"] == "seccomp.deny[0]"
    assert ptrace["allow_with"] == 'seccomp: {allow: ["@debug"]}'
    assert mode["verdict"] == "allowed" and "MODE=fast" in mode["text"] and re.search(r":4:\d+$", mode["origin"])
    assert token["verdict"] == "denied" and token["allow_with"] == "env: {pass: [TOKEN]}"


@pytest.mark.parametrize("text, flags, path, key, place", [
    ("", [], "", "workspace.mode", None),
    ("", [], "/a", "workspace.mode", None),
    ("workspace: {git: none}", [], "", "workspace.mode", None),
    ("workspace: {git: none, mode: rw}", [], "", "workspace.mode", ":2:30"),
    ("workspace: {mode: ro}", ["--workspace", ".:rw"], "", "workspace.mode", "--workspace"),
    ("", ["--set", "workspace.mode=rw"], "", "workspace.mode", "--set workspace.mode"),
    ("workspace: {mode: none}", [], "", "workspace.mode", ":2:19"),
    ("", ["--workspace", "none"], "/a", "workspace.mode", "--workspace"),
])
def test_the_workspace_names_its_line(sbx, text, flags, path, key, place):
    (sbx.cwd / "a").mkdir()
    [answer] = answers(sbx, sbx.profile(f"version: 1\n{text}\n"), f"path:/workspace{path}", flags=flags)
    assert answer["key"] == key, answer
    assert answer["origin"] is None if place is None else answer["origin"].endswith(place), answer


def test_for_people(sbx):
    run = sbx.call("explain", *sbx.degraded, "--why", "host:example.org:443")
    assert run.code == 0 and run.out == """\
host:example.org:443: denied
  there is no route (ENETUNREACH), and names are not resolved
  because: network: none, a network namespace with nothing but a loopback interface
  decided by: the default of network
  to allow it: network: {allow: ["example.org:443"]}
"""


def test_a_wrong_question_prints_no_answer(sbx):
    run = sbx.call("explain", *sbx.degraded, "--why", "env:HOME", "--why", "file:/x", "--why", "syscall:ptrac")
    assert run.code == 125 and run.out == ""
    assert "--why: file:/x is no question" in run.err and "did you mean ptrace?" in run.err


def test_only_explain_answers(sbx):
    sbx.call("run", *sbx.degraded, "--why", "env:HOME", "--", "true").assert_refused("`sbx run` has no flag --why, which is one of `sbx explain`")
