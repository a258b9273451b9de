"""For the tests of the clients: the Python package from the tree, and a state folder of the test's own."""
import os
import sys
from pathlib import Path

import pytest

from support import features

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / "clients" / "python"
BUILD = Path(os.environ.get("SBX_BUILD_DIR", HERE.parents[1] / "build"))
CACHE = Path(os.environ.get("SBX_TEST_CACHE") or BUILD / "test-cache").resolve()

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


@pytest.fixture(scope="session")
def degraded():
    """Whether this host gives no cgroup."""
    return features.why_not("cgroup") is not None


@pytest.fixture(scope="session")
def client_tools():
    """Python of the virtualenv with mypy and build, which scripts/setup makes."""
    python = CACHE / "clients-venv" / "bin" / "python3"
    if not python.exists():
        pytest.fail(f"{python} is not there: scripts/setup test makes it", pytrace=False)
    return python
