"""Each adapter of clients/python with the real package from PyPI. The frameworks are in a virtualenv of their own,
so that inside/check_NAME.py runs there, by a pytest of its own; what fails there is shown here."""
import ast
import os
import re
import subprocess
from pathlib import Path

import pytest

from support import features
from support.cache import made

HERE = Path(__file__).resolve().parent
INSIDE = HERE / "inside"
PYTHON = HERE.parents[1] / "clients" / "python"
CHECKS = sorted(path.stem[len("check_"):] for path in INSIDE.glob("check_*.py"))


@pytest.fixture(scope="session")
def python():
    """Python with the frameworks."""
    return made("adapters-venv", "bin", "python3")


@pytest.fixture
def environment(sbx, tmp_path):
    """For a process that uses the package from the tree and the sbx under test."""
    degrade = "" if features.why_not("cgroup") is None else "cgroup"
    return {**os.environ, "SBX_BIN": str(sbx.binary), "PYTHONPATH": str(PYTHON / "src"), "SBX_TEST_DEGRADE": degrade,
            "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1",
            "SBX_TEST_PAGE": str(PYTHON / "adapters.md")}


def run(words, **options):
    return subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, **options)


def test_there_are_checks():
    assert CHECKS == ["langchain", "llama_index", "llm_sandbox", "page", "pytest", "pytest_attacks", "pytest_options",
                      "pytest_reports", "smolagents"]


@pytest.mark.parametrize("name", CHECKS)
def test_check(name, python, environment, tmp_path, open_folder):
    words = [python, "-m", "pytest", "-c", INSIDE / "pytest.ini", "--rootdir", INSIDE, "--basetemp", tmp_path / "inside",
             "-q", INSIDE / f"check_{name}.py"]
    done = run(words, env=environment, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d+ passed", done.stdout) and "skipped" not in done.stdout, done.stdout


@pytest.mark.parametrize("name", ["langchain", "llama_index", "smolagents", "llm_sandbox"])
def test_without_the_framework(name, environment):
    """The error names the extra, and the package itself needs nothing."""
    code = f"import sbx, sys\nassert not any('adapters' in one for one in sys.modules)\nimport sbx.adapters.{name}"
    done = run(["/usr/bin/python3", "-S", "-c", code], env=environment)
    assert done.returncode == 1 and f"pip install 'clients/python[{name}]'" in done.stdout, done.stdout


def test_extras_are_declared():
    text = (PYTHON / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    pinned = (HERE / "requirements.txt").read_text().lower()
    for name, package in re.findall(r'^(\w+) = \["([a-z-]+)>=', text, re.M):
        assert f"\n{package}==" in pinned, package
        assert name == "pytest" or (PYTHON / f"src/sbx/adapters/{name}.py").exists()


def test_syntax_of_python_3_9():
    """All of them can be read by it, whatever their framework asks for."""
    for file in sorted((PYTHON / "src/sbx").rglob("*.py")):
        ast.parse(file.read_text(), str(file), feature_version=(3, 9))
