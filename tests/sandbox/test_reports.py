"""--json, --result and --events say what the schemas promise, however the run ends."""
import json
import os
import resource
import signal
import stat
import statistics
import subprocess

import jsonschema
import pytest
import yaml

ENDS = {
    "ok": ([], ["echo", "hi"]),
    "nonzero": ([], ["sh", "-c", "exit 3"]),
    "signal": ([], ["sh", "-c", "kill -9 $$"]),
    "timeout": (["--timeout", "200ms"], ["sleep", "9"]),
    "output_limit": (["--stdout-limit", "1K", "--on-exceed", "kill"], ["yes"]),
    "not_found": ([], ["nosuchprogram"]),
    "not_executable": ([], ["/usr"]),
    "setup_error": (["--workdir", "/nowhere"], ["true"]),
}


@pytest.fixture(scope="module")
def schemas(sbx_binary):
    texts = {n: json.loads(subprocess.check_output([sbx_binary, "schema", n])) for n in ("result", "event", "profile")}
    for schema in texts.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    return {name: jsonschema.Draft202012Validator(schema) for name, schema in texts.items()}


@pytest.mark.parametrize("end", ENDS)
def test_json_follows_the_schema(sbx, schemas, end):
    flags, cmd = ENDS[end]
    run = sbx.run(flags=flags, cmd=cmd, json=True)
    assert run.status == end, run
    schemas["result"].validate(run.result)
    assert run.result["argv"] == cmd and run.result["profile"]["name"] == "default"
    assert run.out.count("\n") == 1


# Control sequences as xterm obeys them (C1), a byte that is none of C0, and what turns text around.
OBEYED = "\u009b31m\u009d0;title\u009c\x7f\u202e\u2066\ufeff"


