"""The profiles `judge` and `strict`: small programs under tight limits still run, and are measured."""
import subprocess

import pytest

INPUT = "5\n1 2 3 4 5\n"
PYTHON_SOLUTION = "n = int(input()); print(sum(map(int, input().split()[:n])))"


@pytest.fixture
def compiled(project):
    """Compiles one contest entry outside, as a judge does."""
    def build(name):
        folder = project("judge")
        subprocess.run(["g++", "-O2", "-o", name, f"{name}.cpp"], cwd=folder, check=True)
        return folder
    return build


def test_compiled_solution(inside, compiled):
    run = inside("judge", compiled("solution"), "./solution", stdin=INPUT)
    assert run.out == "15\n"


def test_python_solution(sbx):
    assert sbx.run("judge", cmd=["python3", "-c", PYTHON_SOLUTION], stdin=INPUT).assert_ok().out == "15\n"


@pytest.mark.needs("cgroup", "sandbox")
def test_what_a_solution_used_is_measured(sbx):
    run = sbx.run("judge", cmd=["python3", "-c", "x = bytearray(30 << 20); sum(range(10**6))"]).assert_ok()
    assert run.result["memory"]["peak_bytes"] > 30 << 20
    assert sum(run.result["cpu_ms"][k] for k in ("user", "system")) > 5
    assert run.result["wall_ms"] > 0


@pytest.mark.needs("cgroup", "sandbox")
def test_endless_solution_ends_at_its_cpu_limit(sbx, compiled):
    folder = compiled("endless")
    run = sbx.run("judge", ["--workspace", f"{folder}:ro", "--set", "limits.cpu=300ms"], ["./endless"], timeout=30)
    run.assert_status("cpu_limit", 124)


@pytest.mark.needs("cgroup", "sandbox")
def test_second_process_is_refused(sbx):
    run = sbx.run("judge", cmd=["python3", "-c", "import os\ntry: os.fork()\nexcept OSError as e: print(e.errno)"])
    assert run.assert_ok().out == "11\n"


@pytest.mark.parametrize("command,stdin,wanted", [
    (["sort", "-n"], "3\n1\n2\n", "1\n2\n3\n"),
    (["python3", "-c", PYTHON_SOLUTION], INPUT, "15\n"),
    (["sh", "-c", "echo $((6 * 7))"], None, "42\n"),
    (["awk", "{s += $1} END {print s}"], "1\n2\n", "3\n"),
])
def test_strict_runs_small_programs(sbx, command, stdin, wanted):
    assert sbx.run("strict", cmd=command, stdin=stdin).assert_ok().out == wanted
