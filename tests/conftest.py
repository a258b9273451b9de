"""What every Python test gets: the program (`sbx`), the probe, markers, and the check that no run
leaves anything behind. How to use them: support/sbx.py."""
import os
from pathlib import Path

import pytest

from support import bed, cgroups, features, leftovers, skips
from support.cache import BUILD, ROOT
from support.native import Native
from support.sbx import Sbx

NATIVE = bool(os.environ.get("SBX_TEST_NATIVE"))
# needs(...) that must not lead to a skip on this host, e.g. "userns,cgroup".
REQUIRED = set(filter(None, os.environ.get("SBX_TEST_REQUIRE", "").split(",")))


def pytest_configure(config):
    leftovers.become_subreaper()
    config.testbed = None
    # A bed's tests stay where its user's processes are: that is what it is about.
    placed = bed.NAME or any(h.testbed.name.startswith(cgroups.TESTBED) for h in cgroups.own())
    if features.is_root() and not placed and not config.option.collectonly:
        config.testbed = cgroups.Testbed()
        config.testbed.enter()


def pytest_unconfigure(config):
    if config.testbed:
        config.testbed.leave()
        config.testbed.remove()


def pytest_report_header(config):
    why = features.why_not("cgroup")
    return [f"sbx: {'none, programs run natively' if NATIVE else sbx_path()}",
            f"user: {'root' if features.is_root() else os.environ.get('USER', os.getuid())}",
            *([f"bed: {bed.NAME}, which lacks {', '.join(sorted(bed.LACKS)) or 'nothing'}"] if bed.NAME else []),
            "cgroups: of the tests' own" if not why else f"cgroups: none ({why}); sbx runs with --degrade cgroup"]


def pytest_runtest_setup(item):
    for marker in item.iter_markers("needs"):
        for feature in marker.args:
            why = features.why_not(feature)
            if why and feature in REQUIRED:
                pytest.fail(f"needs {feature}, which SBX_TEST_REQUIRE says is here: {why}", pytrace=False)
            if why:
                pytest.skip(f"needs {feature}: {why}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """With SBX_TEST_STRICT_SKIPS, a skip that accepted-skips.txt does not list fails the run."""
    if os.environ.get("SBX_TEST_STRICT_SKIPS") and exitstatus in (0, 5):
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        reasons = [r.longrepr[2] for r in reporter.stats.get("skipped", []) if isinstance(r.longrepr, tuple)]
        unexpected = skips.not_accepted(reasons)
        for reason in unexpected:
            reporter.write_line(f"not an accepted skip: {reason}", red=True)
        if unexpected:
            session.exitstatus = 1


def sbx_path():
    return Path(os.environ.get("SBX_BINARY", BUILD / "src" / "sbx")).resolve()


@pytest.fixture(scope="session")
def root_dir():
    """The top of the source tree."""
    return ROOT


@pytest.fixture(scope="session")
def is_root():
    return features.is_root()


@pytest.fixture(scope="session")
def sbx_binary():
    path = sbx_path()
    if not os.access(path, os.X_OK):
        pytest.fail(f"{path} is not there: build it, or name another with SBX_BINARY", pytrace=False)
    return path


@pytest.fixture
def sbx(request, tmp_path, monkeypatch):
    """Runs sbx. After the test nothing of its runs may be left on this host."""
    # A registry of live runs of the test's own: nobody else's are seen, or killed, from here.
    (tmp_path / "runtime").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    watch = leftovers.Watch()
    program = Native(tmp_path) if NATIVE else Sbx(request.getfixturevalue("sbx_binary"), tmp_path)
    yield program
    program.close()
    problems = watch.problems(swept=not program.killed)
    if program.killed and not problems:
        # A killed supervisor cannot remove its cgroups and its socket: the next run does.
        program.reap()  # by now all have ended
        # Of many that live, or may, only one run in a second looks.
        (tmp_path / "runtime/sbx/swept").unlink(missing_ok=True)
        program.run(cmd=["true"]).assert_ok()
        problems = watch.problems()
    if problems:
        watch.end_processes()
        pytest.fail("left behind:\n" + "\n".join(problems), pytrace=False)


@pytest.fixture
def open_folder(tmp_path):
    """Started by root the command is another user: who may enter the test's folder must not decide."""
    folder = tmp_path
    while folder != folder.parent and os.stat(folder).st_uid == os.geteuid():
        folder.chmod(folder.stat().st_mode | 0o755)
        folder = folder.parent
    return tmp_path


class Probe:
    """The static probe: `flags` show it in the sandbox, where it is `path`."""

    def __init__(self, host_path):
        self.host_path = host_path
        self.path = "/sbx_probe"
        self.flags = ["--ro", f"{host_path}:{self.path}"]


@pytest.fixture(scope="session")
def probe():
    path = Path(os.environ.get("SBX_PROBE", BUILD / "tests" / "probe" / "sbx_probe")).resolve()
    if not path.exists():
        pytest.fail(f"{path} is not there: build it, or name another with SBX_PROBE", pytrace=False)
    return Probe(path)


@pytest.fixture
def weakened(sbx, tmp_path):
    """sbx_weakened: the program with steps of the plan left out, as SBX_TEST_WITHOUT says."""
    path = Path(os.environ.get("SBX_WEAKENED", BUILD / "tests" / "tools" / "sbx_weakened")).resolve()
    if not path.exists():
        pytest.fail(f"{path} is not there: build it, or name another with SBX_WEAKENED", pytrace=False)
    program = Sbx(path, tmp_path)
    yield program
    program.close()
    sbx.killed = sbx.killed or program.killed