@pytest.mark.needs("overlay")
def test_no_json_has_what_a_terminal_obeys(sbx, tmp_path, monkeypatch):
    """It is looked at in terminals, and in the logs of builds. A reader of JSON finds it as it was."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    script = ("import os, sys\nos.write(1, sys.argv[1].encode() * 10000)\nos.mkdir('out')\n"
              "open('out/' + sys.argv[1], 'w')\nos.symlink(sys.argv[1], 'link')")
    run = sbx.run(flags=["--workspace", ".:overlay", "--keep", "diff", "--events", tmp_path / "events", "--result",
                         tmp_path / "result"], json=True,
                  profile={"version": 1, "artifacts": {"collect": ["/workspace/out/**"]}},
                  cmd=["/usr/bin/python3", "-I", "-S", "-c", script, OBEYED]).assert_ok()
    name = run.result["changes"]["run"]
    texts = [run.out, (tmp_path / "events").read_text(), (tmp_path / "result").read_text()]
    for words in (["diff", name], ["artifacts", "ls", name], ["artifacts", "ls"]):
        texts.append(subprocess.check_output([sbx.binary, *words, "--json"], cwd=sbx.cwd).decode())
    assert run.result["output"]["stdout"]["text"] == OBEYED * 10000
    assert run.result["artifacts"][0]["path"] == "/workspace/out/" + OBEYED
    assert OBEYED in [change["path"].removeprefix("out/") for change in json.loads(texts[3])["changes"]]
    for text in texts:
        assert not {c for c in OBEYED if not c.isascii() or c == "\x7f"} & set(text), ascii(text[:300])


@pytest.mark.parametrize("end", ENDS)
def test_events_follow_the_schema(sbx, schemas, end):
    flags, cmd = ENDS[end]
    run = sbx.run(flags=flags, cmd=cmd, events=True)
    for event in run.events:
        schemas["event"].validate(event)
    assert [e["seq"] for e in run.events] == list(range(len(run.events)))
    assert [e["t_ms"] for e in run.events] == sorted(e["t_ms"] for e in run.events)
    types = [e["type"] for e in run.events]
    assert types[-1] == "result" and types.count("result") == 1
    assert run.events[-1]["result"] == run.result
    if run.result["phase"] == "run":
        assert types[0] == "start" and "exit" in types


def test_the_result_has_every_field_of_the_contract(sbx):
    result = sbx.run(cmd=["true"]).result
    assert set(result) >= {"schema", "id", "profile", "argv", "status", "reason", "phase", "exit_code", "signal",
                           "started_at", "wall_ms", "setup_ms", "cpu_ms", "memory", "pids", "io", "pressure", "output", "denials",
                           "network", "changes", "artifacts", "redactions", "isolation", "warnings", "timing"}
    assert result["schema"] == "sbx.result/1" and result["phase"] == "run"
    assert result["setup_ms"] > 0 and result["wall_ms"] > 0


def test_events_hold_the_output(sbx):
    run = sbx.run(cmd=["sh", "-c", "echo out; echo err >&2"], events=True)
    text = {name: "".join(e["text"] for e in run.events if e["type"] == name) for name in ("stdout", "stderr")}
    assert text == {"stdout": "out\n", "stderr": "err\n"}


def test_a_signal_of_ours_is_an_event(sbx):
    run = sbx.run(flags=["--timeout", "200ms"], cmd=["sleep", "9"], events=True)
    sent = [e for e in run.events if e["type"] == "signal_sent"]
    assert sent[0]["signal"] == signal.SIGKILL and sent[0]["reason"] == "wall_limit"


@pytest.mark.needs("cgroup")
def test_usage_is_measured(sbx, probe):
    run = sbx.run(flags=probe.flags, cmd=["sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]).assert_ok()
    assert run.result["cpu_ms"]["user"] > 10
    assert run.result["memory"]["peak_bytes"] > 100_000 and run.result["memory"]["limit_bytes"] == 512 << 20
    assert run.result["memory"]["oom_kills"] == 0


def cpu_ms_of(run):
    return run.result["cpu_ms"]["user"] + run.result["cpu_ms"]["system"]


def bare_cpu_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    os.waitpid(os.posix_spawn(command, [command], {}), 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


@pytest.mark.parametrize("flags", [[], ["--memory", "none", "--pids", "none", "--swap", "none"]], ids=["as-is", "no-cgroups"])
@pytest.mark.parametrize("orphans", [False, True], ids=["alone", "orphans"])
def test_what_the_set_up_takes_is_not_the_commands(sbx, flags, orphans):
    """It is four times what /bin/true takes. What init needs to kill orphans is not known, and counted."""
    command = ["/bin/sh", "-c", "sleep 9 & exit"] if orphans else ["/bin/true"]
    # In turns: what else the machine does, and what it has left of the caches, meets both.
    turns = [(cpu_ms_of(sbx.run("default", flags=flags, cmd=command).assert_ok()), bare_cpu_ms("/bin/true")) for _ in range(15)]
    inside, outside = map(statistics.median, zip(*turns))
    assert 0 < inside <= (4.5 if orphans else 2.5) * outside, (inside, outside)


def test_the_result_file_is_never_seen_half_written(sbx):
    """A reader that looks all the time sees the old text or the whole new one."""
    path = sbx.cwd / "r.json"
    path.write_text("{}")
    running = sbx.spawn(flags=["--result", "r.json"], cmd=["sh", "-c", "sleep 0.3"], result=False)
    while running.process.poll() is None:
        json.loads(path.read_text())
    assert json.loads(path.read_text())["status"] == "ok"
    assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0
    assert os.listdir(sbx.cwd) == ["r.json"]


def test_no_result_file_appears_when_sbx_is_killed(sbx):
    running = sbx.spawn(flags=["--result", "r.json", "--events", "e.jsonl"], cmd=["sh", "-c", "echo go; sleep 30"],
                        result=False)
    running.read_until(b"go")
    running.kill()
    running.wait()
    assert not (sbx.cwd / "r.json").exists()
    types = [json.loads(line)["type"] for line in (sbx.cwd / "e.jsonl").read_text().splitlines()]
    assert "result" not in types
    assert [n for n in os.listdir(sbx.cwd) if n != "e.jsonl"] == []


def test_argv_that_is_no_utf8_is_still_json(sbx, schemas):
    run = sbx.run(cmd=[b"echo".decode(), os.fsdecode(b"\xff\xfe"), "\x01\"\\"], json=True)
    schemas["result"].validate(run.result)


def test_built_in_profiles_follow_the_profile_schema(sbx, schemas, root_dir):
    for path in sorted((root_dir / "profiles").glob("*.yaml")):
        schemas["profile"].validate(yaml.safe_load(path.read_text()))
