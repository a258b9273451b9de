"""SandboxTool: a LangChain tool that runs Python or shell code of a model in a sandbox.

    from sbx import Sandbox
    from sbx.adapters.langchain import SandboxTool

    box = Sandbox("python", memory="256M", timeout=10)
    tools = [SandboxTool.python(box), SandboxTool.shell(box)]
"""
from __future__ import annotations

from typing import Any, List, Literal, Optional, Tuple, Type

from ..aio import AsyncSandbox
from ..result import Result
from ..sandbox import Sandbox
from .missing import missing
from .words import TROUBLE, Told, attempt, failed, shell, told

try:
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import BaseTool
    from pydantic import BaseModel, ConfigDict, Field
except ImportError as error:
    raise missing("langchain_core", "langchain", error) from None

Answer = Tuple[str, Optional[Result]]


class Code(BaseModel):
    """What the model gives."""

    code: str = Field(description="the whole program; what it prints is the answer")


class SandboxTool(BaseTool):
    """Runs `code` once, in a fresh sandbox. Files in the workspace stay from one call to the next.

    The message's artifact is the Result. Whatever fails (the code, a limit, sbx itself, the arguments) is a message
    of status "error" that says so, and never an exception.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    name: str = "run_python"
    description: str = ("Runs a Python program in a sandbox and returns what it prints. Every call is a new process; "
                        "files in the current folder stay.")
    args_schema: Any = Code
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    handle_tool_error: Any = True
    handle_validation_error: Any = Field(default_factory=lambda: _mistakes)
    sandbox: Sandbox = Field(default_factory=lambda: Sandbox("python"), exclude=True, repr=False)
    """Where the code runs; its profile and limits are the operator's."""
    language: Literal["python", "shell"] = "python"
    """What the code is: for python3, or for sh."""

    @classmethod
    def python(cls: Type[SandboxTool], sandbox: Sandbox, **fields: Any) -> SandboxTool:
        """The tool run_python."""
        return cls(sandbox=sandbox, **fields)

    @classmethod
    def shell(cls: Type[SandboxTool], sandbox: Sandbox, **fields: Any) -> SandboxTool:
        """The tool run_shell."""
        about = ("Runs a script of the POSIX shell in a sandbox and returns what it prints. Every call is a new "
                 "process; files in the current folder stay.")
        return cls(**{"sandbox": sandbox, "language": "shell", "name": "run_shell", "description": about, **fields})

    def _words(self, code: str) -> Tuple[List[str], Optional[str]]:
        """The command, and what it reads. A program has no limit on its length there, as argv has."""
        return (["python3", "-"], code) if self.language == "python" else (shell(code), None)

    def _run(self, code: str) -> Answer:
        words, source = self._words(code)
        return _answer(attempt(lambda: self.sandbox.run(words, input=source)))

    async def _arun(self, code: str) -> Answer:
        words, source = self._words(code)
        try:
            return _answer(told(await AsyncSandbox.of(self.sandbox).run(words, input=source)))
        except TROUBLE as error:
            return _answer(failed(error))

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """As BaseTool.run; a message about a run that was not `ok` has the status "error"."""
        return _marked(super().run(*args, **kwargs))

    async def arun(self, *args: Any, **kwargs: Any) -> Any:
        """As BaseTool.arun; likewise. Cancelling it ends the whole tree."""
        return _marked(await super().arun(*args, **kwargs))


def _mistakes(error: Any) -> str:
    """A pydantic ValidationError for the model: each argument with what is wrong about it."""
    wrong = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return "wrong arguments: " + "; ".join(wrong)


def _answer(said: Told) -> Answer:
    return str(said), said.result


def _marked(message: Any) -> Any:
    if isinstance(message, ToolMessage) and not (isinstance(message.artifact, Result) and message.artifact.ok):
        message.status = "error"
    return message
