"""Who the payload is and what surrounds it: ids, host name, environment, folder, limits, clocks."""
import os
import time

import pytest


def lines(run):
    return dict(line.split("=", 1) for line in run.assert_ok().out.splitlines() if "=" in line)


def test_the_environment_holds_only_what_is_named(sbx):
    run = sbx.run(cmd=["env"], env={"SECRET_TOKEN": "x", "LD_PRELOAD": "/nosuch.so", "BASH_ENV": "/x", "TERM": "xterm"})
    assert set(lines(run)) == {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "USER"}


def test_variables_are_passed_and_set(sbx):
    profile = {"version": 1, "env": {"pass": ["PASSED", "ABSENT"], "set": {"SET": "a=b c"}}}
    env = lines(sbx.run(profile, ["--env", "FLAG=1", "--env", "ALSO"], ["env"], env={"PASSED": "yes", "ALSO": "too"}))
    assert (env["PASSED"], env["SET"], env["FLAG"], env["ALSO"]) == ("yes", "a=b c", "1", "too")
    assert "ABSENT" not in env


def test_the_command_starts_in_the_workspace(sbx):
    (sbx.cwd / "file").write_text("")
    assert sbx.run(cmd=["sh", "-c", "pwd; ls"]).assert_ok().out == "/workspace\nfile\n"


@pytest.mark.parametrize("flags,expected", [(["--workdir", "/tmp"], "/tmp"), (["--workspace", "none"], "/")])
def test_the_command_starts_elsewhere_when_asked(sbx, flags, expected):
    assert sbx.run(flags=flags, cmd=["pwd"]).assert_ok().out == expected + "\n"


def test_ids_are_the_callers_or_1000_for_root(sbx, is_root):
    uid, gid = (1000, 1000) if is_root else (os.getuid(), os.getgid())
    run = sbx.run(cmd=["sh", "-c", "id -u; id -g"]).assert_ok()
    assert run.out == f"{uid}\n{gid}\n" and run.result["isolation"]["user"] == f"{uid}:{gid}"


def test_ids_are_chosen(sbx):
    run = sbx.run(flags=["--user", "4242:4343"], cmd=["sh", "-c", "id -u; id -g; touch /tmp/x; stat -c %u:%g /tmp/x"])
    assert run.assert_ok().out == "4242\n4343\n4242:4343\n"


def test_user_0_inside_is_nobody_outside(sbx):
    script = "id -u; cat /proc/self/uid_map; mount -t tmpfs t /tmp 2>&1; touch /usr/x 2>&1; chown 1 /tmp 2>&1"
    run = sbx.run(flags=["--user", "0:0"], cmd=["sh", "-c", script])
    words = run.out.split()
    assert words[:2] == ["0", "0"] and words[2] != "0" and words[3] == "1", run
    assert run.code != 0


@pytest.mark.needs("root")
def test_groups_of_root_are_dropped(sbx):
    run = sbx.run(cmd=["sh", "-c", "id -G; grep Groups /proc/self/status"]).assert_ok()
    assert run.out.splitlines()[0] == "1000"


@pytest.mark.needs("root")
def test_two_runs_of_root_have_different_host_ids(sbx):
    maps = {sbx.run(cmd=["cat", "/proc/self/uid_map"]).assert_ok().out.split()[1] for _ in range(4)}
    assert "0" not in maps
    first = sbx.spawn(cmd=["sh", "-c", "cat /proc/self/uid_map; echo ready; sleep 20"])
    second = sbx.spawn(cmd=["sh", "-c", "cat /proc/self/uid_map; echo ready; sleep 20"])
    ids = [r.read_until(b"ready").split()[1] for r in (first, second)]
    owners = [{os.stat(f"/proc/{pid}").st_uid for pid, _ in r.processes()} for r in (first, second)]
    assert ids[0] != ids[1] and int(ids[0]) > 65535
    for number, seen in zip(ids, owners):
        assert int(number) in seen
    for running in (first, second):
        running.signal(15)
        running.wait()


def test_the_host_name_is_not_the_hosts(sbx):
    assert sbx.run(cmd=["uname", "-n"]).assert_ok().out == "sandbox\n"
    assert sbx.run(flags=["--hostname", "other"], cmd=["cat", "/proc/sys/kernel/hostname"]).assert_ok().out == "other\n"
    assert sbx.run(flags=["--hostname", "other"], cmd=["getent", "hosts", "other"]).code == 0


