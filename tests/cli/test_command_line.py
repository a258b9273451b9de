"""The command line: what is understood, what is refused, and that a refusal never starts anything."""
import json
import os

import pytest

MARK = "the-payload-ran"
PAYLOAD = ["sh", "-c", f"echo {MARK}; echo {MARK} >&2"]


def refused(run, *words):
    """125, the words, and no trace of the payload."""
    run.assert_refused(*words)
    assert MARK not in run.out + run.err
    assert all(line.startswith("sbx: ") for line in run.err.splitlines())
    return run


def plan_of(sbx, *arguments, cmd=("true",), cwd=None):
    run = sbx.call("explain", "--json", *sbx.degraded, *arguments, "--", *cmd, cwd=cwd)
    assert run.code == 0, run
    return json.loads(run.stdout)


def texts(plan):
    return "\n".join(step["text"] for step in plan["steps"])


def test_nothing_prints_a_short_help(sbx):
    run = sbx.call()
    assert (run.code, run.stdout) == (125, b"")
    assert "usage: sbx run" in run.err and len(run.err.splitlines()) < 30


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_is_on_standard_output(sbx, flag):
    for arguments in ([flag], ["run", flag], ["run", "--memory", "1G", flag], ["check", flag]):
        run = sbx.call(*arguments)
        assert (run.code, run.stderr) == (0, b"") and run.out.startswith(("usage: sbx", "sbx runs"))


def test_help_behind_the_dashes_is_the_commands(sbx):
    run = sbx.run(cmd=["sh", "-c", "echo $1", "sh", "--help"])
    run.assert_ok()
    assert run.out == "--help\n"


@pytest.mark.parametrize("word, near", [("rnu", "run"), ("explian", "explain"), ("profile", "profiles"), ("exec", "run"), ("create", "run")])
def test_a_misspelt_verb_gets_a_suggestion(sbx, word, near):
    refused(sbx.call(word), f"unknown verb {word}", f"sbx {near}")


def test_a_verb_that_there_is_not_is_unknown(sbx):
    refused(sbx.call("frobnicate"), "unknown verb", "sbx run [PROFILE] -- CMD runs a command")


@pytest.mark.parametrize("word, meant", [("version", "--version"), ("-V", "--version"), ("-v", "--version")])
def test_a_verb_of_others_is_understood_in_the_advice(sbx, word, meant):
    refused(sbx.call(word), f"did you mean `sbx {meant}`?")
    assert sbx.call(meant).code == 0


@pytest.mark.parametrize("flag, near", [("--memroy", "--memory"), ("--time-out", "--timeout"), ("--worksapce", "--workspace"),
                                        ("--network", "--net"), ("-v", "--ro"), ("--uid", "--user")])
def test_a_misspelt_flag_gets_a_suggestion(sbx, flag, near):
    refused(sbx.call("run", flag, "1G", "--", *PAYLOAD), f"unknown flag {flag}", f"did you mean {near}?")


def test_a_flag_of_another_verb_is_named(sbx):
    refused(sbx.call("explain", "--events", "f", "--", *PAYLOAD), "`sbx explain` has no flag --events")


