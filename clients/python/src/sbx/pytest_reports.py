"""Reads the reports that a test in a sandbox gave of itself.

They are the payload's words, and hostile: each field is checked (pytest_shapes), one that is about another test is
refused, and nothing that is not known here gets into pytest's own reports. What sbx has seen wins over what they say.
"""
from __future__ import annotations

import json
import warnings
from typing import Any, Dict, List, Optional, Tuple

import pytest

from . import pytest_shapes as shapes
from .pytest_shapes import Unreadable, clean
from .pytest_warnings import recorded, tell
from .result import Result

ROOT = "/workspace"  # where the root of the tests is inside
KIND = shapes.word("test", "subtest", "collect", "warning")
MOST_PROPERTIES = 1000  # of one test


def path_here(item: Any) -> shapes.Shape:
    """The shape of a file's path, which becomes that of the pytest out here. Only shown, never opened."""
    def shape(value: Any) -> str:
        path = shapes.text(value)
        return f"{item.config.rootpath}{path[len(ROOT):]}" if path.startswith(ROOT + "/") else path
    return shape


def properties(item: Any) -> shapes.Shape:
    """The shape of a report's properties, which become those of the test out here, and what its code has recorded."""
    def shape(value: Any) -> List[Tuple[str, object]]:
        pairs = shapes.many(shapes.group(shapes.label, shapes.text))(value)[:MOST_PROPERTIES]
        ours = [(str(name), str(one)) for name, one in item.user_properties]  # as collecting has left them, inside as well
        return [*item.user_properties, *(pair for pair in pairs if pair not in ours)]
    return shape


def report(item: Any, data: Any, most: float, kind: str = "test") -> pytest.TestReport:
    """One report about `item`, or a subtest of it, which took `most` seconds in all. Raises Unreadable."""
    head = shapes.record(nodeid=shapes.text, when=shapes.word("setup", "call", "teardown"), duration=shapes.seconds,
                         outcome=shapes.word("passed", "failed", "skipped"))(data)
    if head["nodeid"] != item.nodeid:
        raise Unreadable("it is about another test")
    expected = shapes.record(wasxfail=shapes.text)(data) if "wasxfail" in data else {}
    if expected and head["outcome"] == "failed":
        raise Unreadable("a failure that was expected is none")
    longrepr = shapes.explanation(head["outcome"], bool(expected), path_here(item))
    pairs = shapes.many(shapes.group(shapes.text, shapes.text))
    body = shapes.record(longrepr=longrepr, sections=pairs, user_properties=properties(item))(data)
    fields: Dict[str, Any] = {**head, **expected, **body, "duration": min(head["duration"], most),
                              "location": item.location, "keywords": {},
                              **(subtest(head["when"], data) if kind == "subtest" else {"$report_type": "TestReport"})}
    try:
        made: pytest.TestReport = item.config.hook.pytest_report_from_serializable(config=item.config, data=fields)
        str(made.longreprtext)  # a traceback whose parts do not fit together shows only here
    except Exception as error:
        raise Unreadable(f"pytest cannot read it: {error!r}") from None
    made.keywords = {name: 1 for name in item.keywords}
    return made


def subtest(when: str, data: Any) -> Dict[str, Any]:
    """What a subtest's report has beside those of a test; pytest 9 and the plugin pytest-subtests agree on it."""
    if when != "call":
        raise Unreadable("a subtest has no setup and no teardown")
    context = shapes.record(msg=shapes.maybe(shapes.label), kwargs=shapes.values)
    return {"_report_type": "SubTestReport", **shapes.record(**{shapes.CONTEXT: context})(data)}


def failure(item: Any, text: str, result: Optional[Result], when: str = "call") -> pytest.TestReport:
    """A failed report of our own: what sbx saw, and what was written to standard error."""
    sections = [("Captured stderr of the sandbox", clean(result.stderr_text))] if result and result.stderr else []
    return pytest.TestReport(item.nodeid, item.location, {name: 1 for name in item.keywords}, "failed",  # type: ignore
                             shapes.plain(text), when, sections, _seconds(result), user_properties=list(item.user_properties))


def _seconds(result: Optional[Result]) -> float:
    return (result.wall_ms or 0.0) / 1000 if result else 0.0


def reports(item: Any, result: Result) -> List[pytest.TestReport]:
    """What is to be said of a test that ran: its own reports where they fit to how the run ended."""
    found: List[pytest.TestReport] = []
    phases: List[pytest.TestReport] = []  # those of `found` that are of the test itself
    said: List[str] = []
    warned: List[warnings.WarningMessage] = []
    for line in result.stdout.splitlines():
        try:
            kind, value = shapes.group(KIND, lambda any: any)(json.loads(line))
            if kind == "collect":
                said.append(shapes.text(value))
            elif kind == "warning":
                warned.append(recorded(value, path_here(item)))
            else:
                found.append(report(item, value, _seconds(result), kind))
            if kind == "test":
                phases.append(found[-1])
        except (Unreadable, ValueError, RecursionError) as error:
            return [failure(item, f"the sandbox gave a report that cannot be read: {error}", result)]
    if result.status not in ("ok", "nonzero"):
        return [*[one for one in phases if one.when == "setup" and one.passed][:1],
                failure(item, "\n".join([f"sandbox: {result.status}: {result.reason['text']}", *said]), result)]
    called = ["call"] if phases and phases[0].passed else []  # a test that reports neither would not be counted at all
    if [one.when for one in phases] != ["setup", *called, "teardown"]:
        text = "\n".join(["the test did not report how it ended: " + result.reason["text"], *said])
        return [failure(item, text, result)]
    bad = any(one.failed for one in found)
    if result.exit_code != (1 if bad else 0):
        return [failure(item, f"the test reported {'a failure' if bad else 'none'}, but its process ended with exit "
                              f"code {result.exit_code}", result)]
    tell(item, warned)
    return found
