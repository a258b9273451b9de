"""SandboxExecutor: runs the code of a smolagents CodeAgent in a sandbox.

    from smolagents import CodeAgent
    from sbx import Sandbox
    from sbx.adapters.smolagents import SandboxExecutor

    with SandboxExecutor(Sandbox("python", memory="512M")) as executor:
        CodeAgent(tools=[], model=model, executor=executor).run("...")

One executor is for one agent: its steps share one interpreter, with the agent's tools and variables in it. The tools'
code runs in the sandbox, too, so that one which needs the network, or a key, has none.
"""
from __future__ import annotations

import ast
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from ..sandbox import Sandbox
from .missing import missing
from .session import Session, Step

try:
    from smolagents.local_python_executor import CodeOutput
    from smolagents.monitoring import AgentLogger, LogLevel
    from smolagents.remote_executors import RemotePythonExecutor
    from smolagents.utils import AgentError
except ImportError as error:
    raise missing("smolagents", "smolagents", error) from None

# Its value is the names among NAMES that can neither be imported nor are an installed distribution.
LACKING = """
def _sbx_lacking(names):
    from importlib import metadata, util
    for name in names:
        try:
            if util.find_spec(name) is None:
                metadata.version(name)
        except Exception:
            yield name
", ".join(_sbx_lacking({names!r}))
"""


def _tolerant(code: str) -> str:
    """`code`, which defines tools, with its imports tried: smolagents puts one there for whatever a tool may use,
    numpy and PIL for final_answer alone."""
    tree = ast.parse(code)
    handler = ast.ExceptHandler(ast.Name("ImportError", ast.Load()), None, [ast.Pass()])
    for place, one in enumerate(tree.body):
        if isinstance(one, ast.Import) or isinstance(one, ast.ImportFrom) and one.module != "__future__":
            tree.body[place] = ast.Try([one], [handler], [], [])
    return ast.unparse(ast.fix_missing_locations(tree))


class SandboxExecutor(RemotePythonExecutor):
    """A PythonExecutor for CodeAgent(executor=...).

    sandbox: where the code runs; None: the profile python. Only JSON comes back from it, never a pickle.
    additional_imports: packages that must be there; sbx installs none, and says which are missing.
    step_timeout: seconds for one step. lifetime: seconds for one interpreter. When either is over, or the memory,
    the step's error says so and that the variables are gone; tools and the agent's variables are sent again.
    """

    def __init__(self, sandbox: Optional[Sandbox] = None, *, additional_imports: Optional[List[str]] = None,
                 logger: Any = None, step_timeout: float = 30.0, lifetime: float = 900.0) -> None:
        super().__init__(list(additional_imports or []), logger or AgentLogger(level=LogLevel.OFF), allow_pickle=False)
        self._session = Session(sandbox or Sandbox("python"), step_timeout, lifetime)
        self._sending = False
        try:
            self.installed_packages = self.install_packages(self.additional_imports)
        except BaseException:  # nobody gets this object, to clean it up
            self._session.close()
            raise

    def run_code_raise_errors(self, code: str) -> CodeOutput:
        """Runs one step. Raises AgentError with what it printed and what was wrong."""
        step = self._session.prepare(_tolerant(code)) if self._sending else self._session.step(code)
        if step.error is not None:
            raise AgentError("\n".join(filter(None, (step.logs.rstrip("\n"), step.error))), self.logger)
        if step.final is not None:
            return CodeOutput(output=self._final(step), logs=step.logs, is_final_answer=True)
        return CodeOutput(output=step.value, logs=step.logs, is_final_answer=False)

    def _final(self, step: Step) -> Any:
        try:
            return self._deserialize_final_answer(step.final or "", False)
        except Exception as error:  # the answer is the payload's: whatever it made of it is its fault
            raise AgentError(f"the final answer cannot be read: {error}", self.logger) from None

    def send_tools(self, tools: Dict[str, Any]) -> None:
        """Defines the tools in the interpreter, and in each that comes after it."""
        self._send(lambda: super(SandboxExecutor, self).send_tools(tools))

    def send_variables(self, variables: Dict[str, Any]) -> None:
        """Sets variables in the interpreter, and in each that comes after it. What JSON cannot hold is refused."""
        self._send(lambda: super(SandboxExecutor, self).send_variables(variables))

    def _send(self, act: Any) -> None:
        self._sending = True
        try:
            act()
        finally:
            self._sending = False

    def _patch_final_answer_with_exception(self, final_answer_tool: Any) -> None:
        # An agent sends its tools with every run; patched twice, the tool would call itself without end.
        if not hasattr(final_answer_tool, "_forward"):
            super()._patch_final_answer_with_exception(final_answer_tool)

    def install_packages(self, additional_imports: List[str]) -> List[str]:
        """Sees that packages are there; nothing is installed. Raises AgentError with those that are not.

        What tools seem to need, from their imports, is only logged: they may well do without.
        """
        if not additional_imports:
            return []
        step = self._session.step(LACKING.format(names=list(additional_imports)))
        if step.error is not None or step.value != "''":
            why = (f"not in the sandbox: {step.error or step.value}; sbx installs nothing: take a profile whose "
                   "python3 has it, such as a root with an image, or a virtualenv in PATH")
            if not self._sending:
                raise AgentError(why, self.logger)
            self.logger.log(why)
        return list(additional_imports)

    def cleanup(self) -> None:
        """Ends the interpreter; the next step would start another. The agent's own cleanup calls it."""
        self._session.close()

    def __enter__(self) -> SandboxExecutor:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.cleanup()
