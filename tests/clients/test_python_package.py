"""The Python package as it is shipped: types, typing, a wheel that works elsewhere, examples that run."""
import ast
import os
import re
import shutil
import subprocess
import sys

import pytest

from clients.conftest import PYTHON


def run(*words, **options):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_types_are_those_of_the_schemas(sbx_binary):
    run(sys.executable, "-B", PYTHON / "generate_types.py", sbx_binary, "--check")


def test_stale_types_are_noticed(sbx_binary, tmp_path):
    copy = tmp_path / "python"
    shutil.copytree(PYTHON, copy, ignore=shutil.ignore_patterns("__pycache__"))
    schema = copy / "src/sbx/schema.py"
    schema.write_text(schema.read_text().replace("wall_ms", "wall_s"))
    check = [sys.executable, "-B", copy / "generate_types.py", sbx_binary, "--check"]
    done = subprocess.run(check, capture_output=True)
    assert done.returncode == 1 and b"not current" in done.stderr


def test_strict_types_for_python_3_9(client_tools, tmp_path):
    run(client_tools, "-m", "mypy", "--cache-dir", tmp_path, cwd=PYTHON)


def test_wrong_use_is_a_type_error(client_tools, tmp_path):
    """py.typed and the annotations reach who uses the package."""
    (tmp_path / "use.py").write_text("from sbx import Sandbox\ncode: str = Sandbox().run(['true']).code\n")
    mypy = [client_tools, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "use.py"]
    done = subprocess.run(mypy, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(PYTHON / "src")},
                          capture_output=True, text=True)
    assert done.returncode == 1 and 'expression has type "int"' in done.stdout, done.stdout


def test_a_time_limit_may_be_a_text_as_well(client_tools, tmp_path):
    (tmp_path / "use.py").write_text("from sbx import AsyncSandbox, Sandbox\nSandbox().run(['true'], timeout='1.5s')\n"
                                     "async def main() -> None:\n    await AsyncSandbox().run(['true'], timeout='1.5s')\n")
    run(client_tools, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", "use.py", cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PYTHON / "src")})


def test_syntax_of_python_3_9():
    files = sorted((PYTHON / "src/sbx").glob("*.py"))
    assert len(files) > 8
    for file in files:
        ast.parse(file.read_text(), str(file), feature_version=(3, 9))


def test_standard_library_alone():
    """The package; an adapter is for its framework (tests/adapters), and nothing here imports one."""
    plugin = {file.name for file in (PYTHON / "src/sbx").glob("pytest_*.py")}
    for file in (PYTHON / "src/sbx").glob("*.py"):
        if file.name in plugin:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            inner = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level else []
            assert not any(name.startswith(("adapters", "pytest_")) for name in inner), (file, inner)
            assert all(name.partition(".")[0] in sys.stdlib_module_names for name in names), (file, names)


@pytest.fixture(scope="session")
def installed(client_tools, tmp_path_factory):
    """Python of a fresh virtualenv with the built wheel, made without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(PYTHON, folder / "source", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    run(client_tools, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder / "source")
    [wheel] = (folder / "dist").glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl") and list((folder / "dist").glob("*.tar.gz"))
    run(client_tools, "-m", "venv", folder / "venv")
    python = folder / "venv/bin/python3"
    run(python, "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
    return python


def test_wheel_works(installed, client, sbx, degraded, tmp_path):
    script = (f"import sbx; box = sbx.Sandbox(degrade={['cgroup'] if degraded else []})\n"
              "with box: print(sbx.__file__, box.run(['echo', 'from a wheel']).stdout_text)")
    said = run(installed, "-I", "-c", script, cwd=tmp_path, env={**os.environ, "SBX_BIN": sbx.binary})
    assert "site-packages/sbx/" in said and "from a wheel" in said
    [typed] = (installed.parent.parent / "lib").glob("python3*/site-packages/sbx/py.typed")
    assert (typed.parent / "adapters" / "interpreter.py").exists()
    [points] = typed.parents[1].glob("sbx_sandbox-*/entry_points.txt")
    assert points.read_text().split() == ["[pytest11]", "sbx", "=", "sbx.pytest_plugin"]


def examples():
    texts = {"README.md": PYTHON / "README.md", "clients/README.md": PYTHON.parent / "README.md",
             "README.md of all": PYTHON.parents[1] / "README.md"}
    for name, path in texts.items():
        for number, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.S)):
            if "from sbx import" in code:
                yield pytest.param(code, id=f"{name} {number}")


def test_examples_are_there():
    assert len(list(examples())) >= 3


@pytest.mark.needs("cgroup")
@pytest.mark.parametrize("code", examples())
def test_example(client, code, tmp_path):
    env = {**os.environ, "PYTHONPATH": str(PYTHON / "src")}
    said = run("/usr/bin/python3", "-B", "-c", code, cwd=tmp_path, env=env)
    assert "42" in said, said