@pytest.mark.parametrize("arguments, words", [
    (["--memory"], ["--memory needs a value"]),
    (["--memory", "--swap", "0"], ["--memory needs a value"]),
    (["--memory="], ["--memory needs a value"]),
    (["--pin", ""], ["--pin needs a value"]),
    (["--result", ""], ["--result needs a value"]),
    (["--env", "X=", "--events", ""], ["--events needs a value"]),
    (["--memory", "lots"], ["--memory", "limits.memory"]),
    (["--memory", "512"], ["--memory", "unit"]),
    (["--pids", "many"], ["--pids"]),
    (["--pids", "12]"], ["--pids"]),
    (["--net", "hots"], ["--net"]),
    (["--landlock", "of"], ["--landlock", "off"]),
    (["--json=yes"], ["--json takes no value"]),
    (["--tty="], ["--tty takes no value"]),
    (["--ro=~/data"], ["--ro", "~"]),
    (["--tmpfs", "scratch"], ["--tmpfs", "absolute"]),
    (["--file", "/x"], ["--file", "/DST=CONTENT"]),
    (["--env", "=x"], ["--env", "no name"]),
    (["--env", "A B=x"], ["--env"]),
    (["--rlimit", "nofile"], ["--rlimit", "NAME=VALUE"]),
    (["--rlimit", "nofiles=3"], ["--rlimit", "nofile"]),
    (["--user", "1:"], ["--user", "UID[:GID]"]),
    (["--user", "-1"], ["--user", "numbers"]), (["--user", "1:2:3"], ["--user", "UID[:GID]", "numbers"]),
    (["--workspace", ".:wr"], ["--workspace", "not a mode", ".:wr:ro"]),
    (["--workspace", "overlay:/a/b"], ["'/a/b' is not a mode", "the mode comes last: /a/b:overlay"]),
    (["--workspace", "/nonexistent"], ["--workspace", "/nonexistent"]),
    (["--ro", "/nonexistent"], ["--ro", "/nonexistent"]),
    (["--ro", "a:b"], ["--ro", "absolute"]),
    (["--ro", ":/x"], ["--ro"]),
    (["--set", "limits"], ["--set", "KEY.PATH=VALUE"]),
    (["--set", "limit.memory=1G"], ["limit"]),
    (["--set", "limits.memory=[1G"], ["limits.memory"]),
    (["--seccomp-allow", "opne"], ["--seccomp-allow", "open"]),
    (["--degrade", "cgruop"], ["--degrade", "cgroup"]),
    (["--cap", "KILL", "--cap", "Chwon"], ["--cap: unknown capability `Chwon`; did you mean `chown`?"]), (["--cap", "all"], ["--cap", "`all`: no word stands for all", "net_bind_service"]),
    (["--log-level", "debug"], ["--log-level needs --log"]),
    (["--log", "/dev/null", "--log-level", "loud"], ["--log-level", "loud"]),
    (["--log", "/nonexistent/log"], ["--log", "ENOENT"]),
    (["--result", "fd:1"], ["--result", "fd:1"]),
    (["--result", "fd:99"], ["--result", "EBADF"]),
    (["--result", "fd:x"], ["--result", "fd:N"]),
    (["--result", "/nonexistent/r"], ["--result", "ENOENT"]),
    (["--result", "/tmp"], ["--result", "folder"]),
    (["--events", "/tmp"], ["--events", "folder"]),
    (["--result", "./f", "--events", "f"], ["same file"]), (["--log", "f", "--result", "./f"], ["same file"]),
    (["--timing", "--dry-run"], ["--timing", "--dry-run"]),
])
def test_bad_flags_are_refused(sbx, arguments, words):
    refused(sbx.call("run", *sbx.degraded, *arguments, "--", *PAYLOAD), *words)


@pytest.mark.parametrize("flag", ["--env", "--ro", "--set", "--rlimit", "--secret", "--hostname", "--mask", "--memory"])
def test_a_flag_whose_bytes_are_no_text_says_so(sbx, flag):
    value = {"--memory": "\udce9G", "--ro": "/caf\udce9", "--hostname": "caf\udce9", "--mask": "/caf\udce9",
             "--secret": "a=env:caf\udce9"}.get(flag, "vars.a=caf\udce9")
    run = refused(sbx.call("run", *sbx.degraded, flag, value, "--", *PAYLOAD), f"{flag}: the value is not UTF-8 text", "\\xe9")
    assert "YAML" not in run.err and "save the file" not in run.err


def test_every_mistake_is_reported_at_once(sbx):
    run = refused(sbx.call("run", "--memroy", "1G", "--tmpfs", "x", "--", *PAYLOAD), "--memroy", "--tmpfs")
    run = refused(sbx.call("run", "--memory", "1", "--pids", "x", "--", *PAYLOAD), "--memory", "--pids")
    assert run.code == 125


def test_a_command_needs_the_dashes(sbx):
    refused(sbx.call("run", "python", "python3", "code.py"), "unexpected argument python3", "sbx run python -- python3")
    refused(sbx.call("run", "./mine.yaml", "make"), "unexpected argument make", "sbx run ./mine.yaml -- make")
    refused(sbx.call("run", "python", "code.py"), "unexpected argument code.py", "sbx run -- python code.py")
    refused(sbx.call("run", "ls", "-l", "/"), "unexpected argument -l", "sbx run -- ls -l /")
    refused(sbx.call("run", "true"), "sbx run -- true")
    refused(sbx.call("run", "python", "-q", "x"), "sbx run -- python -q x")
    refused(sbx.call("run", "python", "-q", "--", *PAYLOAD), "unknown flag -q")  # the control
    refused(sbx.call("run", "--"), "no command")
    refused(sbx.call("run"), "no command")
    refused(sbx.call("run", "", "--", *PAYLOAD), "no profile")


