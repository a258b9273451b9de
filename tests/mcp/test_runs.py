"""What the run_* tools give, and that a client may ask for less than the operator allows and never for more."""
import base64
import json
import resource
import shutil
import time

import jsonschema
import pytest

from support import leftovers


@pytest.fixture
def schemas(client):
    return {tool["name"]: jsonschema.Draft202012Validator(tool["outputSchema"])
            for tool in client.request("tools/list")["tools"]}


def test_every_tool_gives_what_its_output_schema_says(client, schemas):
    calls = [("run_command", {"argv": ["sh", "-c", "echo out; echo err >&2; exit 3"]}), ("run_python", {"code": "print(6*7)"}),
             ("run_node", {"code": "console.log(process.argv.slice(1).join())", "args": ["-a", "b"]}),
             ("run_shell", {"script": "echo $1 $2; cat", "args": ["-x", "y"], "stdin": "fed"}),
             ("run_shell", {"script": "head -c 300000 /dev/zero"}), ("run_shell", {"script": "printf '\\377'"}),
             ("run_command", {"argv": ["nosuch"]}), ("run_shell", {"script": "keyctl show"}),
             ("run_command", {"argv": ["sleep", "9"], "timeout": "300ms"}),
             ("write_file", {"path": "n/x.bin", "base64": "AP8="}), ("read_file", {"path": "n/x.bin"}),
             ("read_file", {"path": "app.py"}), ("list_files", {}), ("diff", {}),
             ("collect_artifacts", {"patterns": ["**/*.bin", "app.py"]}), ("apply", {})]
    given = []
    for name, arguments in calls:
        result = client.call(name, **arguments)
        schemas[name].validate(result["structuredContent"])
        given.append(result)
    assert {name for name, _ in calls} == set(schemas)
    command, python, node, shell, long, bytes_, absent, denied, late = (one["structuredContent"] for one in given[:9])
    assert (command["status"], command["exit_code"], command["stderr"]["text"]) == ("nonzero", 3, "err\n")
    assert (python["stdout"]["text"], node["stdout"]["text"], shell["stdout"]["text"]) == ("42\n", "-a,b\n", "-x y\nfed")
    assert long["stdout"]["truncated"] is True and long["stdout"]["bytes"] == 300000
    assert bytes_["stdout"]["base64"] == "/w=="
    assert absent["status"] == "not_found" and late["status"] == "timeout" and late["wall_ms"] < 9000
    assert any("keyctl" in one["operation"] and "@keyring" in one["allow_with"] for one in denied["denials"])
    # What the sandbox decided is an error for the model; what the program returned is its answer.
    assert [one["isError"] for one in given[:9]] == [False] * 6 + [True, False, True]


@pytest.mark.parametrize("tool, code, out, err", [
    ("run_shell", {"script": "-x; echo $0 $1", "args": ["-y"]}, "sh -y\n", "-x"), ("run_shell", {"script": "-c echo"}, "", "-c"),
    ("run_shell", {"script": "--"}, "", "--"), ("run_shell", {"script": ""}, "", ""),
    ("run_node", {"code": "-1+2; console.log(process.argv.slice(1).join())", "args": ["-p", "x"]}, "-p,x\n", ""),
    ("run_node", {"code": "--globalThis.n || console.log(-7)"}, "-7\n", ""), ("run_node", {"code": ""}, "", ""),
    ("run_python", {"code": "-1; print(5)"}, "5\n", ""), ("run_python", {"code": "-c"}, "", "NameError"),
    ("run_python", {"code": ""}, "", "")])
