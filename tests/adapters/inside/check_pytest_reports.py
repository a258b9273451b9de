"""The pytest plugin: whatever a sandbox says of its test, only that test fails, and the session goes on to its end.

The session and its plugins are real; what a sandbox would have said is put in place of its run.
"""
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

NAN, INF = float("nan"), float("inf")
HUGE = 10 ** 400
PLACE = {"path": "/workspace/x", "lineno": 3, "message": "the reason"}
LINES = {"lines": ["a line"]}
NATIVE = {"type": "ReprEntryNative", "data": LINES}
ENTRY = {"type": "ReprEntry", "data": {**LINES, "style": "long", "reprfuncargs": {"args": [["n", "1"]]},
                                       "reprlocals": LINES, "reprfileloc": PLACE}}
TRACE = {"reprentries": [NATIVE, ENTRY], "extraline": None, "style": "long"}
SHOWN = {"reprcrash": PLACE, "reprtraceback": TRACE, "sections": [["name", "content", "-"]],
         "chain": [[TRACE, PLACE, None]]}
NESTED = "[" * 100_000


def deep(levels):
    value = "x"
    for _ in range(levels):
        value = {"x": [value]}
    return value


def entry(**words):
    return {**SHOWN, "reprtraceback": {**TRACE, "reprentries": [{**ENTRY, "data": {**ENTRY["data"], **words}}]}}


# What differs from a good report of a call; "code" is what the process inside ends with.
GOOD = {
    "nothing": {}, "keywords": {"keywords": 5}, "more": {"item_index": 1, "worker_id": "gw9", "head_line": 5},
    "location": {"location": 5}, "expected": {"wasxfail": "known"},
}
FAILURES = {"text": "why", "words": "reprcrash reprtraceback", "surrogate": "\ud800", "shown": SHOWN, "no crash": {**SHOWN, "reprcrash": None},
            "no chain": {**SHOWN, "chain": None}}
