"""How a run ended: sbx's exit code, and the result's status, reason, exit_code and signal."""
import signal

import pytest

from support import slow

MOUNT = "import ctypes; c = ctypes.CDLL(None, use_errno=True); c.mount(b'x', b'/tmp', b'tmpfs', 0, None); print(ctypes.get_errno())"
TIMES = min(slow.FACTOR, 4)
BUSY = ["sh", "-c", "while :; do :; done"]


def test_success_is_0(sbx):
    run = sbx.run(cmd=["true"]).assert_ok()
    assert (run.result["exit_code"], run.result["signal"], run.result["phase"]) == (0, None, "run")
    assert run.result["reason"]["code"] == "exited"


@pytest.mark.parametrize("code", [1, 3, 99, 123, 124, 125, 126, 127, 137, 255])
def test_the_payloads_own_code_comes_through(sbx, code):
    run = sbx.run(cmd=["sh", "-c", f"exit {code}"]).assert_nonzero(code)
    assert run.result["exit_code"] == code and run.result["signal"] is None
    assert run.result["reason"]["code"] == "exited" and run.result["reason"]["limit"] is None
    assert not run.err


@pytest.mark.parametrize("name", ["nosuchprogram", "/usr/bin/nosuchprogram", "./nosuchprogram"])
def test_a_missing_command_is_127(sbx, name):
    run = sbx.run(cmd=[name]).assert_status("not_found", 127)
    assert run.result["phase"] == "setup" and run.result["exit_code"] is None
    assert name in run.err


def test_a_missing_interpreter_is_127(sbx):
    (sbx.cwd / "script").write_text("#!/nosuch/interpreter\n")
    (sbx.cwd / "script").chmod(0o755)
    sbx.run(cmd=["/workspace/script"]).assert_status("not_found", 127)


@pytest.mark.parametrize("what", ["file", "folder", "garbage"])
def test_what_cannot_be_executed_is_126(sbx, what):
    path = sbx.cwd / "it"
    if what == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"\x00\x01\x02garbage")
        path.chmod(0o644 if what == "file" else 0o755)
    run = sbx.run(cmd=["/workspace/it"]).assert_status("not_executable", 126)
    assert run.result["exit_code"] is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGUSR1],
                         ids=lambda n: n.name)
def test_a_payload_that_ends_by_a_signal_is_128_and_more(sbx, number):
    run = sbx.run(cmd=["sh", "-c", f"kill -{number.value} $$"]).assert_status("signal", 128 + number)
    assert (run.result["signal"], run.result["exit_code"]) == (number, None)
    assert number.name in run.result["reason"]["text"]


def test_the_wall_limit_is_124(sbx):
    run = sbx.run(flags=["--timeout", "300ms"], cmd=["sleep", "30"]).assert_status("timeout", 124)
    assert 0.3 <= run.seconds < 3 and run.result["wall_ms"] >= 300
    assert run.result["reason"]["code"] == "wall_limit" and run.result["reason"]["limit"] == "300ms"
    assert "timeout" in run.err


@pytest.mark.needs("cgroup")
def test_the_cpu_limit_is_124(sbx):
    run = sbx.run(flags=["--cpu-time", "300ms"], cmd=BUSY).assert_status("cpu_limit", 124)
    assert run.result["cpu_ms"]["user"] + run.result["cpu_ms"]["system"] >= 250
    assert run.result["reason"]["limit"] == "300ms"


@pytest.mark.needs("cgroup")
def test_the_cpu_limit_counts_the_whole_tree(sbx):
    run = sbx.run(flags=["--cpu-time", "400ms"], cmd=["sh", "-c", "for i in 1 2 3 4; do (while :; do :; done) & done; wait"])
    run.assert_status("cpu_limit", 124)


@pytest.mark.needs("cgroup")
def test_sleeping_is_no_cpu_time(sbx):
    sbx.run(flags=["--cpu-time", f"{500 * TIMES:.0f}ms"], cmd=["sleep", str(0.8 * TIMES)]).assert_ok()


def test_the_cpu_rlimit_is_124_too(sbx):
    run = sbx.run(flags=["--rlimit", "cpu=1s"], cmd=BUSY).assert_status("cpu_limit", 124)
    assert run.result["reason"]["code"] == "cpu_rlimit"


def test_the_cpu_rlimit_ends_who_ignores_its_signal(sbx):
    run = sbx.run(flags=["--rlimit", "cpu=1s"], cmd=["sh", "-c", "trap '' XCPU; while :; do :; done"])
    run.assert_status("cpu_limit", 124)
    assert run.result["signal"] == signal.SIGKILL and run.result["reason"]["code"] == "cpu_rlimit"