def test_rlimits_hold(sbx):
    run = sbx.run(cmd=["sh", "-c", "ulimit -n; ulimit -c; ulimit -Hn"]).assert_ok()
    assert run.out == "1024\n0\n1024\n"
    run = sbx.run(flags=["--rlimit", "nofile=77", "--rlimit", "stack=1M"], cmd=["sh", "-c", "ulimit -n; ulimit -s"])
    assert run.assert_ok().out == "77\n1024\n"


@pytest.mark.parametrize("flags, profile, told", [
    (["--rlimit", "nofile=4096"], None, "(--rlimit) is 4096, and the command gets 500"),
    ([], "version: 1\nlimits: {rlimits: {nofile: 4096}}\n", ":2:28) is 4096, and the command gets 500"),
    ([], None, None),  # the default of 1024 is nobody's wish
    ([], "build", None)], ids=["flag", "profile", "default", "built-in"])
def test_an_rlimit_above_the_callers_own_is_told_with_what_holds(sbx, monkeypatch, flags, profile, told):
    monkeypatch.setattr(sbx, "around", lambda _: ["prlimit", "--nofile=500:500", "--"])
    run = sbx.run(profile, flags=flags, cmd=["sh", "-c", "ulimit -Hn"]).assert_ok()
    assert run.out == "500\n"
    warnings = [text for text in run.result["warnings"] if "rlimits" in text]
    assert len(warnings) == bool(told) and ("limits.rlimits.nofile" in run.err) == bool(told)
    assert not told or told in warnings[0]
    plan = sbx.call("explain", *([sbx.profile(profile) if "\n" in profile else profile] if profile else []), *sbx.degraded,
                    *flags, "--", "true")
    assert "rlimit nofile = 500\n" in plan.out and ("warning:   limits.rlimits" in plan.out) == bool(told)


def test_the_payload_is_pid_2_in_a_session_of_its_own(sbx):
    run = sbx.run(cmd=["sh", "-c", "echo $$; cat /proc/1/comm; ps -o pid= -e 2>/dev/null | wc -l"])
    assert run.assert_ok().out.splitlines()[0] == "2"
    assert sbx.run(cmd=["sh", "-c", "cut -d' ' -f6 /proc/self/stat"]).out == "2\n"


def test_no_capability_and_no_new_privileges(sbx):
    run = sbx.run(cmd=["grep", "-E", "^(Cap|NoNewPrivs|Seccomp):|^Cap", "/proc/self/status"]).assert_ok()
    fields = dict(line.split(":\t") for line in run.out.splitlines())
    assert {v for k, v in fields.items() if k.startswith("Cap")} == {"0" * 16}
    assert fields["NoNewPrivs"] == "1" and fields["Seccomp"] == "2"


def test_a_capability_is_kept_when_named_inside_only(sbx):
    run = sbx.run(flags=["--cap", "net_raw"], cmd=["grep", "Cap", "/proc/self/status"]).assert_ok()
    fields = dict(line.split(":\t") for line in run.out.splitlines())
    assert fields["CapEff"] == f"{1 << 13:016x}" and fields["CapBnd"] == f"{1 << 13:016x}"


def test_the_monotonic_clock_is_shifted(sbx):
    code = "import time; print(time.clock_gettime(time.CLOCK_MONOTONIC), time.clock_gettime(time.CLOCK_BOOTTIME))"
    run = sbx.run(flags=["--time-offset", "monotonic=1d", "--time-offset", "boottime=2d"], cmd=["/usr/bin/python3", "-c", code])
    monotonic, boottime = map(float, run.assert_ok().out.split())
    assert abs(monotonic - time.clock_gettime(time.CLOCK_MONOTONIC) - 86400) < 60
    assert abs(boottime - time.clock_gettime(time.CLOCK_BOOTTIME) - 2 * 86400) < 60


def test_a_clock_that_would_be_negative_is_refused(sbx):
    sbx.run(flags=["--time-offset", "monotonic=-36000d"], cmd=["true"]).assert_refused("ERANGE", "offset")


def test_the_umask_of_the_caller_changes_nothing_of_the_sandbox(sbx):
    old = os.umask(0o777)
    try:
        run = sbx.run(cmd=["sh", "-c", "ls / /tmp /etc > /dev/null && cat /etc/passwd > /dev/null && touch /tmp/x && echo fine"])
    finally:
        os.umask(old)
    assert run.assert_ok().out == "fine\n"
