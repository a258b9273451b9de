"""Warnings of a test in a sandbox: handed over as plain fields, and made into warnings again out here.

They are the payload's words: their class is one that Python or pytest has, and the line of the source that is shown with
them is the one that came with them. Nothing is imported and no file is read for them.
"""
from __future__ import annotations

import builtins
import linecache
import warnings
from typing import Any, Dict, List

import pytest

from . import pytest_shapes as shapes

MOST_WARNINGS = 100  # of one test
MOST_TEXT = 10_000
KNOWN = {name: value for module in (builtins, pytest) for name, value in vars(module).items()
         if isinstance(value, type) and issubclass(value, Warning)}


def describe(warning: warnings.WarningMessage) -> Dict[str, object]:
    """The fields of one."""
    source = warning.line if warning.line is not None else linecache.getline(warning.filename, warning.lineno)
    return {"category": warning.category.__name__, "text": str(warning.message)[:MOST_TEXT], "path": warning.filename,
            "lineno": warning.lineno, "source": source[:MOST_TEXT]}


def recorded(data: Any, path: shapes.Shape) -> warnings.WarningMessage:
    """The warning that these fields stand for; `path` is the shape of the names of files. Raises Unreadable."""
    found = shapes.record(category=shapes.label, text=shapes.text, path=path, lineno=shapes.line,
                          source=shapes.label)(data)
    kind = KNOWN.get(found["category"])
    said = found["text"][:MOST_TEXT] if kind else f"{found['category']}: {found['text'][:MOST_TEXT]}"
    kind = kind or UserWarning
    try:
        message = kind(said)
    except Exception:  # one that takes more than a text
        kind, message = UserWarning, UserWarning(said)
    return warnings.WarningMessage(message, kind, found["path"], found["lineno"], line=found["source"])


def tell(item: Any, found: List[warnings.WarningMessage]) -> None:
    """Has pytest out here record them, as warnings of this test."""
    for one in found[:MOST_WARNINGS]:
        item.ihook.pytest_warning_recorded.call_historic(kwargs={"warning_message": one, "nodeid": item.nodeid,
                                                                 "when": "runtest", "location": None})
