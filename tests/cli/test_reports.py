"""--json, --result and --events: one object, complete or absent, also when the payload never ran."""
import json
import os
import subprocess
import time

import pytest

from support import slow

PAYLOAD = ["sh", "-c", "echo out; echo err >&2; exit 3"]
BAD_LINES = [
    ["--memroy", "1G", "--", "true"],
    ["nosuchprofile", "--", "true"],
    ["--ro", "/nonexistent", "--", "true"],
    ["--memory", "--", "true"],
    [],
]


def check_refusal(result):
    assert (result["schema"], result["status"], result["phase"]) == ("sbx.result/1", "setup_error", "setup")
    assert result["reason"]["text"] and result["exit_code"] is None
    assert result["memory"]["limit_bytes"] is None


@pytest.mark.parametrize("line", BAD_LINES, ids=" ".join)
def test_json_is_one_object_also_for_a_refused_run(sbx, line):
    run = sbx.call("run", "--json", *sbx.degraded, *line)
    assert run.code == 125 and run.err.startswith("sbx: ")
    check_refusal(json.loads(run.stdout))


@pytest.mark.parametrize("line", BAD_LINES, ids=" ".join)
def test_files_get_the_refusal_too(sbx, line):
    run = sbx.call("run", "--result", "r.json", "--events=e.jsonl", *sbx.degraded, *line)
    assert (run.code, run.stdout) == (125, b"")
    check_refusal(json.loads((sbx.cwd / "r.json").read_text()))
    events = [json.loads(text) for text in (sbx.cwd / "e.jsonl").read_text().splitlines()]
    assert [event["type"] for event in events] == ["result"]
    check_refusal(events[0]["result"])


def test_result_file_and_live_output(sbx):
    run = sbx.run(flags=["--result", "r.json"], cmd=PAYLOAD, result=False)
    assert (run.code, run.out, run.err.endswith("err\n")) == (3, "out\n", True)
    text = (sbx.cwd / "r.json").read_text()
    result = json.loads(text)
    assert text.count("\n") == 1 and (result["status"], result["exit_code"]) == ("nonzero", 3)
    assert result["output"]["stdout"]["bytes"] == 4 and "text" not in result["output"]["stdout"]
    assert os.listdir(sbx.cwd) == ["r.json"]


def test_result_file_replaces_and_keeps_others_links(sbx):
    old = sbx.cwd / "r.json"
    old.write_text("old")
    os.link(old, sbx.cwd / "other")
    sbx.run(flags=["--result", "r.json"], cmd=["true"], result=False)
    assert json.loads(old.read_text())["status"] == "ok"
    assert (sbx.cwd / "other").read_text() == "old"
    assert sorted(os.listdir(sbx.cwd)) == ["other", "r.json"]


def test_a_link_in_the_results_place_is_refused(sbx):
    (sbx.folder / "target").write_text("keep me")
    (sbx.cwd / "r.json").symlink_to(sbx.folder / "target")
    for flag in ("--result", "--events"):
        run = sbx.call("run", *sbx.degraded, flag, "r.json", "--", "true")
        run.assert_refused(flag, "symbolic link")
    assert (sbx.folder / "target").read_text() == "keep me"


def test_devices_are_written_to_not_replaced(sbx):
    before = os.stat("/dev/null").st_rdev
    run = sbx.run(flags=["--result", "/dev/null", "--events", "/dev/null"], cmd=["true"], result=False)
    assert run.code == 0 and os.stat("/dev/null").st_rdev == before


@pytest.mark.parametrize("flag", ["--result", "--events", "--junit"])
def test_a_fifo_that_an_earlier_command_left_holds_up_nobody(sbx, flag):
    """It has no reader, and gets none."""
    sbx.run(flags=["--workspace", ".:rw"], cmd=["mkfifo", "report"]).assert_ok()
    run = sbx.call("run", *sbx.degraded, flag, "report", "--", "true", timeout=30 * slow.FACTOR)
    run.assert_refused(flag, "nobody reads the FIFO report", "remove it")
    assert run.err.count("nobody reads") == 1 and run.seconds < 9 * slow.FACTOR, run


def test_fifos_that_nobody_reads_are_waited_for_together(sbx):
    names = ("result", "events", "junit")
    for name in names:
        os.mkfifo(sbx.cwd / name)
    flags = [word for name in names for word in (f"--{name}", name)]
    run = sbx.call("run", *sbx.degraded, *flags, "--", "true", timeout=30 * slow.FACTOR)
    run.assert_refused(*(f"nobody reads the FIFO {name}" for name in names))
    assert 4 < run.seconds < 9 * slow.FACTOR, run


@pytest.mark.parametrize("flag", ["--result", "--events"])
def test_a_fifo_may_get_its_reader_after_the_start(sbx, flag):
    os.mkfifo(sbx.cwd / "report")
    running = sbx.spawn(flags=[flag, "report"], cmd=["true"], result=False)
    time.sleep(0.5)
    with open(sbx.cwd / "report") as reader:
        last = json.loads(reader.read().splitlines()[-1])
    assert running.wait().code == 0 and last.get("result", last)["status"] == "ok", last


def test_result_by_descriptor_does_not_reach_the_payload(sbx):
    run = sbx.run(cmd=["sh", "-c", "ls /proc/self/fd"], events=True)
    run.assert_ok()
    assert set(run.out.split()) <= {"0", "1", "2", "3"}  # 3: ls reads the folder
    assert [event["type"] for event in run.events][-1] == "result"
    assert run.events[-1]["result"]["id"] == run.result["id"]


def test_a_read_only_descriptor_is_refused(sbx):
    with open("/dev/null", "rb") as file:
        done = subprocess.run([sbx.binary, "run", *sbx.degraded, "--result", f"fd:{file.fileno()}", "--", "true"],
                              pass_fds=[file.fileno()], capture_output=True, text=True, cwd=sbx.cwd)
    assert done.returncode == 125 and "not open for writing" in done.stderr


def test_a_result_that_cannot_be_written_is_no_success(sbx):
    run = sbx.run(flags=["--result", "/dev/full"], cmd=["true"], result=False)
    assert run.code == 125 and "result" in run.err
    run = sbx.run(flags=["--result", "/dev/full"], cmd=["false"], result=False)
    assert run.code == 1 and "result" in run.err


def test_closed_standard_streams_are_harmless(sbx):
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        script = f'"$0" run {" ".join(sbx.degraded)} --result r.json -- true {closed}'
        subprocess.run(["bash", "-c", script, sbx.binary], cwd=sbx.cwd, check=True)
        assert json.loads((sbx.cwd / "r.json").read_text())["status"] == "ok"


def test_json_prints_nothing_else(sbx):
    run = sbx.run(cmd=PAYLOAD, json=True)
    assert run.code == 3 and run.out.count("\n") == 1
    assert run.result["output"]["stdout"]["text"] == "out\n" and run.result["output"]["stderr"]["text"] == "err\n"


@pytest.mark.parametrize("flag", ["--result", "--events", "--junit", "--log"])
def test_a_dash_is_no_file(sbx, flag):
    for words in ([flag, "-"], [f"{flag}=-"]):
        sbx.call("run", *sbx.degraded, *words, "--", "true").assert_refused(f"{flag} takes a file, and - is none", "./-")
        assert not (sbx.cwd / "-").exists()
    assert sbx.call("run", *sbx.degraded, flag, "./-", "--", "true").code == 0 and (sbx.cwd / "-").read_text()
