"""Decodes what sbx writes while a run goes on (events), and at its end (the result)."""
from __future__ import annotations

import inspect
import json
from typing import Any, Callable, Optional

from . import schema
from .binary import message
from .errors import SbxError
from .process import NOT_OURS
from .result import Result, output_bytes

BY_STATUS = {"timeout": 124, "cpu_limit": 124, "idle_timeout": 124, "not_found": 127, "not_executable": 126,
             "output_limit": 153, "seccomp": 159, "setup_error": 125, "internal_error": 125}


class Decoder:
    """Splits the stream of events into lines, and hands them to the callbacks."""

    def __init__(self, on_stdout: Optional[Callable[[bytes], Any]], on_stderr: Optional[Callable[[bytes], Any]],
                 on_event: Optional[Callable[[schema.Event], Any]]) -> None:
        self._outputs = {"stdout": on_stdout, "stderr": on_stderr}
        self._on_event = on_event
        self._rest = bytearray()
        self._next = 0
        self.lost = 0
        """Gaps in the numbers of the events."""

    def feed(self, data: bytes) -> None:
        """Takes some bytes of the stream. Whatever a callback raises is passed on."""
        self._rest += data
        if b"\n" not in data:
            return
        *lines, rest = self._rest.split(b"\n")
        self._rest = rest
        for line in lines:
            self._event(json.loads(line))

    def _event(self, event: Any) -> None:
        self.lost += event["seq"] - self._next
        self._next = event["seq"] + 1
        output = self._outputs.get(event["type"])
        if output:
            _call(output, output_bytes(event))
        if self._on_event:
            _call(self._on_event, event)


def _call(sink: Callable[[Any], Any], data: Any) -> None:
    answer = sink(data)
    if inspect.iscoroutine(answer):
        answer.close()  # without a warning that it was never awaited
        raise TypeError("a callback gave a coroutine, which nobody awaits here: that is for AsyncSandbox")


def decode(stdout: bytes, stderr: bytes, code: Optional[int], lost: int) -> Result:
    """The result of an ended `sbx run --json`. Raises SbxError when sbx itself failed, or was killed."""
    said = message(stderr)
    try:
        raw = json.loads(stdout)
    except ValueError:
        raise SbxError(said or f"sbx ended with {code} and without a result", code) from None
    kind = raw.get("schema") if isinstance(raw, dict) else None
    if kind != "sbx.result/1":
        raise SbxError(f"sbx gave a result of another kind: {kind}", code)
    if code is None or code == NOT_OURS:
        code = BY_STATUS.get(raw["status"], 128 + raw["signal"] if raw["signal"] else raw["exit_code"] or 0)
    result = Result(raw, code, lost)
    if code == 125 and result.exit_code != 125:
        raise SbxError(said or result.reason["text"], code, result)
    return result
