"""`sbx check` says what `sbx run` would say of the same profile, word by word, and the manual says no more than both."""
import os
import re
import subprocess

import pytest

REFUSED = {
    "never": 'seccomp: {allow: ["@default", mount]}',
    "never, by group": 'seccomp: {allow: ["@namespaces"]}',
    "no start": 'seccomp: {allow: !replace [read]}',
    "start denied": 'seccomp: {deny: [execve]}',
    "start denied, by group": 'seccomp: {deny: ["@process"]}',
    "start narrowed": "seccomp: {args: [{call: execve, arg: 0, in: [1]}]}",
    "narrowed in vain": "seccomp: {args: [{call: ptrace, arg: 0, in: [0]}]}",
    "too many values": f"seccomp: {{args: [{{call: lseek, arg: 2, in: {list(range(0, 600, 2))}}}]}}",
    "host ports": f"network: {{host_ports: {list(range(1000, 1065))}}}",
    "below a file": "mounts: [{file: /a, content: x}, {file: /a/b, content: y}]",
    "on a device": "mounts: [{file: /dev/null, content: x}]",
    "a link as device": "devices: [stdin]",
    "hides /dev": 'mask: ["/dev"]',
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=list(REFUSED))
def test_check_and_run_refuse_for_the_same_reason_at_the_same_place(sbx, text):
    profile = sbx.profile(f"version: 1\n{text}\n")
    check = sbx.call("check", profile)
    assert check.code == 125 and re.match(rf"{re.escape(str(profile))}:2:\d+: ", check.out), check
    run = sbx.run(profile, cmd=["true"]).assert_refused()
    assert run.err.splitlines() == [f"sbx: {line}" for line in check.out.splitlines()]


@pytest.mark.parametrize("flags", [[], ["--tty"], ["--net", "host"], ["--allow", "a.example:*"], ["--landlock", "off"]], ids=" ".join)
def test_the_fewest_open_files_that_check_accepts_are_enough_for_a_start(sbx, flags):
    profile = sbx.profile("version: 1\nlimits: {rlimits: {nofile: 32}}\n")
    assert sbx.call("check", profile).code == 0
    sbx.run(profile, flags=flags, cmd=["true"], events=True).assert_ok()


def test_the_profile_net_is_no_more_refused_than_the_manual_says(sbx, root_dir):
    page = (root_dir / "man" / "sbx-profile.5").read_text()
    words = re.search(r"\.TP\n\.B net\n(.*?)\.PP", page, flags=re.S)[1]
    assert "refuse" not in words
    sbx.run("net", cmd=["true"]).assert_ok()


ODD = "a\x1b[31m\n\x9b\udcff.yaml"


def test_odd_names_reach_no_terminal(sbx):
    """Neither of files nor of what stands in them, and none of them is a line of its own."""
    path = sbx.folder / ODD
    path.write_text('version: 1\nsecrets: {"b\\e[32m\\nc:1:1: d": {from: "x"}}\nlimits: {memory: 1}\n')
    missing = sbx.call("check", path, f"./{ODD}")
    assert missing.code == 125
    path.write_text("version: 1\nmounts: [/usr/share:/d]\n")
    words = ["explain", path, *sbx.degraded]
    for run in (missing, sbx.call(*words), sbx.call(*words, "--why", "path:/d"), sbx.call(*words, "--json"),
                sbx.call("run", path, *sbx.degraded, "--dry-run", "--", "true")):
        text = run.stdout.decode("utf-8") + run.stderr.decode("utf-8")
        assert "\\x1b[31m\\n\\u009b\\xff.yaml" in text.replace("\\\\", "\\") and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)
    assert not [line for line in missing.out.splitlines() if not re.match(r"(  |.*\.yaml:? ?)", line)], missing