def test_code_that_begins_with_a_dash_is_code(client, tool, code, out, err):
    run = client.call(tool, **code)["structuredContent"]
    assert run["stdout"]["text"] == out and err in run["stderr"]["text"] and bool(err) == bool(run["stderr"]["text"]), run


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox"])
def test_each_shell_takes_a_script_that_begins_with_a_dash(serve, project, tmp_path, shell):
    """Whatever `sh` is: it is put before the host's."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").write_text(f'#!/bin/bash\nexec -a sh {shutil.which(shell)} "$@"\n')
    (tmp_path / "bin" / "sh").chmod(0o755)
    client = serve("python", "--ro", f"{tmp_path}/bin:/opt/bin", "--env", "PATH=/opt/bin:/usr/bin:/bin")
    run = client.call("run_shell", script="-x; echo $0 $1", args=["-y"])["structuredContent"]
    assert run["stdout"]["text"] == "sh -y\n" and "-x" in run["stderr"]["text"], run


def test_a_setup_that_fails_says_why(client):
    result = client.call("run_command", argv=["true"], workdir="/no/such/folder")
    assert result["isError"] and result["structuredContent"]["status"] == "setup_error"
    assert "/no/such/folder" in result["content"][0]["text"]


LONG = "x" * 200_000
BOUNDS = ["--timeout", "20s", "--cpu-time", "5s", "--idle", "4s", "--memory", "300M", "--pids", "40", "--stdout-limit", "64K",
          "--stderr-limit", "32K"]


@pytest.mark.parametrize("argument, beyond, key, bound", [
    ("timeout", "21s", "limits.wall", "20s"), ("cpu_time", "5001ms", "limits.cpu", "5s"),
    ("idle", "1h", "limits.idle", "4s"), ("memory", "301M", "limits.memory", "300M"),
    ("memory", "16T", "limits.memory", "300M"), ("pids", 41, "limits.pids", "40"),
    ("output", "65K", "limits.output.stdout", "64K"), ("output", "33K", "limits.output.stderr", "32K")])
def test_what_is_beyond_a_bound_is_refused_by_its_name(serve, argument, beyond, key, bound):
    client = serve("python", *BOUNDS)
    text = client.refused("run_shell", script="echo ran", **{argument: beyond})
    assert f"`{argument}`" in text and f"({key}: {bound})" in text and "ran" not in text


@pytest.mark.parametrize("argument, value", [
    ("timeout", "0"), ("timeout", "none"), ("timeout", "10"), ("timeout", "-1s"), ("timeout", 10), ("cpu_time", "0s"),
    ("memory", "0"), ("memory", "none"), ("memory", "lots"), ("pids", 0), ("pids", -1), ("pids", "4"), ("pids", 1.5),
    ("output", "none"), ("output", "1G"), ("env", {"A B": "x"}), ("env", {"": "x"}), ("env", {"A=B": "x"}), ("env", {"PATH": "/x"}),
    ("env", {"MPLBACKEND": "x"}), ("env", {"KEY": "x"}), ("env", {"A": 1}), ("env", {"A": "nul\0"}), ("env", ["A"]),
    ("workdir", "relative"), ("stdin", 5), ("script", "nul\0"), ("args", ["nul\0"]), ("args", "x"), ("net", "host"),
    ("profile", "build"), ("workspace", "/"), ("script", LONG)], ids=lambda value: repr(value)[:30])
def test_what_loosens_or_makes_no_sense_is_refused(serve, monkeypatch, argument, value):
    monkeypatch.setenv("SBX_TEST_KEY", "operators-own-key")
    client = serve("python", "--set", 'secrets={key: {from: "env:SBX_TEST_KEY", env: KEY}}')
    before = len(client.call("list_files")["structuredContent"]["files"])
    text = client.refused("run_shell", **{"script": "touch ran", argument: value})
    assert argument in text or "longer" in text
    assert len(client.call("list_files")["structuredContent"]["files"]) == before


def test_a_command_is_no_longer_than_can_be_executed(client):
    large = {f"V{i}": "x" * 100_000 for i in range(100)}
    assert "with `env`, is longer than 1M" in client.refused("run_shell", script="echo ran", env=large)
    assert "is longer than 1M" in client.refused("run_command", argv=["true"] + ["xxx"] * 90_000)
    some = dict(list(large.items())[:8])
    assert client.shell("echo ${#V7}", env=some)["stdout"]["text"] == "100000\n"
    # What the kernel does not take is told with its reason: here the operator has lowered the limit.
    resource.prlimit(client.process.pid, resource.RLIMIT_STACK, (1 << 20, resource.RLIM_INFINITY))
    assert "Argument list too long" in client.refused("run_shell", script="echo ran", env=some)


def test_what_is_within_the_bounds_holds(serve):
    client = serve("python", *BOUNDS)
    assert client.call("run_shell", script="sleep 9", timeout="200ms")["structuredContent"]["status"] == "timeout"
    assert client.call("run_shell", script="sleep 9", idle="200ms")["structuredContent"]["status"] == "idle_timeout"
    assert client.shell("head -c 9999 /dev/zero | tr '\\0' x", output="1K")["stdout"]["truncated"] is True
    run = client.shell("echo $MINE; pwd", env={"MINE": "a b\n\"'$(id)"}, workdir="/tmp")
    assert run["stdout"]["text"] == "a b \"'$(id)\n/tmp\n" or run["stdout"]["text"] == "a b\n\"'$(id)\n/tmp\n"


@pytest.mark.needs("cgroup:pids")
def test_the_clients_own_limit_of_processes_holds(serve):
    client = serve("python")
    assert client.call("run_shell", script="sleep 0.1 & sleep 0.1 & wait", pids=1)["structuredContent"]["exit_code"] != 0
    assert client.shell("sleep 0.1 & sleep 0.1 & wait")["status"] == "ok"


@pytest.mark.needs("cgroup:memory")
def test_the_clients_own_limit_of_memory_holds(serve):
    client = serve("python")
    result = client.call("run_python", code="x = b'x' * (200 << 20)", memory="64M")
    assert result["structuredContent"]["status"] == "oom" and result["isError"] is True


def test_only_what_the_profile_can_execute_is_offered(serve):
    named = {"judge": set(), "python": {"run_python", "run_shell"}}
    for profile, at_least in named.items():
        listed = {tool["name"] for tool in serve(profile).request("tools/list")["tools"]}
        assert "run_command" in listed and at_least <= listed
    empty = serve("default", "--root", "empty")
    listed = {tool["name"] for tool in empty.request("tools/list")["tools"]}
    assert not listed & {"run_python", "run_node", "run_shell"} and "run_command" in listed
    assert empty.error("tools/call", name="run_shell", arguments={"script": "id"})["code"] == -32602


def test_one_process_is_too_few_for_node(serve):
    listed = {tool["name"] for tool in serve("node", "--pids", "2", "--timeout", "3s").request("tools/list")["tools"]}
    assert "run_node" not in listed


def test_nothing_of_the_operators_environment_is_inside(serve, monkeypatch):
    monkeypatch.setenv("SBX_TEST_TOKEN", "do-not-show-this")
    monkeypatch.setenv("LANG", "de_DE.operator")
    client = serve("python")  # a profile that passes LANG
    everything = client.shell("env; cat /proc/*/environ 2>/dev/null; cat /proc/1/cmdline")
    told = json.dumps(everything)
    assert "do-not-show-this" not in told and "operator" not in told and "XDG_STATE_HOME" not in told
    # The control: sbx run passes what its profile names.
    assert "de_DE.operator" in client.sbx.run("python", cmd=["env"]).out


def test_a_secret_of_the_operators_is_used_and_not_shown(serve, monkeypatch):
    monkeypatch.setenv("SBX_TEST_KEY", "operators-own-key")
    client = serve("python", "--secret", "key=env:SBX_TEST_KEY")
    run = client.shell("wc -c < /run/secrets/key; cat /run/secrets/key")
    assert run["stdout"]["text"] == "17\n[redacted:key]"


def test_a_secret_that_a_command_has_written_down_is_masked_in_every_tool(serve, monkeypatch):
    monkeypatch.setenv("SBX_TEST_KEY", "operators-own-key")
    client = serve("python", "--secret", "key=env:SBX_TEST_KEY")
    client.shell("cp /run/secrets/key plain; base64 /run/secrets/key > coded; touch $(cat /run/secrets/key)"
                 "; { printf '\\0'; cat /run/secrets/key; } > bytes; chmod 644 plain")
    told = [client.call("read_file", path=name) for name in ("plain", "coded", "bytes")]
    told += [client.call("list_files"), client.call("diff"), client.call("collect_artifacts", patterns=["*"])]
    told += [client.request("resources/read", uri=one["uri"]) for one in client.request("resources/list")["resources"]]
    # The control: it is there, and without its mask it would be seen.
    assert client.shell("wc -c < plain; ls | wc -l")["stdout"]["text"].split()[0] == "17"
    assert "[redacted:key]" in json.dumps(told[0]) and len(told) >= 8
    for one in told:
        text = json.dumps(one)
        assert "operators-own-key" not in text and "b3BlcmF0b3JzLW93bi1rZX" not in text, text
        for content in one.get("contents", []):
            assert b"operators" not in base64.b64decode(content.get("blob", ""))


@pytest.mark.parametrize("redact", [True, False], ids=["masked", "control"])
def test_a_secret_in_a_long_name_is_masked(serve, monkeypatch, redact):
    """What is told of names is not cut before that."""
    monkeypatch.setenv("SBX_TEST_KEY", "operators-own-key")
    client = serve("python", "--set", 'secrets={key: {from: "env:SBX_TEST_KEY", redact: %s}}' % json.dumps(redact))
    run = client.shell(f'name={"x" * 190}$(cat /run/secrets/key)$(printf %040d 0); touch $name; chmod 0 $name')
    assert "closed to its owner" in run["warnings"][0] and ("operators" in json.dumps(run)) != redact
    missing = client.error("resources/read", uri="sbx://artifact/operators-own-key")
    assert ("operators" in json.dumps(missing)) != redact


@pytest.mark.parametrize("redact", [True, False], ids=["masked", "control"])
def test_a_secret_that_a_part_of_a_file_cuts_in_two_is_masked(serve, monkeypatch, redact):
    value = "operators-own-key"
    monkeypatch.setenv("SBX_TEST_KEY", value)
    client = serve("python", "--set", 'secrets={key: {from: "env:SBX_TEST_KEY", redact: %s}}' % json.dumps(redact))
    client.shell("{ echo head:; cat /run/secrets/key; echo; echo after; } > plain; chmod 644 plain; base64 -w 0 plain > coded")
    whole = f"head:\n{value}\nafter\n"
    for name, text, form in (("plain", whole, value), ("coded", base64.b64encode(whole.encode()).decode(),
                                                       base64.b64encode(value.encode()).decode()[:20])):
        assert client.call("read_file", path=name)["structuredContent"]["size"] == len(text)
        shown = [client.call("read_file", path=name, offset=cut, length=4)["structuredContent"]["text"] for cut in range(len(text))]
        secret = range(text.index(form), text.index(form) + len(form) - 3)
        assert [shown[cut] == text[cut:cut + 4] for cut in secret] == [not redact] * len(secret)
        assert [("[redacted:key]" in shown[cut]) for cut in secret] == [redact] * len(secret)
        assert shown[0] == text[:4] and shown[-4] == text[-4:]
    client.shell("{ head -c 1000000 /dev/zero | tr '\\0' x; cat plain; head -c 1000000 /dev/zero | tr '\\0' x; } > far")
    for cut, text in ((999_999, "xhea"), (1_000_008, "erat")):
        shown = client.call("read_file", path="far", offset=cut, length=4)["structuredContent"]["text"]
        assert shown == (text if text == "xhea" or not redact else "[redacted:key]")


def test_what_the_operator_gives_commands_to_read_they_read(serve, project):
    (project / "given").write_text("from the operator\n")
    client = serve("python", "--set", f"stdio.stdin={project}/given")
    assert client.shell("cat")["stdout"]["text"] == "from the operator\n"
    assert "stdio.stdin" in client.refused("run_shell", script="cat", stdin="mine")


def test_a_profile_that_changes_meanwhile_is_not_followed(serve, project):
    profile = project / "own.yaml"  # in the folder that the command may write to
    profile.write_text("version: 1\nworkspace: {mode: rw}\nlimits: {pids: 64}\n")
    client = serve("./own.yaml")
    assert client.shell("sed -i s/64/128/ own.yaml; ulimit -c")["status"] == "ok"
    result = client.call("run_shell", script="echo ran")
    assert result["isError"] and result["structuredContent"]["status"] == "setup_error"
    assert "not the one asked for" in result["content"][0]["text"]
    profile.write_text("version: 1\nworkspace: {mode: rw}\nlimits: {pids: 64}\n")
    assert client.shell("echo ran")["stdout"]["text"] == "ran\n"


def test_output_comes_as_progress_while_it_runs(client):
    number = client.start("run_python", progress="p-1", code="import time\nfor i in range(3):\n  print(i, flush=True); time.sleep(.3)")
    client.wait_for_note("0")
    assert number not in client.answers
    result = client.response(number)["result"]
    notes = [note["params"] for note in client.notes]
    assert {note["progressToken"] for note in notes} == {"p-1"}
    assert all(a["progress"] < b["progress"] for a, b in zip(notes, notes[1:]))
    assert "".join(note["message"] for note in notes) == result["structuredContent"]["stdout"]["text"] == "0\n1\n2\n"


def test_who_wants_no_progress_gets_none(client):
    client.call("run_shell", script="echo 1; echo 2")
    assert not client.notes


def test_runs_have_the_name_of_the_program(client):
    """In ps(1), and not that of the link by which the server starts them."""
    number = client.start("run_shell", progress="p-1", script="echo ready; sleep 1")
    client.wait_for_note("ready")
    names = set(leftovers.descendants(client.process.pid).values())
    assert "sbx" in names and "exe" not in names, names
    client.response(number)


def test_ten_calls_go_on_at_the_same_time(client):
    began = time.monotonic()
    script = "echo $$ > n$1; i=0; while [ $(ls /tmp/.. >/dev/null; echo $i) -lt 10 ]; do sleep 0.1; i=$((i+1)); done; echo $1"
    numbers = [client.start("run_shell", script=script, args=[str(i)]) for i in range(10)]
    results = [client.response(number)["result"]["structuredContent"] for number in numbers]
    assert [one["stdout"]["text"] for one in results] == [f"{i}\n" for i in range(10)]
    assert all(one["changes"]["kept"] for one in results)
    longest = max(one["wall_ms"] for one in results) / 1000
    assert time.monotonic() - began < sum(one["wall_ms"] for one in results) / 1000 and longest >= 1
    assert len(client.call("list_files")["structuredContent"]["files"]) == 10 + 3


def test_more_calls_than_run_at_once_wait_for_their_turn(client):
    numbers = [client.start("run_shell", script="echo $1", args=[str(i)]) for i in range(40)]
    assert [client.response(n)["result"]["structuredContent"]["stdout"]["text"] for n in numbers] == [f"{i}\n" for i in range(40)]
