"""--timing: every step of the plan once, in times that can be true, and nothing of it unasked."""
import errno
import json
import re

import jsonschema
import pytest

ROW = re.compile(r" *(\d+\.\d{3}) +(\d+|-)  ([ *])  (supervisor|init|payload) +(\d+|-)  (.+)")
PROCESS = {"host": "supervisor", "clone": "supervisor", "attend": "supervisor", "init": "init", "guard": "init",
           "payload": "payload"}
STAGES = ["command_line", "profile", "host_facts", "planning", "prepare_launch", "register_run", "await_exec", "settle",
          "watch", "account", "deliver"]
AFTER_THE_RESULT = ["write result and events", "remove what is left of the sandbox", "write the result file"]
ENDS = {
    "ok": ([], ["true"]),
    "timeout": (["--timeout", "200ms"], ["sleep", "9"]),
    "not_found": ([], ["nosuchprogram"]),
    "setup_error": (["--workdir", "/nowhere"], ["true"]),
}


def timed(program, cmd=("true",), flags=(), **options):
    return program.run(flags=["--timing", *flags], cmd=cmd, **options)


def planned(sbx, cmd=("true",), flags=()):
    run = sbx.call("explain", "--json", *sbx.degraded, *flags, "--", *cmd)
    assert run.code == 0, run
    return json.loads(run.stdout)["steps"]


def end(row):
    return row["start_us"] + row["took_us"]


def of(timing, process):
    return [row for row in timing["steps"] if row["process"] == process]