@pytest.mark.parametrize("number", [signal.SIGXCPU, signal.SIGKILL], ids=lambda n: n.name)
def test_the_signals_of_the_cpu_rlimit_sent_by_another(sbx, number):
    """Who has not used that much time has not been ended for it."""
    run = sbx.run(flags=["--rlimit", "cpu=5s"], cmd=["sh", "-c", f"kill -{number.name[3:]} $$"])
    run.assert_status("signal", 128 + number)


def test_silence_is_124(sbx):
    run = sbx.run(flags=["--idle", "300ms"], cmd=["sleep", "30"]).assert_status("idle_timeout", 124)
    reason = run.result["reason"]
    assert reason["code"] == "idle_limit" and reason["limit"] == "300ms" and run.seconds < 3
    assert 0.3 <= float(reason["observed"].removesuffix("s")) < 3, reason


def test_output_now_and_then_is_no_silence(sbx):
    # Much longer than a pause: a busy host may hold everything up for a second.
    run = sbx.run(flags=["--idle", f"{3 * TIMES:.0f}s"],
                  cmd=["sh", "-c", f"for i in 1 2 3 4 5; do sleep {0.7 * TIMES}; echo $i; done"])
    run.assert_ok()
    assert run.out == "1\n2\n3\n4\n5\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_too_much_output_is_153(sbx, stream):
    flags = [f"--{stream}-limit", "100K", "--on-exceed", "kill"]
    redirect = "" if stream == "stdout" else ">&2"
    run = sbx.run(flags=flags, cmd=["sh", "-c", f"yes {redirect}"]).assert_status("output_limit", 153)
    assert run.result["reason"]["limit"] == "100K" and run.result["output"][stream]["truncated"] is True
    assert run.seconds < 5


def test_a_file_that_grows_too_large_is_153(sbx):
    run = sbx.run(flags=["--rlimit", "fsize=64K"], cmd=["sh", "-c", "exec head -c 1M /dev/zero > /tmp/x"])
    run.assert_status("disk_limit", 153)
    assert run.result["reason"]["code"] == "file_size_limit"


@pytest.mark.needs("cgroup:memory")
def test_out_of_memory_is_137(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--memory", "32M"], cmd=[probe.path, "memory-bomb", "256"])
    run.assert_status("oom", 137)
    assert run.result["memory"]["oom_kills"] >= 1 and run.result["memory"]["limit_bytes"] == 32 << 20
    assert run.result["reason"]["limit"] == "32M"


@pytest.mark.needs("cgroup:memory")
def test_a_child_out_of_memory_is_told_though_the_payload_goes_on(sbx, probe):
    run = sbx.run(flags=[*probe.flags, "--memory", "32M"],
                  cmd=["sh", "-c", f"{probe.path} memory-bomb 256; echo survived"])
    run.assert_status("oom", 0)  # the exit code is the payload's own
    assert "survived" in run.out and run.result["exit_code"] == 0, run
    assert run.result["memory"]["oom_kills"] >= 1


@pytest.mark.needs("landlock", "cgroup")
def test_a_denied_call_under_strict_is_159(sbx):
    run = sbx.run("strict", cmd=["/usr/bin/python3", "-c", MOUNT]).assert_status("seccomp", 159)
    assert run.result["denials"][0]["operation"] == "mount" and not run.out


@pytest.mark.parametrize("on_deny,status,words", [
    ("errno", "seccomp", "seccomp, for a system call of another table (32-bit or x32), or the command raised SIGSYS itself"),
    ("kill", "signal", "which the filter of sbx does not send in this run: it raised SIGSYS itself"),
], ids=["errno", "kill"])
def test_a_command_that_raises_sigsys_is_not_said_to_be_seccomp_s_alone(sbx, on_deny, status, words):
    run = sbx.run(flags=["--set", f"seccomp.on_deny={on_deny}"], cmd=["/bin/sh", "-c", "kill -SYS $$"]).assert_status(status, 159)
    assert words in run.result["reason"]["text"]
    assert run.result["reason"]["code"] == status and run.result["signal"] == signal.SIGSYS


def test_a_denied_call_is_eperm_by_default(sbx):
    assert sbx.run(cmd=["/usr/bin/python3", "-c", MOUNT]).assert_ok().out == "1\n"


def test_a_setup_that_fails_is_125_and_says_why(sbx):
    run = sbx.run(flags=["--workdir", "/no/such/place"], cmd=["echo", "started"])
    run.assert_refused("step ", "/no/such/place", "ENOENT", "--workdir")
    assert run.status == "setup_error" and not run.stdout


def test_a_payload_that_exits_with_125_is_told_apart(sbx):
    run = sbx.run(cmd=["sh", "-c", "exit 125"])
    assert run.code == 125 and run.status == "nonzero" and run.result["phase"] == "run"