BAD = {
    "not a number": {"duration": NAN}, "infinite": {"duration": INF}, "below nothing": {"duration": -INF},
    "negative": {"duration": -1e-9}, "huge": {"duration": HUGE}, "long": {"duration": 1e300},
    "true": {"duration": True}, "text": {"duration": "1"}, "null": {"duration": None}, "list": {"duration": [1]},
    "other test": {"nodeid": "test_it.py::test_victim"}, "no name": {"nodeid": None}, "names": {"nodeid": [1]},
    "outcome": {"outcome": "perfect"}, "outcomes": {"outcome": ["passed"]}, "no outcome": {"outcome": None},
    "when": {"when": "afterwards"}, "whens": {"when": {}}, "again": {"when": "setup"}, "early": {"when": "teardown"},
    "reason": {"longrepr": "why"}, "trace": {"longrepr": SHOWN}, "expected": {"wasxfail": 5},
    "sections": {"sections": "text"}, "section": {"sections": [["a"]]}, "numbers": {"sections": [[1, 2]]},
    "no sections": {"sections": None}, "properties": {"user_properties": 5}, "property": {"user_properties": [["a"]]},
    "value": {"user_properties": [["a", 5]]}, "no properties": {"user_properties": None},
    **{f"skip {name}": {"outcome": "skipped", "longrepr": one} for name, one in {
        "null": None, "text": "x", "short": ["a", 1], "huge": ["a", HUGE, "b"], "infinite": ["a", INF, "b"],
        "negative": ["a", -5, "b"], "path": [5, 1, "b"], "reason": ["a", 1, {}], "trace": SHOWN}.items()},
    **{f"failed {name}": {"outcome": "failed", "longrepr": one, "code": 1} for name, one in {
        "null": None, "number": 5, "list": [], "object": {}, "numbers": {"reprcrash": 1, "reprtraceback": 2},
        "message": {**SHOWN, "reprcrash": {**PLACE, "message": 5}}, "place": {**SHOWN, "reprcrash": []},
        "line": {**SHOWN, "reprcrash": {**PLACE, "lineno": "x"}}, "path": {**SHOWN, "reprcrash": {**PLACE, "path": 5}},
        "huge line": {**SHOWN, "reprcrash": {**PLACE, "lineno": HUGE}}, "half": {"reprtraceback": TRACE},
        "entries": {**SHOWN, "reprtraceback": {**TRACE, "reprentries": 5}}, "nested": deep(300), "lines": entry(lines=[5]),
        "kind": {**SHOWN, "reprtraceback": {**TRACE, "reprentries": [{**NATIVE, "type": "Other"}]}},
        "style": entry(style=5), "file": entry(reprfileloc=5), "arguments": entry(reprfuncargs={"args": [5]}),
        "locals": entry(reprlocals=[]), "extra line": {**SHOWN, "reprtraceback": {**TRACE, "extraline": {}}},
        "separator": {**SHOWN, "sections": [["a", "b", ""]]}, "section": {**SHOWN, "sections": [["a", 5, "-"]]},
        "chain": {**SHOWN, "chain": [5]}, "link": {**SHOWN, "chain": [[TRACE, 5, None]]}}.items()},
    "failed as expected": {"outcome": "failed", "longrepr": "x", "wasxfail": "known"},
}
CONTEXT = "_subtest.context"
SUBTESTS = {
    "passed": {}, "failed": {"outcome": "failed", "longrepr": "why", "code": 1}, "long": {CONTEXT: {"msg": "x" * 10 ** 6, "kwargs": {}}},
    "lines": {CONTEXT: {"msg": "a\nPASSED test_it.py::test_victim", "kwargs": {"\x1b[2J": "\x1b]0;title\x07"}}},
    "many": {CONTEXT: {"msg": None, "kwargs": {str(n): "x" for n in range(100_000)}}},
}
BAD_SUBTESTS = {
    "no context": {CONTEXT: None}, "text": {CONTEXT: "x"}, "no values": {CONTEXT: {"msg": "x"}},
    "message": {CONTEXT: {"msg": 5, "kwargs": {}}}, "list": {CONTEXT: {"msg": "x", "kwargs": ["x"]}},
    "number": {CONTEXT: {"msg": "x", "kwargs": {"x": 5}}}, "deep": {CONTEXT: {"msg": "x", "kwargs": {"x": deep(300)}}},
    "setup": {"when": "setup"}, "teardown": {"when": "teardown"}, "other test": {"nodeid": "test_it.py::test_victim"},
    "outcome": {"outcome": "perfect"}, "no reason": {"outcome": "failed", "code": 1}, "not counted": {"outcome": "failed", "longrepr": "x"},
}
WARNING = {"category": "UserWarning", "text": "t", "path": "/etc/passwd", "lineno": 1, "source": "s"}
WARNINGS = {  # to each: what is shown of it
    "plain": ({}, "/etc/passwd:1: UserWarning: t\n    s"), "no source": ({"source": "", "text": "alone"}, "UserWarning: alone\n"),
    "other": ({"category": "os.Other", "text": "of"}, "UserWarning: os.Other: of"), "class": ({"category": "BaseException"}, "BaseException: t"),
    "more than text": ({"category": "UnicodeWarning", "text": "\x1bu"}, "UnicodeWarning: u\n"),
    "place": ({"path": "/workspace/x", "text": "here"}, "/x:1: UserWarning: here"),
}
BAD_WARNINGS = {
    "class": {"category": ["UserWarning"]}, "text": {"text": 5}, "path": {"path": 5}, "line": {"lineno": HUGE},
    "no line": {"lineno": None}, "source": {"source": None},
}
RAW = {"array": "[]", "object": "{}", "number": "5", "pair": '"ab"', "other kind": '["other", "x"]', "kind": '[["test"], 5]',
       "one": '["test"]', "three": '["test", 5, 5]', "null": '["test", null]', "no text": '["collect", 5]',
       "nested": f'["test", {NESTED}', "digits": f'["test", {"9" * 100_000}]', "nothing": ""}

