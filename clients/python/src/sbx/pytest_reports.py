"""Reads the reports that a test in a sandbox gave of itself.

They are the payload's words, and hostile: each field is checked, none says which test it is about, and nothing that
is not known here gets into pytest's own reports. What sbx has seen wins over what they say.
"""
from __future__ import annotations

import json
import math
from typing import Any, Dict, List, Optional

import pytest

from .result import Result

ROOT = "/workspace"  # where the root of the tests is inside
PHASES = ("setup", "call", "teardown")
OUTCOMES = ("passed", "failed", "skipped")
MOST = 200_000  # characters of one text
HIDDEN = {number: None for number in [*range(9), *range(11, 32), *range(127, 160)]}  # all controls but tab and newline


class Unreadable(Exception):
    """What came is no report."""


def clean(value: Any) -> str:
    """A text without anything that a terminal would obey."""
    if not isinstance(value, str):
        raise Unreadable(f"{type(value).__name__} where a text should be")
    return value.translate(HIDDEN)[:MOST]


def path_here(value: Any, item: Any) -> str:
    """The path of a file as the pytest out here would name it. Only shown, never opened: the payload made it up."""
    path = clean(value)
    return f"{item.config.rootpath}{path[len(ROOT):]}" if path.startswith(ROOT + "/") else path


def cleaned(value: Any, item: Any, depth: int = 0) -> Any:
    """JSON, with its texts cleaned."""
    if depth > 30:
        raise Unreadable("nested too deeply")
    if isinstance(value, dict):
        return {clean(key): path_here(one, item) if key == "path" else cleaned(one, item, depth + 1)
                for key, one in value.items()}
    if isinstance(value, list):
        return [cleaned(one, item, depth + 1) for one in value]
    return clean(value) if isinstance(value, str) else value


def _sections(value: Any) -> List[Any]:
    if not isinstance(value, list):
        raise Unreadable("sections are no list")
    return [(clean(one[0]), clean(one[1])) for one in value if isinstance(one, list) and len(one) == 2]


def report(item: Any, data: Any) -> pytest.TestReport:
    """One report about `item`, whatever test it says it is about. Raises Unreadable."""
    if not isinstance(data, dict) or data.get("when") not in PHASES or data.get("outcome") not in OUTCOMES:
        raise Unreadable("no report of a test")
    duration = data.get("duration")
    if not isinstance(duration, (int, float)) or not math.isfinite(duration) or duration < 0:
        duration = 0.0
    fields: Dict[str, Any] = {
        "$report_type": "TestReport", "nodeid": item.nodeid, "location": list(item.location), "keywords": {},
        "when": data["when"], "outcome": data["outcome"], "duration": duration,
        "longrepr": cleaned(data.get("longrepr"), item), "sections": _sections(data.get("sections", [])),
        "user_properties": [],
    }
    longrepr = fields["longrepr"]
    if isinstance(longrepr, list):
        if len(longrepr) != 3:
            raise Unreadable("no place of a skip")
        fields["longrepr"] = (path_here(longrepr[0], item), int(longrepr[1] or 0), str(longrepr[2]))
    if isinstance(data.get("wasxfail"), str):
        fields["wasxfail"] = clean(data["wasxfail"])
    try:
        made: pytest.TestReport = item.config.hook.pytest_report_from_serializable(config=item.config, data=fields)
        str(made.longreprtext)  # a traceback whose parts do not fit together shows only here
    except Exception as error:
        raise Unreadable(f"no report of a test: {error!r}") from None
    made.keywords = {name: 1 for name in item.keywords}
    made.user_properties = list(item.user_properties)
    return made


def failure(item: Any, text: str, result: Optional[Result], when: str = "call") -> pytest.TestReport:
    """A failed report of our own: what sbx saw, and what was written to standard error."""
    sections = [("Captured stderr of the sandbox", clean(result.stderr_text))] if result and result.stderr else []
    seconds = (result.wall_ms or 0.0) / 1000 if result else 0.0
    return pytest.TestReport(item.nodeid, item.location, {name: 1 for name in item.keywords}, "failed",  # type: ignore
                             clean(text), when, sections, seconds, user_properties=list(item.user_properties))


def reports(item: Any, result: Result) -> List[pytest.TestReport]:
    """What is to be said of a test that ran: its own reports where they fit to how the run ended."""
    found: List[pytest.TestReport] = []
    said: List[str] = []
    for line in result.stdout.splitlines():
        try:
            kind, value = json.loads(line)
            if kind == "test":
                found.append(report(item, value))
            else:
                said.append(clean(value))
        except (ValueError, TypeError, RecursionError, Unreadable) as error:
            return [failure(item, f"the sandbox gave a report that cannot be read: {error}", result)]
    phases = [one.when for one in found]
    bad = any(one.failed for one in found)
    if result.status not in ("ok", "nonzero"):
        return [*[one for one in found if one.when == "setup" and one.passed],
                failure(item, "\n".join([f"sandbox: {result.status}: {result.reason['text']}", *said]), result)]
    if phases not in (["setup", "teardown"], ["setup", "call", "teardown"]):
        text = "\n".join(["the test did not report how it ended: " + result.reason["text"], *said])
        return [failure(item, text, result)]
    if result.exit_code != (1 if bad else 0):
        return [failure(item, f"the test reported {'a failure' if bad else 'none'}, but its process ended with exit "
                              f"code {result.exit_code}", result)]
    return found
