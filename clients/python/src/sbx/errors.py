"""What the client raises by itself. A command that fails is no error unless `check` asked for one."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Tuple, Type

if TYPE_CHECKING:
    from .result import Result


class SbxError(Exception):
    """sbx could not do what was asked: no binary, a bad profile or flag, a control that this host lacks.

    The text is sbx's own message. `code` is the exit code of sbx (125), or None when it did not get to
    one; `result` is the result, when sbx gave one.
    """

    def __init__(self, message: str, code: Optional[int] = None, result: Optional[Result] = None) -> None:
        super().__init__(message)
        self.code = code
        self.result = result


class Closed(SbxError):
    """The sandbox was closed while the command ran."""

    def __init__(self, message: str = "this sandbox was closed") -> None:
        super().__init__(message)


class CommandFailed(Exception):
    """A command ended otherwise than with `ok`, and `check=True` asked to be told so."""

    def __init__(self, result: Result) -> None:
        tail = result.stderr_text.strip().splitlines()[-1:]
        super().__init__(": ".join([result.reason["text"], *tail]))
        self.result = result
        self.code = result.code

    def __reduce__(self) -> Tuple[Type[CommandFailed], Tuple[Result]]:
        """How it is pickled. Exception would make it again from its text, and a pool of processes breaks on that."""
        return type(self), (self.result,)
