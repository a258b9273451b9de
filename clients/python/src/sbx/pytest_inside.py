"""Loaded by the pytest inside a sandbox (see pytest_plugin): writes each report as a line of JSON.

Lines go to the standard output that the process was started with. Everything else that is written there, pytest's own
words too, goes to standard error from here on.
"""
from __future__ import annotations

import json
import os
from typing import Any

import pytest

REPORTS = os.dup(1)
os.dup2(2, 1)


def send(kind: str, value: object) -> None:
    """Writes one line, whole."""
    data = memoryview(json.dumps([kind, value]).encode() + b"\n")
    while data:
        data = data[os.write(REPORTS, data):]


class Reporter:
    """Passes on what pytest reports."""

    def __init__(self, config: Any) -> None:
        self.config = config

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test's setup, call or teardown has ended."""
        send("test", self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_collectreport(self, report: Any) -> None:
        """Something was collected, or could not be."""
        if report.failed:
            send("collect", str(report.longrepr))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: Any) -> None:
    """Starts to report; knows the marker, should pytest_plugin not be installed inside."""
    config.addinivalue_line("markers", "sandbox: is run in a sandbox, as this process is")
    config.pluginmanager.register(Reporter(config), "sbx-reporter")