def table_of(text):
    """The rows between the headline and the sum: (offset in ms, us, marked, process, step, text)."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("sbx: timing of "))
    assert lines[first + 1].split() == ["MS", "US", "PROCESS", "STEP", "WHAT"]
    matches = [(ROW.fullmatch(line), line) for line in lines[first + 2:-1]]
    assert all(match for match, _ in matches), [line for match, line in matches if not match]
    return [(float(ms), us, mark == "*", process, step, what)
            for ms, us, mark, process, step, what in (match.groups() for match, _ in matches)]


@pytest.mark.parametrize("flags", [[], ["--time-offset", "monotonic=1h"], ["--net", "host", "--root", "empty"]],
                         ids=["default", "another-clock", "host-network"])
def test_every_step_of_the_plan_is_there_once(sbx, probe, flags):
    cmd = [probe.path, "leave-file", "/tmp/x"]
    timing = timed(sbx, cmd, [*probe.flags, *flags]).assert_nonzero(42).result["timing"]
    steps = planned(sbx, cmd, [*probe.flags, *flags])
    rows = sorted((row for row in timing["steps"] if row["step"] is not None), key=lambda row: row["step"])
    assert [row["step"] for row in rows] == list(range(1, len(steps) + 1))
    for row, step in zip(rows, steps):
        assert (row["kind"], row["process"]) == (step["kind"], PROCESS[step["phase"]])
        # A run's cgroups have the name of the run.
        assert row["text"] == step["text"] or step["kind"] == "make_cgroup"
        assert row["took_us"] is not None and row["error"] is None
    others = [row for row in timing["steps"] if row["step"] is None]
    assert [row["kind"] for row in others if row["process"] == "supervisor"] == STAGES
    assert [row["kind"] for row in others if row["process"] == "init"] == ["start", "end_of_tree"]
    assert [row["kind"] for row in others if row["process"] == "payload"] == ["start", "command"]


@pytest.mark.parametrize("flags", [[], ["--time-offset", "monotonic=3h"]], ids=["ours", "another-clock"])
def test_the_times_can_be_true(sbx, flags):
    result = timed(sbx, ["sleep", "0.1"], flags).assert_ok().result
    timing = result["timing"]
    starts = [row["start_us"] for row in timing["steps"]]
    assert starts == sorted(starts) and starts[0] == 0
    for process in ("supervisor", "init", "payload"):
        rows = of(timing, process)
        # A process does one thing at a time, in the order of the plan.
        assert all(end(before) <= after["start_us"] + 0.01 for before, after in zip(rows, rows[1:])), rows
        numbers = [row["step"] for row in rows if row["step"] is not None]
        assert numbers == sorted(numbers)
        assert sum(row["took_us"] for row in rows) <= timing["total_us"]
        assert end(rows[-1]) <= timing["total_us"]
    command = next(row for row in timing["steps"] if row["kind"] == "command")
    assert command["start_us"] == timing["exec_us"]
    # Where the command's time begins; that of the exec is when the supervisor saw it.
    load = next(row for row in timing["steps"] if row["text"] == "load the system call filter")
    assert end(command) - load["start_us"] >= 100_000  # a busy host may let the supervisor see the exec late
    assert load["start_us"] - 1 <= result["setup_ms"] * 1000 <= min(end(load), timing["exec_us"]) + 1
    assert result["setup_ms"] + result["wall_ms"] <= timing["total_us"] / 1000


def test_what_init_and_payload_do_overlaps(sbx):
    timing = timed(sbx).assert_ok().result["timing"]
    init, payload = ([row for row in of(timing, process) if row["step"]] for process in ("init", "payload"))
    # Whichever is late, the other one waits for it in a step.
    assert any(a["start_us"] < end(b) and b["start_us"] < end(a) for a in init for b in payload)
    starts = {row["kind"]: row["start_us"] for row in init}
    ends = {row["kind"]: end(row) for row in init + payload}
    assert ends["pivot_root"] <= ends["await_root"] and ends["release_payload"] <= ends["await_release"]
    assert starts["drop_old_root"] <= ends["await_release"], "the payload waits until the old root is gone"


def test_the_table_has_the_same_rows_and_those_after_the_result(sbx):
    run = timed(sbx).assert_ok()
    timing, table = run.result["timing"], table_of(run.err)
    assert run.err.splitlines()[0].startswith(f"sbx: timing of {run.result['id']}: ")
    assert len(table) == len(timing["steps"]) + len(AFTER_THE_RESULT)
    for (ms, us, _, process, step, text), row in zip(table, timing["steps"]):
        assert (process, step, text) == (row["process"], str(row["step"] or "-"), row["text"])
        assert (ms, int(us)) == (pytest.approx(row["start_us"] / 1000, abs=0.001), pytest.approx(row["took_us"], abs=1))
    assert [row[-1] for row in table[len(timing["steps"]):]] == AFTER_THE_RESULT
    dearest = sorted((int(us) for _, us, mark, *_ in table if mark), reverse=True)
    assert len(dearest) == 5
    assert not any(text.startswith("wait") for *_, mark, _, _, text in table if mark is True)
    sums = re.fullmatch(r"to the exec ([\d.]+) ms, the command ([\d.]+) ms, after its end ([\d.]+) ms; in all ([\d.]+) ms",
                        run.err.splitlines()[-1])
    to_exec, command, after, total = map(float, sums.groups())
    assert to_exec + command + after == pytest.approx(total, abs=0.002)
    assert to_exec == pytest.approx(timing["exec_us"] / 1000, abs=0.001) and total > timing["total_us"] / 1000


def test_rows_end_with_the_terminal(sbx):
    run = timed(sbx, tty=True).assert_ok()
    rows = [line for line in run.out.replace("\r", "").splitlines() if re.match(r" *\d+\.\d{3} +\d+  ", line)]
    assert len(rows) > len(planned(sbx)) and max(map(len, rows)) == 80


@pytest.mark.parametrize("finish", ENDS)
def test_the_result_follows_the_schema(sbx, finish):
    schema = json.loads(sbx.call("schema", "result").stdout)
    flags, cmd = ENDS[finish]
    run = timed(sbx, cmd, flags, json=True)
    assert run.status == finish, run
    jsonschema.Draft202012Validator(schema).validate(run.result)
    assert run.out.count("\n") == 1 and run.result["timing"]["steps"]
    assert len(table_of(run.err)) > len(run.result["timing"]["steps"])


def test_a_command_that_is_not_found_fails_in_its_step(sbx):
    run = timed(sbx, ["nosuchprogram"]).assert_status("not_found", 127)
    failed = [row for row in run.result["timing"]["steps"] if row["error"]]
    assert [(row["kind"], row["error"]) for row in failed] == [("resolve_executable", "ENOENT")]
    assert run.result["timing"]["exec_us"] is None
    assert "find the command: failed (ENOENT)\n" in run.err
    assert re.search(r"^no exec; in all [\d.]+ ms$", run.err, re.M)


@pytest.mark.parametrize("phase", ["host", "attend", "init", "payload", "guard"])
def test_a_run_that_fails_shows_how_far_it_came(sbx, weakened, phase):
    steps = planned(sbx, ["sleep", "30"])
    of_phase = [index for index, step in enumerate(steps) if step["phase"] == phase]
    if not of_phase:
        return  # an ordinary user's plan may have nothing to do before clone
    index = of_phase[len(of_phase) // 2]
    run = timed(weakened, ["sleep", "30"], env={"SBX_TEST_FAIL_AT": f"{index}:{errno.EIO}"})
    # init gives up its own rights beside the payload, whose exec may come first.
    told = {"setup_error", "internal_error"} if phase == "guard" else {"setup_error"}
    assert run.code == 125 and run.status in told, run
    assert (run.result["timing"]["exec_us"] is None) == (run.status == "setup_error"), run
    assert f"sbx: step {index + 1}/{len(steps) + 1}: " in run.err
    process = [row for row in of(run.result["timing"], PROCESS[phase]) if row["step"] is not None]
    assert [(row["step"], row["kind"], row["error"]) for row in process if row["error"]] == [(index + 1, "fail", "EIO")]
    assert process[-1]["step"] == index + 1
    assert {row["step"] for row in process} == {
        number for number, step in enumerate(steps, 1) if PROCESS[step["phase"]] == PROCESS[phase] and number <= index} \
        | {index + 1}
    assert sum(text.endswith("fail with errno 5: failed (EIO)") for *_, text in table_of(run.err)) == 1


def test_a_run_that_never_was_has_no_times(sbx):
    run = sbx.call("run", "--timing", "--json", *sbx.degraded, "--ro", "/nonexistent", "--", "true")
    assert run.code == 125 and "timing" not in run.err
    assert json.loads(run.stdout)["timing"] is None


def test_nothing_is_told_unasked(sbx):
    run = sbx.run(cmd=["true"]).assert_ok()
    assert run.result["timing"] is None and "timing" not in run.err
    refused = sbx.call("explain", "--timing", *sbx.degraded, "--", "true")
    refused.assert_refused("`sbx explain` has no flag --timing")
