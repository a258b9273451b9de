"""`sbx ps`, `kill` and `stats`: live runs are found, told about and steered."""
import json
import os
import re
import signal
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandbox.live_runs import ended_by_kill, only, ps, start
from support import cgroups
from support.terminal import Terminal
from support.waiting import state_of


def check_form(value, schema, place="run", root=None):
    """Every key is in the schema, and every required one in the value."""
    root = root or schema
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        assert set(value) <= set(schema["properties"]), place
        assert set(schema["required"]) <= set(value), place
        for key, inner in value.items():
            check_form(inner, schema["properties"][key], f"{place}.{key}", root)


def test_a_live_run_is_listed_with_all_its_schema_has(sbx):
    assert ps(sbx) == []
    running = start(sbx)
    listed = only(sbx)
    schema = json.loads(sbx.call("schema", "live").stdout)
    check_form(listed, schema)
    assert set(listed) == set(schema["properties"])
    assert (listed["state"], listed["profile"]) == ("running", "default")
    assert listed["command"] == "bash -c 'echo ready; exec sleep 30'"
    assert listed["pid"] in {pid for pid, _ in running.processes()} and 0 <= listed["elapsed_ms"] < 20000
    table = sbx.call("ps").out.splitlines()
    assert table[0].split() == ["RUN", "PID", "STATE", "PROFILE", "ELAPSED", "MEMORY", "COMMAND"]
    assert table[1].split()[:4] == [listed["id"], str(listed["pid"]), "running", "default"]
    running.signal(signal.SIGINT)
    assert running.wait().result["id"] == listed["id"]
    assert ps(sbx) == [] and os.listdir(os.environ["XDG_RUNTIME_DIR"] + "/sbx") == []


def test_the_start_event_is_late_enough_to_steer_the_run(sbx):
    """Whoever sees the payload's first output, or the event of its start, finds the run."""
    for _ in range(10):
        running = start(sbx)
        assert sbx.call("kill", only(sbx)["id"]).code == 0
        ended_by_kill(running)


def test_the_table_is_cut_to_the_terminal(sbx):
    running = start(sbx, ": " + "é" * 300 + "; echo ready; exec sleep 30")
    terminal = Terminal(columns=90)
    assert subprocess.run([sbx.binary, "ps"], stdout=terminal.side).returncode == 0
    head, line = os.read(terminal.fd, 65536).decode().splitlines()
    assert len(head) < 90 and len(line) == 90 and line.endswith("é")
    terminal.close_side()
    terminal.close()
    running.signal(signal.SIGINT)
    running.wait()


@pytest.mark.parametrize("part", [slice(None), slice(-8, None), slice(0, 15), slice(-2, None)], ids=str)
def test_kill_ends_a_run_named_by_any_part_that_is_unique(sbx, part):
    running = start(sbx, "trap '' TERM INT HUP QUIT; sleep 30 & echo ready; sleep 30")
    began = time.monotonic()
    run = sbx.call("kill", only(sbx)["id"][part])
    # It returns when nothing of the run is left.
    assert (run.code, run.stdout, run.stderr) == (0, b"", b"") and time.monotonic() - began < 5
    assert not [n for n in running.processes().values() if n in ("bash", "sleep")]
    ended_by_kill(running)


def test_a_name_that_means_several_or_none_is_told(sbx):
    runs = [start(sbx), start(sbx)]
    ids = [run["id"] for run in ps(sbx)]
    for verb in ("kill", "pause", "resume", "stats"):
        sbx.call(verb, "20").assert_refused("can be any of 2 runs", *ids)
        sbx.call(verb, "nosuchrun").assert_refused("no live run is called nosuchrun", "sbx ps")
        sbx.call(verb, "").assert_refused("no live run")
    # All or nothing: a wrong name among right ones does nothing to those.
    sbx.call("kill", ids[0], "nosuchrun").assert_refused("nosuchrun")
    assert [run["id"] for run in ps(sbx)] == ids
    assert sbx.call("kill", *ids).code == 0
    for running in runs:
        ended_by_kill(running)


def test_kill_all(sbx):
    assert sbx.call("kill", "--all").code == 0
    runs = [start(sbx) for _ in range(5)]
    assert sbx.call("kill", "--all").code == 0
    for running in runs:
        ended_by_kill(running)
    for line in (["kill"], ["kill", "--all", "x"], ["pause"], ["ps", "x"], ["stats", "a", "b"],
                 ["kill", "--all", "--signal", "STOP"], ["stats", "--watch", "--interval", "5"],
                 ["stats", "--interval", "5s"]):
        sbx.call(*line).assert_refused()


def test_kill_returns_when_nothing_is_left(sbx, monkeypatch):
    monkeypatch.chdir(sbx.folder)
    for _ in range(15):
        running = start(sbx, "for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; echo ready; wait")
        listed = only(sbx)
        (path,) = Path(os.environ["XDG_RUNTIME_DIR"], "sbx").glob("*.sock")
        with socket.socket(socket.AF_UNIX) as client:  # as `sbx kill` does, which itself takes longer to end
            client.connect(os.path.relpath(path))
            client.sendall(b'{"do":"kill"}\n')
            assert b'"ok":true' in client.recv(4096)
        assert state_of(listed["pid"])[0] == "X" and not [g for g in cgroups.groups_of_runs() if listed["id"] in g]
        ended_by_kill(running)


