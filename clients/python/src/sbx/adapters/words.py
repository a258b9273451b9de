"""What a model is told about a run: how it ended, what was refused and what would allow it, and the outputs."""
from __future__ import annotations

from typing import Callable, List, Optional

from .. import schema
from ..errors import SbxError
from ..result import Result

# What a call may end with that is no result: of sbx, of the system (a script too long for argv), of what was asked.
TROUBLE = (SbxError, OSError, ValueError)
MOST = 20_000  # characters of each output that a model is shown
# What programs print when there is no way out; with network: none that is no denial, it is just not there.
OFFLINE = ("name resolution", "Name or service not known", "Network is unreachable", "Could not resolve",
           "getaddrinfo", "EAI_AGAIN", "nodename nor servname", "unable to resolve")


class Told(str):
    """The text for the model, with the result it is about; None when there was no run."""

    result: Optional[Result]
    ok: bool

    def __new__(cls, text: str, result: Optional[Result], ok: bool) -> Told:
        told = super().__new__(cls, text)
        told.result, told.ok = result, ok
        return told


def shell(script: str) -> List[str]:
    """The command for a script of sh, one that begins with a dash, too."""
    return ["sh", "-c", "--", script]


def clip(text: str, most: int = MOST) -> str:
    """`text`, its middle left out when it has more than `most` characters, which the text says."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}\n[{len(text) - head - tail} characters left out]\n{text[-tail:]}"


def denied(one: schema.Denial) -> str:
    """One refusal, and the line of a profile that would have allowed it."""
    what = " ".join(filter(None, (one["operation"], one["target"])))
    times = f" ({one['count']} times)" if one["count"] > 1 else ""
    allow = f"; the operator could allow it with: {one['allow_with']}" if one["allow_with"] else \
        "; no line of a profile allows it"
    return f"denied: {what}{times}{allow}"


def ending(result: Result) -> List[str]:
    """How a run ended and what it was refused, a line each; nothing when it was `ok` and nothing was refused."""
    lines: List[str] = []
    if not result.ok:
        lines.append(f"status: {result.status} ({result.reason['text']})")
    lines += [denied(one) for one in result.denials or [] if not one["passed"]]
    if not result.ok and result.network["mode"] == "none" and any(one in result.stderr_text for one in OFFLINE):
        lines.append('denied: network; this sandbox has none; the operator could allow a host with: '
                     'network: {allow: ["HOST:PORT"]}')
    return lines


def told(result: Result, most: int = MOST) -> Told:
    """How a run ended, in words, and its outputs. A run that was `ok` and printed something is its output alone."""
    lines = ending(result)
    if result.stdout:
        lines.append(clip(result.stdout_text, most).rstrip("\n"))
    if result.stderr:
        lines += ["stderr:", clip(result.stderr_text, most).rstrip("\n")]
    return Told("\n".join(lines) or "(no output)", result, result.ok)


def failed(error: Exception) -> Told:
    """What could not be done, for the model: sbx's own message, or what is wrong with a path."""
    kind = "sandbox error" if isinstance(error, SbxError) else "error"
    return Told(f"{kind}: {error}", error.result if isinstance(error, SbxError) else None, False)


def attempt(act: Callable[[], Result]) -> Told:
    """What `act` came to. A run that could not be started is told, too, and not raised."""
    try:
        return told(act())
    except TROUBLE as error:
        return failed(error)