CONFTEST = """
    import json, types
    import check_pytest_reports as cases
    from sbx import pytest_plugin

    def said(item, words):
        phase, name = item.callspec.params["phase"], item.callspec.params["name"]
        made = [{"nodeid": item.nodeid, "location": item.location, "keywords": {}, "when": when, "outcome": "passed",
                 "duration": 0.5, "longrepr": None, "sections": [], "user_properties": []}
                for when in ("setup", "call", "teardown")]
        code = 0
        if phase == "failures":
            made[1].update(outcome="failed", longrepr=cases.FAILURES[name])
            code = 1
        elif phase in ("GOOD", "BAD"):
            made[1].update(getattr(cases, phase)[name])
            code = made[1].pop("code", 0)
        lines = [json.dumps(["test", one]) for one in made]
        if phase in ("SUBTESTS", "BAD_SUBTESTS"):
            given = {**made[1], "_subtest.context": {"msg": "m", "kwargs": {"k": "1"}}, **getattr(cases, phase)[name]}
            code = given.pop("code", 0)
            lines.insert(1, json.dumps(["subtest", given]))
        if phase == "WARNINGS":
            lines.append(json.dumps(["warning", {**cases.WARNING, **cases.WARNINGS[name][0]}]))
        if phase == "BAD_WARNINGS":
            lines.append(json.dumps(["warning", {**cases.WARNING, **cases.BAD_WARNINGS[name]}]))
        if phase == "raw":
            lines[1:2] = [cases.RAW[name]] if cases.RAW[name] else []
        return types.SimpleNamespace(stdout="\\n".join(lines).encode(), status="nonzero" if code else "ok", ok=not code,
                                     exit_code=code, stderr=b"", stderr_text="", wall_ms=1200.0, denials=[],
                                     reason={"text": "it ended"}, network={"mode": "none"})

    pytest_plugin.run = said
"""
TESTS = """
    import check_pytest_reports as cases, pytest

    @pytest.mark.sandbox
    @pytest.mark.parametrize("phase, name", [(phase, name) for phase, names in [
        ("GOOD", cases.GOOD), ("failures", cases.FAILURES), ("BAD", cases.BAD), ("raw", cases.RAW),
        *((name, getattr(cases, name)) for name in ("SUBTESTS", "BAD_SUBTESTS", "WARNINGS", "BAD_WARNINGS"))] for name in names],
        ids=lambda word: word.replace(" ", "-"))
    def test_said(phase, name): pass

    def test_victim(): assert 0, "the truth"
    def test_after(): pass
"""


@pytest.fixture
def known():
    """Where a project finds the cases of this file."""
    return {"PYTHONPATH": f"{Path(__file__).parent}:{os.environ['PYTHONPATH']}"}


@pytest.mark.parametrize("words", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "xdist"])
def test_whatever_is_said(project, words, known):
    project.write("conftest.py", CONFTEST)
    project.write("test_it.py", TESTS)
    found = project.run("-v", "--junitxml=out.xml", "--durations=0", *words, env=known)
    outcomes = {"GOOD": "PASSED", "failures": "FAILED", "BAD": "FAILED", "raw": "FAILED", "SUBTESTS": "PASSED",
                 "BAD_SUBTESTS": "FAILED", "WARNINGS": "PASSED", "BAD_WARNINGS": "FAILED"}
    wanted = {f"test_said[{phase}-{name.replace(' ', '-')}]": outcomes[phase] for phase, names in
              [("GOOD", GOOD), ("failures", FAILURES), ("BAD", BAD), ("raw", RAW), ("SUBTESTS", SUBTESTS),
               ("BAD_SUBTESTS", BAD_SUBTESTS), ("WARNINGS", WARNINGS), ("BAD_WARNINGS", BAD_WARNINGS)] for name in names}
    wanted["test_said[GOOD-expected]"] = "XPASS"
    assert project.code == 1, project.said
    assert found == {**wanted, "test_victim": "FAILED", "test_after": "PASSED"}, project.said
    assert project.said.count("a report that cannot be read") >= len(BAD) + len(RAW) + len(BAD_SUBTESTS) + len(BAD_WARNINGS) - 4
    assert "SUBFAILED[m] (k=" in project.said and "\x1b" not in project.said and len(project.said) < 2_000_000
    assert [shown for _, shown in WARNINGS.values() if shown not in project.said] == [] and "root:x" not in project.said
    assert "INTERNALERROR" not in project.said and "the truth" in project.said
    [suite] = ElementTree.parse(project.folder / "out.xml").getroot()
    assert int(suite.get("tests")) == len(wanted) + len(SUBTESTS) + 2 and float(suite.get("time")) < 1e6


def test_duration_is_at_most_that_of_the_run(project, known):
    project.write("conftest.py", CONFTEST.replace('"duration": 0.5', '"duration": 1e6'))
    project.write("test_it.py", TESTS)
    project.run("--durations=3", "-k", "GOOD-nothing", env=known)
    assert project.code == 0 and "1.20s call" in project.said, project.said