@pytest.mark.parametrize("name", ["TERM", "SIGUSR1"])
def test_kill_with_a_signal_sends_just_that(sbx, name):
    number = signal.Signals["SIG" + name.removeprefix("SIG")]
    running = start(sbx, f"trap 'echo got it; exit 7' {name}; echo ready; while :; do sleep 0.05 & wait; done")
    assert sbx.call("kill", only(sbx)["id"], "--signal", name).code == 0
    assert "got it" in running.wait(timeout=10).assert_nonzero(7).out
    running = start(sbx)
    assert sbx.call("kill", only(sbx)["id"], "--signal", name).code == 0
    run = running.wait(timeout=10).assert_status("interrupted", 128 + number)
    assert "killed by sbx kill" in run.result["reason"]["text"]


@pytest.mark.needs("cgroup")
def test_stats_of_a_run(sbx):
    script = "x=$(head -c 30000000 /dev/zero | tr '\\0' x); sleep 30 & echo ready; wait"
    running = start(sbx, script, "--memory", "100M", "--pids", "20")
    name = only(sbx)["id"]
    stats = json.loads(sbx.call("stats", name, "--json").stdout)
    assert stats["memory"]["limit_bytes"] == 100 << 20 and 20 << 20 < stats["memory"]["bytes"] < 100 << 20
    assert stats["memory"]["peak_bytes"] >= stats["memory"]["bytes"]
    assert stats["pids"]["limit"] == 20 and stats["pids"]["current"] == 2  # bash, sleep
    assert [stats] != [] and json.loads(sbx.call("stats", "--json").stdout)[0]["id"] == name
    head, line = sbx.call("stats").out.splitlines()
    assert head.split()[:2] == ["RUN", "STATE"] and line.split()[0] == name and "100M" in line
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)


def test_watched_stats_end_with_the_run(sbx):
    running = start(sbx, "echo ready; sleep 1.5")
    name = only(sbx)["id"]
    run = sbx.call("stats", name, "--json", "--watch", "--interval", "200ms", timeout=20)
    lines = [json.loads(line) for line in run.out.splitlines()]
    assert run.code == 0 and len(lines) >= 3 and {line["id"] for line in lines} == {name}
    running.wait().assert_ok()
    assert sbx.call("stats", "--watch").code == 0


@pytest.mark.needs("cgroup")
def test_events_tell_what_a_run_uses(sbx):
    run = sbx.run(flags=["--usage-interval", "100ms", "--pids", "20"], cmd=["sleep", "1"], events=True).assert_ok()
    assert run.events[0]["type"] == "start" and run.events[0]["id"] == run.result["id"]
    usage = [event for event in run.events if event["type"] == "usage"]
    assert 3 <= len(usage) <= 11
    for event in usage:
        assert event["pids"]["limit"] == 20 and event["memory"]["bytes"] > 0
        assert set(event) == {"v", "seq", "t_ms", "type", "cpu_ms", "memory", "pids", "io", "pressure"}
    assert [event["seq"] for event in run.events] == list(range(len(run.events)))
    assert "usage" not in {event["type"] for event in sbx.run(cmd=["sleep", "0.3"], events=True).events}
    for wrong in ("0s", "1ms", "1", "25h"):
        sbx.call("run", *sbx.degraded, "--usage-interval", wrong, "--", "true").assert_refused("usage")


def test_a_run_that_is_asked_all_the_time_ends_as_ever(sbx):
    running = start(sbx, "echo ready; sleep 1; echo end")
    with ThreadPoolExecutor(8) as pool:
        for run in pool.map(lambda _: sbx.call("ps"), range(100)):
            assert run.code == 0
    assert "end" in running.wait().assert_ok().out


@pytest.mark.slow
def test_thirty_runs_are_listed_and_killed_together(sbx):
    with ThreadPoolExecutor(30) as pool:
        runs = list(pool.map(lambda _: start(sbx, "echo ready; exec sleep 60"), range(30)))
    began = time.monotonic()
    listed = ps(sbx)
    assert time.monotonic() - began < 2
    assert len({run["id"] for run in listed}) == 30 and {run["state"] for run in listed} == {"running"}
    assert [run["id"] for run in listed] == sorted(run["id"] for run in listed)
    assert sbx.call("kill", "--all").code == 0
    for running in runs:
        ended_by_kill(running)


def test_a_stopped_supervisor_is_no_reason_to_wait(sbx):
    running = start(sbx)
    name = only(sbx)["id"]
    running.signal(signal.SIGSTOP)
    began = time.monotonic()
    assert ps(sbx) == [{"id": name, "state": "unresponsive"}]
    assert "unresponsive" in sbx.call("ps").out and time.monotonic() - began < 5
    running.signal(signal.SIGCONT)
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)


@pytest.mark.needs("root")
def test_without_a_session_folder_root_has_run_sbx(sbx, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    running = start(sbx)
    name = next(run["id"] for run in ps(sbx) if run.get("pid") in {pid for pid, _ in running.processes()})
    assert [p for p in os.listdir("/run/sbx") if re.fullmatch(rf"{name}\.{running.pid}\.sock", p)]
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)
    assert not list(Path("/run/sbx").glob(f"{name}*"))


@pytest.mark.needs("user")
def test_without_a_session_folder_a_user_has_a_private_one(sbx, monkeypatch):
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    running = start(sbx)
    name = next(run["id"] for run in ps(sbx) if run.get("pid") in {pid for pid, _ in running.processes()})
    folders = [Path(f"/run/user/{os.getuid()}/sbx"), Path(f"/tmp/.sbx-{os.getuid()}")]
    found = [folder for folder in folders if list(folder.glob(f"{name}.*.sock"))]
    assert len(found) == 1 and found[0].stat().st_mode & 0o777 == 0o700
    assert sbx.call("kill", name).code == 0
    ended_by_kill(running)