def test_a_fifo_that_nobody_writes_to_is_no_empty_profile(sbx):
    path = sbx.folder / "fifo.yaml"
    os.mkfifo(path)
    for words in (["check", path], ["run", path, "--", "true"]):
        run = sbx.call(*words)
        assert run.code == 125 and "nobody has written to this FIFO" in run.out + run.err, run
    piped = subprocess.run(["bash", "-c", f'"{sbx.binary}" check <(echo "version: 1")'], capture_output=True)
    assert piped.returncode == 0, piped


def test_a_fifo_among_the_profiles_holds_up_nobody(sbx):
    folder = sbx.folder / "config" / "sbx" / "profiles"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "piped.yaml")
    writer = os.open(folder / "piped.yaml", os.O_RDWR)  # and says nothing
    env = {"XDG_CONFIG_HOME": str(sbx.folder / "config")}
    try:
        listed = sbx.call("profiles", "ls", env=env, timeout=20)
        assert listed.code == 0 and "has problems: sbx check piped" in listed.out, listed
        run = sbx.call("run", "piped", "--", "true", env=env, timeout=20)
        assert run.code == 125 and "this profile is not a file" in run.err, run
    finally:
        os.close(writer)


ODD_PROFILE = r"""version: 1
description: "x\e[31m\n"
vars: {v: "x\e[31m\n"}
command: ["x\e[31m\n", "\n"]
workspace: {at: "/work\e[31m\nspace", mode: overlay, keep: diff}
mounts:
  - {tmpfs: "/x\e[31m\n", size: 4M}
  - {file: "/y\e[31m\n", content: "x\e[31m\n"}
  - {copy: "/etc/passwd", at: "/x\e[31m\n/c"}
mask: ["/work\e[31m\nspace/x\e[31m\n", "/work\e[31m\nspace/**/\e[31m\n*"]
workdir: "/work\e[31m\nspace"
env: {set: {A: "x\e[31m\n"}}
secrets: {k: {from: "file:/x\e[31m\n", at: "/run/secrets/k\e[31m\n"}}
stdio: {stdin: "./x\e[31m\n"}
artifacts: {collect: ["/work\e[31m\nspace/x\e[31m\n"]}
"""


@pytest.mark.needs("userns")
def test_odd_values_reach_no_terminal(sbx):
    """All that a profile names is in the plan, and each step is one line. So is the folder that is left out of it."""
    profile = sbx.profile(ODD_PROFILE)
    plan = sbx.call("explain", *sbx.degraded, profile)
    assert plan.code == 0 and plan.out.count("\\x1b[31m\\n") > 15, plan
    lines = [line for line in plan.out.splitlines() if not re.match(r"[a-z ]+: +| *\d+ [a-z]+ +| +because: ", line)]
    assert not lines and not re.search("[\x00-\x09\x0b-\x1f]", plan.out), lines
    home = sbx.cwd / "x\x1b[31m\n"
    home.mkdir()
    for words in (["explain"], ["run", "--", "true"]):
        run = sbx.call(words[0], *sbx.degraded, *words[1:], cwd=home, env={"HOME": str(home)})
        text = run.out + run.err
        assert "x\\x1b[31m\\n' is not shown: " in text and "\x1b" not in text, run


def test_why_an_extended_file_cannot_be_read_is_told(sbx):
    profile = sbx.profile("version: 1\nextends: [./none.yaml, ./]\n")
    first, second = sbx.call("check", profile).out.splitlines()
    assert first.endswith("/none.yaml: cannot read this profile: No such file or directory (ENOENT)"), first
    assert second.startswith(f"{profile}:2:24: cannot extend: ") and second.endswith("/: this profile is not a file"), second


@pytest.mark.needs("user")
def test_a_closed_current_directory_is_told_with_what_helps(sbx, tmp_path):
    """It is in no profile, so that no entry can be taken out."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    script = 'cd a/b && chmod 0 .. && "$0" run "$@" -- true; code=$?; chmod 700 ..; exit $code'
    run = subprocess.run(["sh", "-c", script, sbx.binary, *sbx.degraded], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.returncode == 125 and "--workspace none" in run.stderr and "entry" not in run.stderr, run
