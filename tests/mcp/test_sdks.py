"""The official clients list and call every tool: the SDKs for Python and TypeScript, and the MCP inspector.

Each checks what it gets by the protocol's own schemas, and a tool's data by its output schema. They are installed by
scripts/setup; what they do is in calls.json, and in inside/ and node/."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support import features
from support.cache import made

HERE = Path(__file__).resolve().parent
COUNT = len(json.loads((HERE / "calls.json").read_text())["calls"])


@pytest.fixture
def server(sbx, state, project):
    degraded = [] if features.why_not("cgroup") is None else ["--degrade", "cgroup"]
    return [str(sbx.binary), "mcp", "python", "--workspace", f"{project}:overlay", "--keep", "apply", *degraded]


@pytest.fixture
def node_folder(tmp_path):
    """The scripts beside the packages, as Node looks for them."""
    folder = tmp_path / "node"
    folder.mkdir()
    shutil.copy(HERE / "node" / "sdk.mjs", folder)
    (folder / "node_modules").symlink_to(made("mcp-node", "node_modules"))
    return folder


def run(words, cwd):
    done = subprocess.run([str(word) for word in words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=180)
    assert done.returncode == 0, done.stdout[-6000:]
    return done.stdout


def nothing_is_left(state, sbx):
    assert not list((state / "sbx" / "mcp").iterdir())
    for kept in json.loads(sbx.call("diff", "--json").stdout):
        sbx.call("discard", kept["run"])
    sleeping = [pid for pid in filter(str.isdigit, os.listdir("/proc")) if b"\x0031337\0" in _words(pid)]
    assert not sleeping


def _words(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.parametrize("mode, revision", [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")])
def test_the_python_sdk_calls_every_tool(sbx, state, server, project, mode, revision):
    python = made("mcp-venv", "bin", "python3")
    said = run([python, HERE / "inside" / "python_sdk.py", mode, HERE / "calls.json", *server], project)
    assert said == f"ok {revision} {COUNT} calls\n"
    assert (project / "out" / "made.txt").read_text() == "made\n"
    nothing_is_left(state, sbx)


@pytest.mark.parametrize("version, revision", [("v1", "2025-11-25"), ("v2-legacy", "2025-11-25"), ("v2", "2026-07-28")])
def test_the_typescript_sdk_calls_every_tool(sbx, state, server, project, node_folder, version, revision):
    if version != "v1" and int(run(["node", "-p", "process.versions.node.split('.')[0]"], project)) < 20:
        pytest.skip("the second TypeScript SDK needs Node.js 20")
    said = run(["node", node_folder / "sdk.mjs", version, HERE / "calls.json", *server], project)
    assert said == f"ok {revision} {COUNT} calls\n"
    assert (project / "out" / "made.txt").read_text() == "made\n"
    nothing_is_left(state, sbx)


def test_the_inspector_lists_and_calls(sbx, state, server, project, node_folder):
    inspector = ["node", node_folder / "node_modules" / "@modelcontextprotocol" / "inspector" / "cli" / "build" / "cli.js", "--cli"]

    def ask(*words):
        return json.loads(run([*inspector, "-e", f"XDG_STATE_HOME={state}", *server, *words], project))

    assert len(ask("--method", "tools/list")["tools"]) == 10
    called = ask("--method", "tools/call", "--tool-name", "run_python", "--tool-arg", "code=print(6*7)")
    assert called["structuredContent"]["stdout"]["text"] == "42\n"
    assert ask("--method", "resources/list")["resources"] == []
    assert len(ask("--method", "resources/templates/list")["resourceTemplates"]) == 1
    nothing_is_left(state, sbx)