def test_the_values_of_an_unknown_flag_are_no_second_mistake(sbx):
    run = refused(sbx.call("run", "--bind", "/a", "/b", "--", *PAYLOAD), "unknown flag --bind; did you mean --rw?")
    assert "unexpected argument" not in run.err, run


def test_unknown_profiles_get_the_near_ones(sbx):
    refused(sbx.call("run", "pyton", "--", *PAYLOAD), "no profile is named pyton", "did you mean python?", "judge")
    refused(sbx.call("run", "./none.yaml", "--", *PAYLOAD), "./none.yaml", "ENOENT")
    refused(sbx.call("run", "/tmp/", "--", *PAYLOAD), "not a file")
    refused(sbx.call("run", "/dev/zero", "--", *PAYLOAD), "not a file")
    refused(sbx.call("run", "../../etc", "--", *PAYLOAD))


def test_a_profile_that_is_too_long_is_refused(sbx):
    path = sbx.folder / "long.yaml"
    path.write_text("version: 1\n" + "# comment\n" * 200_000)
    refused(sbx.call("run", path, "--", *PAYLOAD), "1 MiB")


def test_a_profile_in_the_current_folder_is_not_picked_up(sbx):
    for name in (".sbx.yaml", "default.yaml", "default"):
        (sbx.cwd / name).write_text("version: 1\nhostname: hijacked\n")
    assert "hijacked" not in texts(plan_of(sbx))


def test_flags_win_over_the_file_and_the_last_one_counts(sbx):
    path = sbx.profile("version: 1\nhostname: from-file\nlimits: {wall: 5s}\n")
    plan = plan_of(sbx, path, "--hostname", "first", "--hostname=second")
    assert "second" in texts(plan) and "first" not in texts(plan) and "from-file" not in texts(plan)
    assert plan["supervise"]["wall_ms"] == 5000
    assert plan_of(sbx, path, "--timeout", "none")["supervise"]["wall_ms"] is None


def test_flag_and_profile_may_stand_in_any_order(sbx):
    path = sbx.profile("version: 1\n")
    first, second = plan_of(sbx, "--timeout", "7s", path), plan_of(sbx, path, "--timeout=7s")
    assert first["supervise"] == second["supervise"] and first["supervise"]["wall_ms"] == 7000


# What a value may hold without becoming anything but a value.
HOSTILE = ["a: b", "x]", "}, pass: [HOME], set: {", "\"", "'", "\\", "line\nbreak: 1", "\ttab", "# no comment", "${env:HOME}",
           "$${", "!replace [x]", "&a", "*a", "true", "null", "~", "0x10", "-", "--- ", "%", "@", "`", "ünï", "\x7f", " "]


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_values_stay_values(sbx, value):
    plan = plan_of(sbx, "--env", f"V={value}", "--set", "description=x")
    assert f"V={value}" in plan["env"]
    assert not any(entry.startswith("HOME=") and entry != "HOME=/tmp" for entry in plan["env"])


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_paths_stay_paths(sbx, value):
    (sbx.cwd / value).mkdir()
    plan = plan_of(sbx, "--ro", f"./{value}:/shown/{value}")
    assert sum("/shown" in step["text"] for step in plan["steps"]) >= 1
    assert not any("HOME" in entry and entry != "HOME=/tmp" for entry in plan["env"])


def test_sources_with_colons_and_relative_ones(sbx):
    (sbx.cwd / "a:b").mkdir()
    (sbx.cwd / "data").mkdir()
    assert "/shown" in texts(plan_of(sbx, "--ro", "a:b:/shown"))
    assert str(sbx.cwd / "data") in texts(plan_of(sbx, "--ro", "./data"))
    assert str(sbx.folder) in texts(plan_of(sbx, "--ro", "..:/up"))


