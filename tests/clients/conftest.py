"""For the tests of the clients: the Python package from the tree, and a state folder of the test's own."""
import os
import sys
from pathlib import Path

import pytest

from clients import python_table as table
from support import cache, features

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / "clients" / "python"
STUBBORN = "trap '' TERM INT HUP; mkdir -p a/b; chmod 0 a/b; sleep {0} & echo ready; wait; sleep {0}"

sys.path.insert(0, str(PYTHON / "src"))


@pytest.fixture
def guarded():
    """The guardian of this process, started before the look at what is there: it stays, as nobody's leftover."""
    from sbx import guardian
    guardian.group()


@pytest.fixture
def client(guarded, sbx, tmp_path, monkeypatch):
    """The Python package, which finds the sbx under test. Nothing of its runs may be left afterwards."""
    import sbx as package
    monkeypatch.setenv("SBX_BIN", sbx.binary)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(sbx.cwd)
    return package


@pytest.fixture
def tree():
    """A number that nobody else sleeps; no process with it may be there at the end."""
    word = f"3{os.getpid():07}"
    yield word
    assert table.running_with(word) == []


@pytest.fixture(scope="session")
def degraded():
    """Whether this host gives no cgroup."""
    return features.why_not("cgroup") is not None


@pytest.fixture(scope="session")
def client_tools():
    """Python of the virtualenv with mypy and build, which scripts/setup makes."""
    return cache.made("clients-venv", "bin", "python3")
