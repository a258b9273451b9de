"""SandboxToolSpec: tools for LlamaIndex that run code and keep files in a sandbox.

    from sbx import Sandbox
    from sbx.adapters.llama_index import SandboxToolSpec

    tools = SandboxToolSpec(Sandbox("python", memory="256M", timeout=10)).to_tool_list()
"""
from __future__ import annotations

import asyncio
import inspect
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..aio import AsyncSandbox
from ..sandbox import Sandbox
from .missing import missing
from .words import TROUBLE, Told, attempt, clip, failed, shell, told

try:
    from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput
    from llama_index.core.tools.tool_spec.base import BaseToolSpec
except ImportError as error:
    raise missing("llama_index", "llama_index", error) from None


class SandboxTool(FunctionTool):
    """A FunctionTool whose output is_error when the run was not `ok`, or the arguments are wrong. raw_output is Told: the
    text, with `.result`."""

    def call(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """As FunctionTool.call."""
        return self._mistake(args, kwargs) or _marked(super().call(*args, **kwargs))

    async def acall(self, *args: Any, **kwargs: Any) -> ToolOutput:
        """As FunctionTool.acall. Cancelling it ends the whole tree."""
        return self._mistake(args, kwargs) or _marked(await super().acall(*args, **kwargs))

    def _mistake(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[ToolOutput]:
        """What is wrong with arguments, which are a model's: nobody else compares them with the schema. None: nothing."""
        signature = inspect.signature(self.real_fn)
        given = {**getattr(self, "_field_defaults", {}), **self.partial_params, **kwargs}
        try:
            bound = signature.bind(*args, **given).arguments
            wrong = [f"{name} must be text, and is no {type(one).__name__}" for name, one in bound.items()
                     if signature.parameters[name].annotation in (str, "str") and not isinstance(one, str)]
        except TypeError as error:
            wrong = [str(error)]
        if not wrong:
            return None
        said = failed(ValueError("wrong arguments: " + "; ".join(wrong)))
        return ToolOutput(content=str(said), tool_name=self.metadata.get_name(), raw_output=said, is_error=True,
                          raw_input={"args": args, "kwargs": kwargs})


class SandboxToolSpec(BaseToolSpec):
    """run_python, run_shell, read_file, write_file and list_files, all on one workspace.

    What fails is told in the output, with is_error, and never raised.
    """

    spec_functions = [(name, f"a{name}") for name in ("run_python", "run_shell", "read_file", "write_file",
                                                      "list_files")]

    def __init__(self, sandbox: Optional[Sandbox] = None) -> None:
        """sandbox: where the code runs, with the operator's profile and limits; None: the profile python."""
        self.sandbox = sandbox or Sandbox("python")

    def to_tool_list(self, spec_functions: Optional[List[Any]] = None,
                     func_to_metadata_mapping: Optional[Dict[str, ToolMetadata]] = None) -> List[FunctionTool]:
        """The tools, or those that are named: "run_python", or pairs of a function and its async twin."""
        metadata = func_to_metadata_mapping or {}
        tools: List[FunctionTool] = []
        for one in spec_functions or self.spec_functions:
            name = one if isinstance(one, str) else one[0]
            tools.append(SandboxTool.from_defaults(fn=getattr(self, name), async_fn=getattr(self, f"a{name}"),
                                                   tool_metadata=metadata.get(name)))
        return tools

    def run_python(self, code: str) -> str:
        """Runs a Python program in a sandbox and returns what it prints. Files in the current folder stay."""
        return attempt(lambda: self.sandbox.run(["python3", "-"], input=code))

    def run_shell(self, script: str) -> str:
        """Runs a POSIX shell script in a sandbox and returns what it prints. Files in the current folder stay."""
        return attempt(lambda: self.sandbox.run(shell(script)))

    def read_file(self, path: str) -> str:
        """Returns the text of a file; `path` is relative to the folder that programs start in."""
        return _tried(lambda: clip(self.sandbox.read_file(path).decode(errors="replace")))

    def write_file(self, path: str, text: str) -> str:
        """Writes a text file, and the folders above it; `path` is relative."""
        def write() -> str:
            self.sandbox.write_file(path, text)
            return _sendable(f"wrote {path}")
        return _tried(write)

    def list_files(self) -> str:
        """Returns the paths of all files, a line each."""
        return _tried(lambda: clip(_sendable("\n".join(self.sandbox.list_files()))) or "(no files)")

    async def _arun(self, words: List[str], source: Optional[str] = None) -> str:
        try:
            return told(await AsyncSandbox.of(self.sandbox).run(words, input=source))
        except TROUBLE as error:
            return failed(error)

    async def arun_python(self, code: str) -> str:
        """As run_python."""
        return await self._arun(["python3", "-"], code)

    async def arun_shell(self, script: str) -> str:
        """As run_shell."""
        return await self._arun(shell(script))

    async def aread_file(self, path: str) -> str:
        """As read_file."""
        return await asyncio.to_thread(self.read_file, path)

    async def awrite_file(self, path: str, text: str) -> str:
        """As write_file."""
        return await asyncio.to_thread(self.write_file, path, text)

    async def alist_files(self) -> str:
        """As list_files."""
        return await asyncio.to_thread(self.list_files)


def _sendable(text: str) -> str:
    """A name that is no UTF-8 has half surrogates in it, and no text with one can be sent on."""
    return text.encode(errors="replace").decode()


def _tried(act: Callable[[], str]) -> Told:
    try:
        return Told(act(), None, True)
    except TROUBLE as error:  # a path that leads out, is not there, or has no folder to be in
        return failed(error)


def _marked(output: ToolOutput) -> ToolOutput:
    if isinstance(output.raw_output, Told) and not output.raw_output.ok:
        output.is_error = True
    return output
