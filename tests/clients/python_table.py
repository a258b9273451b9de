"""Runs one line of clients/behaviours.json with the Python client, and judges what came of it."""
import base64
import hashlib
import json
import os
from pathlib import Path

import pytest

TABLE = Path(__file__).resolve().parents[2] / "clients" / "behaviours.json"
CASES = json.loads(TABLE.read_text())["behaviours"]
NUMBERS = json.loads(TABLE.read_text())["numbers"]


def data(value):
    """The bytes that a text, {"base64": ...} or {"repeat": ..., "count": ...} stands for; None as it is."""
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    return base64.b64decode(value["base64"]) if "base64" in value else value["repeat"].encode() * value["count"]


def options(case, degraded):
    """The arguments of Sandbox for this case."""
    words = {**case.get("overrides", {}), **({"degrade": ["cgroup"]} if degraded else {})}
    workspace = case.get("workspace")
    return {"profile": case.get("profile"), "workspace": "none" if workspace is False else workspace, **words}


def argv(case, tree):
    return [word.replace("$TREE", tree) for word in case["argv"]]


def callbacks(case, heard):
    """The callbacks that the case asks for; `heard` gets (stream, data) of each call."""
    found = {}
    if case.get("streams"):
        found["on_stdout"] = lambda text: heard.append(("stdout", text))
        found["on_stderr"] = lambda text: heard.append(("stderr", text))
    if case.get("events"):
        found["on_event"] = lambda event: heard.append(("event", event))
    return found


def running_with(word):
    """Processes that have `word` among their arguments."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if word.encode() in words:
            found.append(entry)
    return found


def field(result, path):
    value = result.raw
    for name in path.split("."):
        value = value[name]
    return value


def judge_output(got, stream, want):
    if isinstance(want, str) or "base64" in want:
        assert got == data(want)
        return
    for text in want.get("contains", []):
        assert text.encode() in got
    for text in want.get("lacks", []):
        assert text.encode() not in got
    for name in ("bytes", "sha256", "truncated"):
        if name in want:
            assert stream[name] == want[name]


def judge_like(got, want):
    """`got` has what `want` has; a list of texts is contained in a text."""
    for key, value in want.items():
        if isinstance(value, list) and isinstance(got[key], str):
            assert all(text in got[key] for text in value), got
        else:
            assert got[key] == value, got


def judge_result(box, result, want):
    """Everything of `expect` that is about the result; `box` is a Sandbox."""
    for name in ("ok", "status", "exit_code", "signal", "code", "redactions"):
        if name in want:
            assert getattr(result, name) == want[name], result.raw
    for name in ("stdout", "stderr"):
        if name in want:
            judge_output(getattr(result, name), result.raw["output"][name], want[name])
    for name in ("reason", "changes", "network", "isolation"):
        if name in want:
            judge_like(getattr(result, name), want[name])
    for denial in want.get("denials", []):
        assert any(denial.items() <= one.items() for one in result.denials), result.denials
    assert result.undelivered == []  # of none of the table's
    for text in want.get("warnings", []):
        assert any(text in one for one in result.warnings), result.warnings
    for path in want.get("usage_not_null", []):
        assert isinstance(field(result, path), (int, float)), path
    for path, bound in want.get("at_least", {}).items():
        assert field(result, path) >= bound, path
    for path, bound in want.get("at_most", {}).items():
        assert field(result, path) <= bound, path
    if "artifacts" in want:
        judge_artifacts(box, result, want["artifacts"])


def judge_artifacts(box, result, want):
    paths = [data(one["path"]) for one in want]
    for listed in (result.artifacts, box.artifacts(result)):
        assert [data(one.get("path") or {"base64": one["path_base64"]}) for one in listed] == paths
    for one, path in zip(want, paths):
        content = box.get_artifact(result, os.fsdecode(path))
        assert content == data(one["content"]) == box.get_artifact(result, path)
        assert box.get_artifact(result, hashlib.sha256(content).hexdigest()) == content


def number(value):
    """What "value" of NUMBERS stands for."""
    return float(value) if isinstance(value, str) else value


def judge_files(box, want):
    for path, content in want.get("files", {}).items():
        if content is None:
            with pytest.raises(FileNotFoundError):
                box.read_file(path)
        else:
            assert box.read_file(path) == data(content)
    if "listing" in want:
        assert box.list_files() == want["listing"]
    for path in want.get("unreadable", []):
        with pytest.raises((OSError, ValueError)):
            box.read_file(path)
        with pytest.raises((OSError, ValueError)):
            box.write_file(path, "overwritten")


def judge_heard(heard, want):
    if "callbacks" in want:
        for name in ("stdout", "stderr"):
            assert b"".join(one for stream, one in heard if stream == name) == data(want["callbacks"][name])
        if "order" in want["callbacks"]:
            assert [[stream, one.decode()] for stream, one in heard if stream != "event"] == want["callbacks"]["order"]
    events = [one for stream, one in heard if stream == "event"]
    types = iter([event["type"] for event in events])
    assert all(kind in types for kind in want.get("events", [])), events  # each after the one before it
    if want.get("events_seq"):
        assert [event["seq"] for event in events] == list(range(len(events)))


def judge_error(error, want):
    assert error.code == want["code"]
    assert all(text in str(error) for text in want["message"]), str(error)
