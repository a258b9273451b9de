"""A pytest plugin: a test with @pytest.mark.sandbox runs in a sandbox, in a pytest process of its own.

    @pytest.mark.sandbox(profile="python", memory="256M", timeout=10)
    def test_untrusted(): ...

The arguments are those of Sandbox, and `python`, the interpreter inside (the one that runs pytest). Fixtures run inside,
with the test. The root of the tests is shown read-only; workspace="overlay" lets the test change what nobody else sees.

Collecting is not sandboxed: modules and conftest.py are imported here, as always. And a test reports about itself: a
failure is believed, "passed" is the word of code that is not trusted. What it cannot do is to speak for another test, to
hide a limit that ended it, or to touch anything outside.
"""
from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

from .adapters.words import ending
from .errors import SbxError
from .options import values
from .pytest_reports import ROOT, failure, reports
from .pytest_settings import declare, overrides
from .pytest_shapes import clean
from .result import Result
from .sandbox import Sandbox

PACKAGE = "/run/sbx-client"  # where this package is shown inside
INSIDE = "sbx.pytest_inside"  # the plugin of the pytest in there: no variable, which a caller may have as well

# Options that decide how a test is found and how it ends, as the flag and the name of its value.
FLAGS = [("--runxfail", "runxfail"), ("--showlocals", "showlocals"), ("--doctest-modules", "doctestmodules"),
         ("--doctest-ignore-import-errors", "doctest_ignore_import_errors"),
         ("--doctest-continue-on-failure", "doctest_continue_on_failure")]
VALUES = [("--doctest-glob", "doctestglob"), ("-W", "pythonwarnings"), ("-o", "override_ini")]


def pytest_addoption(parser: Any) -> None:
    """--sandbox-all, --sandbox-profile, and the settings of the ini file."""
    group = parser.getgroup("sandbox", "tests in a sandbox (sbx)")
    group.addoption("--sandbox-all", action="store_true", help="run every test in a sandbox, marked or not")
    group.addoption("--sandbox-profile", metavar="PROFILE", help="profile of tests whose mark has none [python]")
    declare(parser)


def pytest_configure(config: Any) -> None:
    """Declares the marker, and reads the settings once, so that a wrong one is told at the start."""
    overrides(config)
    config.addinivalue_line("markers", "sandbox(profile=..., timeout=..., memory=..., workspace='ro', python=...): run "
                                       "this test in a sandbox; the arguments are those of sbx.Sandbox")


def settings(item: Any) -> Optional[Dict[str, Any]]:
    """The arguments for this test's sandbox; None: it has none. The closest mark wins."""
    marks = list(item.iter_markers("sandbox"))
    if item.config.pluginmanager.has_plugin(INSIDE) or not (marks or item.config.getoption("--sandbox-all")):
        return None
    found = overrides(item.config)
    for mark in reversed(marks):
        found.update(mark.kwargs)
        if mark.args:
            found["profile"] = mark.args[0]
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> Optional[bool]:
    """Runs a test that belongs into a sandbox there, and reports in its place."""
    words = settings(item)
    if words is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    found = outcome(item, words)
    # Fixtures of a module or class that earlier tests have set up here, and that no later one needs.
    ended = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), "teardown",
                                      (pytest.exit.Exception, KeyboardInterrupt))
    if ended.excinfo:
        found = [one for one in found if one.failed or one.when != "teardown"]
        found.append(item.ihook.pytest_runtest_makereport(item=item, call=ended))
    for one in found:
        item.ihook.pytest_runtest_logreport(report=one)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def outcome(item: Any, words: Dict[str, Any]) -> List[pytest.TestReport]:
    """The reports about one test. Whatever fails is one, too."""
    try:
        result = run(item, dict(words))
    except Exception as error:  # also a mark's argument that is no flag's value
        return [failure(item, f"sandbox: {error}", error.result if isinstance(error, SbxError) else None, "setup")]
    found = reports(item, result)
    item.user_properties = list(found[-1].user_properties)  # for a report about what ends here, too
    denied = clean("\n".join(line for line in ending(result) if line.startswith("denied:")))
    if denied:
        shown = next((one for one in found if one.failed), found[-1])
        shown.sections.append(("Denied by the sandbox", denied))
    return found


def run(item: Any, words: Dict[str, Any]) -> Result:
    """Runs one test in a sandbox of its own."""
    mode = words.pop("workspace", "ro")
    python = words.pop("python", None)
    root = Path(item.config.rootpath)
    if python is None:
        python = real(sys.executable)
        words["ro"] = [*values("ro", words.get("ro")), *interpreter_folders()]
    words["ro"] = [*values("ro", words.get("ro")), f"{Path(__file__).parent}:{PACKAGE}/sbx"]
    words["env"] = [*values("env", words.get("env")), f"PYTHONPATH={PACKAGE}", "PYTHONDONTWRITEBYTECODE=1"]
    words["workdir"] = ROOT
    profile = words.pop("profile")
    with Sandbox(profile, workspace=f"{root}:{mode}", **words) as box:
        return box.run([python, "-m", "pytest", *options(item.config, root), "--", f"./{item.nodeid}"])


def real(program: str) -> str:
    """`program` without links and `..` in its folder; its own name stays, by which Python finds its virtualenv."""
    return os.path.join(os.path.realpath(os.path.dirname(program)), os.path.basename(program))


def interpreter_folders() -> List[str]:
    """The places of this Python that a root of the host's /usr does not have: a virtualenv, and what it is made from."""
    places = {os.path.realpath(place) for place in (sys.prefix, sys.base_prefix, sys.exec_prefix)}
    return sorted(f"{place}:{place}" for place in places if not place.startswith("/usr"))


def options(config: Any, root: Path) -> List[str]:
    """The command line inside: what decides how a test is found and how a failure is shown, nothing else."""
    words = [f"--rootdir={ROOT}", "-p", INSIDE, "-p", "no:cacheprovider",
             f"--import-mode={config.getoption('importmode')}", f"--tb={config.getoption('tbstyle')}"]
    words += ["-q" if config.option.verbose < 1 else "-" + "v" * min(config.option.verbose, 3)]
    words += [flag for flag, name in FLAGS if config.getoption(name, False)]
    words += [word for flag, name in VALUES for value in config.getoption(name, None) or [] for word in (flag, value)]
    words += [f"--doctest-report={config.getoption('doctestreport', 'udiff')}", "-o", "addopts="]
    if config.inipath:
        try:
            words += ["-c", f"{ROOT}/{Path(config.inipath).relative_to(root)}"]
        except ValueError:
            raise ValueError(f"{config.inipath} is outside of the root {root}, which is all that the test sees; "
                             "move it there, or pass --rootdir") from None
    return words