def test_a_relative_source_cannot_lead_out_by_a_link(sbx):
    (sbx.cwd / "trap").symlink_to("/etc")
    refused(sbx.call("run", *sbx.degraded, "--ro", "trap:/data", "--", *PAYLOAD), "trap")


def test_explain_without_a_command_explains_the_profile(sbx):
    run = sbx.call("explain", *sbx.degraded)
    assert run.code == 0 and "profile:   default" in run.out


def test_dry_run_prints_the_same_and_runs_nothing(sbx):
    explained = sbx.call("explain", *sbx.degraded, "--", *PAYLOAD)
    dry = sbx.call("run", *sbx.degraded, "--dry-run", "--result", "r", "--", *PAYLOAD)
    assert dry.code == 0 and not (sbx.cwd / "r").exists()
    same = [line for line in explained.out.splitlines() if "cgroup" not in line]
    assert [line for line in dry.out.splitlines() if "cgroup" not in line] == same


def test_check_prints_every_problem_with_its_place(sbx):
    good = sbx.profile("version: 1\n")
    bad = sbx.profile("version: 1\nhostnme: x\nlimits:\n  memory: 12\n")
    run = sbx.call("check", good, bad)
    assert run.code == 125
    assert f"{bad}:2:1: " in run.out and f"{bad}:4:" in run.out and "hostname" in run.out
    assert str(good) not in run.out
    done = sbx.call("check", good, "default", "judge")
    assert (done.code, done.stdout) == (0, b"")
    refused(sbx.call("check"), "usage")


@pytest.mark.parametrize("arguments", [
    ["profiles"], ["profiles", "list"], ["profiles", "show"], ["profiles", "ls", "x"], ["profiles", "show", "nope"],
    ["schema"], ["schema", "plan"], ["completion"], ["completion", "tcsh"], ["schema", "profile", "x"]])
def test_wrong_operands_are_refused(sbx, arguments):
    refused(sbx.call(*arguments))


@pytest.mark.parametrize("arguments, words", [
    (["profiles", "show"], "`sbx profiles show` needs a NAME"), (["profiles", "ls", "x"], "`sbx profiles ls` takes no x"),
    (["schema", "plan"], "usage: sbx schema KIND: profile, result, ")])
def test_what_is_missing_or_too_much_is_named(sbx, arguments, words):
    refused(sbx.call(*arguments), words)


@pytest.mark.parametrize("arguments, words", [
    (["check", "--", "--json"], "no profile is named --json"), (["kill", "--", "-x"], "no live run is called -x"),
    (["diff", "x", "--", "-y"], "no changes are kept of a run x"), (["ps", "--", "-x"], "unexpected argument -x")])
def test_behind_the_dashes_nothing_is_a_flag(sbx, arguments, words):
    run = sbx.call(*arguments)
    assert run.code == 125 and words in run.out + run.err and "unknown flag" not in run.err


@pytest.mark.needs("user")
def test_another_users_home_is_named(sbx, monkeypatch, tmp_path):
    """As after `su` without a dash: HOME is still that of another."""
    (tmp_path / "home").mkdir(mode=0)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    run = sbx.run(cmd=["true"]).assert_refused("EACCES", "is HOME", str(tmp_path / "home"))
    (tmp_path / "home").chmod(0o700)
    assert run.err.count("\n") == 2


def test_schemas_are_json(sbx):
    for name in ("profile", "result", "event", "live", "doctor"):
        assert json.loads(sbx.call("schema", name).stdout)["$schema"].endswith("2020-12/schema")


def test_output_that_cannot_be_written_is_an_error(sbx):
    with open("/dev/full", "wb") as full:
        process = os.posix_spawn(sbx.binary, [sbx.binary, "--help"], os.environ,
                                 file_actions=[(os.POSIX_SPAWN_DUP2, full.fileno(), 1)])
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 125


def test_log_is_appended_and_holds_no_control_bytes(sbx):
    log = sbx.folder / "log"
    for _ in range(2):
        sbx.run(flags=["--log", log], cmd=["echo", "\x1b[31mred"], result=False)
    lines = log.read_text().splitlines()
    assert len(lines) == 4 and all(" info run " in line for line in lines)
    assert "\x1b" not in log.read_text()
