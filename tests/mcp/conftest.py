"""For the tests of `sbx mcp`: servers, and the check that nothing of a session is left."""
import os
import time

import pytest

from support import leftovers
from support.mcp_client import Client

collect_ignore = ["inside"]


@pytest.fixture
def state(tmp_path, monkeypatch):
    """The state folder of this test's sessions."""
    folder = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
def project(sbx):
    """The operator's folder, which is the current one of the servers."""
    (sbx.cwd / "app.py").write_text("print('hello')\n")
    (sbx.cwd / "data").mkdir()
    (sbx.cwd / "data" / "in.csv").write_text("1,2\n")
    return sbx.cwd


@pytest.fixture
def serve(sbx, state):
    """Starts servers: serve(WORDS...) is a Client. After the test no session has left anything."""
    clients = []

    def start(*words, **options):
        clients.append(Client(sbx, *words, **options))
        clients[-1].begin()
        return clients[-1]

    yield start
    for client in clients:
        client.tidy()
    end = time.monotonic() + leftovers.SECONDS_ALLOWED
    while (left := _of_sessions(state)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not left, "left behind: " + ", ".join(left)


def _of_sessions(state):
    mcp, changes = state / "sbx" / "mcp", state / "sbx" / "changes"
    found = [str(path) for path in (mcp.iterdir() if mcp.exists() else ())]
    # ".RUN" is one that somebody was removing when killed: the next run sweeps it.
    for path in changes.glob("[!.]*/changes.json"):
        try:
            found += [str(path)] if str(mcp) in path.read_text(errors="replace") else []
        except FileNotFoundError:  # it has just gone
            pass
    return found


@pytest.fixture
def client(serve, project):
    """A server that lets its client do all that one can."""
    return serve("python", "--workspace", f"{project}:overlay", "--keep", "apply")


@pytest.fixture
def sleepers():
    """A number of seconds that nobody else sleeps, and a count of who does."""
    seconds = str(30000 + os.getpid())

    def count():
        found = 0
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            found += words[:2] == [b"sleep", seconds.encode()]
        return found

    return seconds, count
