"""The programs of examples/ do what their heads say."""
import json
import os
import subprocess
import sys

import pytest

from support.cache import ROOT

EXAMPLES = ROOT / "examples"


def start(sbx, command, **more):
    env = {**os.environ, "SBX": str(sbx.binary)}
    return subprocess.run(command, cwd=sbx.cwd, env=env, capture_output=True, text=True, timeout=120, **more)


@pytest.mark.needs("cgroup")
@pytest.mark.parametrize("verdict,code", [
    ("accepted", "print(sum(map(int, input().split())))"), ("wrong answer", "print(4)"),
    ("wrong answer", "import sys; sys.stdout.buffer.write(b'\\xff')"), ("runtime error", "exit(3)"),
    ("time limit", "while True: pass"), ("memory limit", "bytearray(10**9)"),
    ("output limit", "while True: print('x' * 10**6)"),
    ("output limit", "f = open('/tmp/x', 'wb', 0)\nwhile True: f.write(bytes(10**6))"),
])
def test_the_judge_knows_every_end(sbx, verdict, code):
    (sbx.cwd / "expected").write_text("42\n")
    (sbx.cwd / "given").write_text("20 22\n")
    command = ["python3", "-c", "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n" + code]
    run = start(sbx, [sys.executable, EXAMPLES / "judge.py", "expected", "given", "--", *command])
    assert run.stdout.startswith(verdict + ", "), run
    assert run.returncode == (0 if verdict == "accepted" else 1)


@pytest.mark.needs("cgroup")
def test_a_tool_call_says_how_it_ended(sbx):
    run = start(sbx, ["node", EXAMPLES / "tool_call.mjs", "echo done"])
    assert run.stdout.startswith("status: ok (") and "\ndone\n" in run.stdout, run
    run = start(sbx, ["node", EXAMPLES / "tool_call.mjs", "exit 3"])
    assert run.stdout.startswith("status: nonzero (") and run.returncode == 1, run
    run = start(sbx, ["node", EXAMPLES / "tool_call.mjs", "head -c 20M /dev/zero | tee /dev/stderr"])
    assert run.stdout.startswith("status: ok ("), run.stderr


def test_what_a_client_of_mcp_is_given_is_accepted(sbx):
    entry = json.loads((EXAMPLES / "mcp.json").read_text())["mcpServers"]["sandbox"]
    words = [str(sbx.cwd) + ":overlay" if word.startswith("/home/ada/project") else word for word in entry["args"]]
    assert entry["command"] == "sbx" and words[0] == "mcp"
    run = start(sbx, [sbx.binary, *words, *sbx.degraded], stdin=subprocess.DEVNULL)
    assert (run.returncode, run.stderr) == (0, ""), run
