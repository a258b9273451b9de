"""What sbx prints must arrive: with standard output closed, or full, no verb ends with success."""
import subprocess

import pytest

VERBS = {
    "version": ["--version"], "help": ["--help"], "help of a verb": ["run", "--help"], "options": ["--list-options"],
    "explain": ["explain", "--", "true"], "why": ["explain", "--why", "syscall:read", "--", "true"],
    "dry run": ["run", "--dry-run", "--", "true"], "result": ["run", "--json", "--", "true"],
    "profiles": ["profiles", "ls"], "show": ["profiles", "show", "net"], "schema": ["schema", "result"],
    "completion": ["completion", "bash"], "doctor": ["doctor", "--json"], "ps": ["ps", "--json"], "artifacts": ["artifacts", "ls", "--json"],
}
PLANS = {"explain", "run"}


def call(sbx, words, stdout):
    flags = sbx.degraded if words[0] in PLANS and "--" in words else []
    line = [sbx.binary, words[0], *flags, *words[1:]]
    limit = "ulimit -f 0; " if stdout == ">out" else ""
    return subprocess.run(["sh", "-c", f'{limit}"$@" {stdout}', "sh", *line], cwd=sbx.cwd, capture_output=True, text=True,
                          timeout=60)


@pytest.mark.parametrize("stdout, error", [(">&-", "EBADF"), (">/dev/full", "ENOSPC"), (">out", "EFBIG")],
                         ids=["closed", "full", "limited"])
@pytest.mark.parametrize("verb", VERBS)
def test_what_cannot_be_printed_is_no_success(sbx, verb, stdout, error):
    done = call(sbx, VERBS[verb], stdout)
    assert done.returncode == 125, done
    assert "the result could not be written" in done.stderr or "standard output: " in done.stderr and error in done.stderr


@pytest.mark.parametrize("verb", VERBS)
def test_control_the_same_succeeds_where_it_can_be_printed(sbx, verb):
    done = call(sbx, VERBS[verb], ">/dev/null")
    assert done.returncode == 0 or verb == "doctor", done


def test_the_commands_own_code_stays(sbx):
    done = call(sbx, ["run", "--json", "--", "sh", "-c", "exit 3"], ">&-")
    assert done.returncode == 3 and "the result could not be written" in done.stderr


def test_a_run_that_prints_nothing_itself_does_not_mind(sbx):
    assert call(sbx, ["run", "--", "true"], ">&-").returncode == 0


@pytest.mark.parametrize("flags", [[], ["--result", "result.json"]], ids=len)
@pytest.mark.parametrize("closed, lost", [(">&-", "stdout"), ("2>&-", "stderr")])
def test_output_to_a_stream_that_the_caller_closed_is_lost_and_no_success(sbx, closed, lost, flags):
    def run(inside):
        return call(sbx, ["run", *flags, "--", "sh", "-c", inside], closed)
    done = run("echo lost; echo lost >&2")
    assert done.returncode == 125, done
    assert lost == "stderr" or "sbx: stdout could not be written: Bad file descriptor" in done.stderr
    assert run("true").returncode == 0  # where nothing is lost, all is well
    assert run("echo lost; echo lost >&2; exit 3").returncode == 3  # its own code says more


def test_a_problem_of_a_profile_that_cannot_be_printed_stays_one(sbx):
    profile = sbx.profile("version: 2\n")
    assert call(sbx, ["check", str(profile)], ">&-").returncode == 125


def test_jobs_whose_results_cannot_be_written_are_told(sbx):
    (sbx.cwd / "jobs.jsonl").write_text('{"id": "a", "argv": ["true"]}\n')
    done = call(sbx, ["batch", *sbx.degraded, "jobs.jsonl"], ">&-")
    assert done.returncode == 125 and "EBADF" in done.stderr, done


def test_a_log_that_cannot_be_written_ends_nothing_and_is_told(sbx):
    lost = "the log is not written: No space left on device (ENOSPC)"
    run = sbx.run(flags=["--log", "/dev/full"], cmd=["true"])
    assert run.code == 0 and run.result["warnings"] == [lost] and f"sbx: warning: {lost}" in run.err, run
    (sbx.cwd / "jobs.jsonl").write_text('{"id": "a", "argv": ["true"]}\n')
    done = sbx.call("batch", *sbx.degraded, "jobs.jsonl", "--log", "/dev/full")
    assert done.code == 0 and lost in done.out, done
    assert sbx.run(flags=["--log", sbx.folder / "log"], cmd=["true"]).result["warnings"] == []
