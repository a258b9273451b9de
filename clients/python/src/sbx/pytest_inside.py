"""Loaded by the pytest inside a sandbox (see pytest_plugin): writes each report as a line of JSON.

Lines go to the standard output that the process was started with. Everything else that is written there, pytest's own
words too, goes to standard error from here on.
"""
from __future__ import annotations

import json
import os
from typing import Any

import pytest

from .adapters.words import clip
from .pytest_settings import declare
from .pytest_shapes import CONTEXT, MOST
from .pytest_warnings import MOST_WARNINGS, describe

REPORTS = os.dup(1)
os.dup2(2, 1)
NOTE = 100  # characters for the words that say what was left out


def short(value: object) -> object:
    """`value` with its texts as long as they are taken out there: the run's output has a limit, and each report of a test
    has all that it has printed until then."""
    if isinstance(value, str):
        return clip(value, MOST - NOTE)
    if isinstance(value, dict):
        return {key: short(one) for key, one in value.items()}
    return [short(one) for one in value] if isinstance(value, (list, tuple)) else value


def send(kind: str, value: object) -> None:
    """Writes one line, whole."""
    data = memoryview(json.dumps([kind, short(value)]).encode() + b"\n")
    while data:
        data = data[os.write(REPORTS, data):]


class Reporter:
    """Passes on what pytest reports."""

    def __init__(self, config: Any) -> None:
        self.config = config
        self._warnings = 0

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test's setup, call or teardown has ended, or a subtest of it. Last: as it is shown, pytest makes a failure
        of a test that itself passed and of whose subtests some did not."""
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        data["user_properties"] = [[str(name), str(value)] for name, value in report.user_properties]
        context = data.get(CONTEXT)
        if context is not None:  # of older plugins with the values themselves
            context["kwargs"] = {str(name): one if isinstance(one, str) else repr(one)
                                 for name, one in context["kwargs"].items()}
        send("test" if context is None else "subtest", data)

    def pytest_warning_recorded(self, warning_message: Any, when: str) -> None:
        """A warning came; those of collecting, and of the configuration, the pytest outside has as well."""
        if when == "runtest" and self._warnings < MOST_WARNINGS:
            self._warnings += 1
            send("warning", describe(warning_message))

    def pytest_collectreport(self, report: Any) -> None:
        """Something was collected, or could not be."""
        if report.failed:
            send("collect", str(report.longrepr))


def pytest_addoption(parser: Any) -> None:
    """Knows the settings of what is left out here: pytest_plugin, should it not be installed, and the cache."""
    declare(parser)
    parser.addini("cache_dir", "of no use here")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    """Starts to report; knows the marker, should pytest_plugin not be installed inside."""
    config.addinivalue_line("markers", "sandbox: is run in a sandbox, as this process is")
    config.pluginmanager.register(Reporter(config), "sbx-reporter")
