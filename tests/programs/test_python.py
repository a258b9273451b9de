"""Python, Debian's own and others, with what makes it lean on the kernel: threads, processes, sockets."""
import os
import shutil

import pytest

from support.profiles import with_tools

DEBIAN = "/usr/bin/python3"
# Whatever `python3` is on the caller's PATH (pyenv, conda, a virtualenv, or Debian's), through `tools`.
CALLERS = "python3"


@pytest.fixture(params=[DEBIAN, CALLERS])
def python(request):
    return request.param


@pytest.fixture
def script(inside, project, python):
    """script(NAME, ARG...) runs samples/python/NAME with each Python and returns what it printed."""
    def run(name, *arguments, **options):
        profile = with_tools("python", "python3") if python == CALLERS else "python"
        return inside(profile, project("python"), python, name, *arguments, **options).out
    return run


def test_threads(script):
    assert script("threads.py") == "threads fine\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(script, method):
    assert script("processes.py", method) == f"{method} fine\n"


def test_asyncio(script):
    assert script("aio.py") == "asyncio fine\n"


def test_standard_library(script):
    assert script("library.py") == "library fine é ✓\n"


def test_web_server_and_client_on_loopback(script):
    assert script("web.py", "127.0.0.1") == "127.0.0.1 fine\n"


@pytest.mark.needs("ipv6")
def test_web_server_and_client_on_ipv6_loopback(script):
    assert script("web.py", "::1") == "::1 fine\n"


def test_virtualenv_and_pip_from_a_local_wheel(script):
    assert script("environment.py") == "installed and called\n"


def test_program_from_stdin(sbx):
    run = sbx.run("python", cmd=["python3", "-"], stdin="import sys; print(sys.version_info[0])").assert_ok()
    assert run.out == "3\n"


def test_traceback_and_exit_code_arrive(sbx):
    run = sbx.run("python", cmd=["python3", "-c", "raise ValueError('told')"]).assert_nonzero(1)
    assert "ValueError: told" in run.err


def test_interactive_session_reads_its_input(sbx):
    run = sbx.run("python", cmd=["python3", "-i", "-q"], stdin="print(6 * 7)\nexit(5)\n").assert_nonzero(5)
    assert "42" in run.out


@pytest.mark.needs("program:pyenv")
def test_pyenv_shim_runs_the_version_it_selects(sbx):
    shim = shutil.which("python3", path=os.path.join(os.environ.get("PYENV_ROOT", ""), "shims"))
    assert shim, "pyenv is on PATH, but PYENV_ROOT has no shims"
    run = sbx.run(with_tools("python", "python3"), cmd=["python3", "-c", "import sys; print(sys.prefix)"],
                  env={"PATH": f"{os.path.dirname(shim)}:{os.environ['PATH']}"}).assert_ok()
    assert "/versions/" in run.out
