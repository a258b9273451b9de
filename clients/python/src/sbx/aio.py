"""AsyncSandbox: the same for asyncio. Each run has a thread that does what Sandbox.run does."""
from __future__ import annotations

import asyncio
import inspect
import os
import threading
from types import TracebackType
from typing import Any, Callable, List, Optional, Sequence, Type

from . import schema
from .process import pipe
from .result import Result
from .sandbox import Arg, Data, EventSink, Sandbox, Sink, Text


class AsyncSandbox:
    """Sandbox for asyncio: the same arguments, and methods to await.

    Callbacks are called in the loop's own thread and may be coroutine functions; the next output waits for them.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes what Sandbox takes, and raises what it raises."""
        self.sandbox = Sandbox(*args, **kwargs)

    async def run(self, argv: Sequence[Arg], *, input: Data = None, timeout: Optional[float] = None,
                  check: bool = False, on_stdout: Optional[Sink] = None, on_stderr: Optional[Sink] = None,
                  on_event: Optional[EventSink] = None, **overrides: Any) -> Result:
        """As Sandbox.run. When the task is cancelled, the whole tree has ended before CancelledError comes."""
        loop = asyncio.get_running_loop()
        sinks = (_inside(loop, on_stdout), _inside(loop, on_stderr), _inside(loop, on_event))
        done: asyncio.Future[Result] = loop.create_future()
        stopping, stop = pipe()

        def work() -> None:
            try:
                result = self.sandbox._run(argv, input, timeout, check, sinks, overrides, stopping)
            except BaseException as error:
                _tell(loop, done, error, None)
            else:
                _tell(loop, done, None, result)

        # Not of the executor's pool, which has few threads; daemon, because exit must not wait for a run.
        thread = threading.Thread(target=work, name="sbx-run", daemon=True)
        try:
            thread.start()
            try:
                return await asyncio.shield(done)
            except asyncio.CancelledError:
                os.write(stop, b"x")
                await _settled(done)
                raise
        finally:
            if thread.ident:
                thread.join()  # it has told how the run ended, and does nothing after that
            os.close(stop)
            os.close(stopping)

    async def write_file(self, path: str, data: Text, mode: int = 0o644) -> None:
        """As Sandbox.write_file."""
        await asyncio.to_thread(self.sandbox.write_file, path, data, mode)

    async def read_file(self, path: str) -> bytes:
        """As Sandbox.read_file."""
        return await asyncio.to_thread(self.sandbox.read_file, path)

    async def list_files(self) -> List[str]:
        """As Sandbox.list_files."""
        return await asyncio.to_thread(self.sandbox.list_files)

    async def artifacts(self, result: Result) -> List[schema.KeptArtifact]:
        """As Sandbox.artifacts."""
        return await asyncio.to_thread(self.sandbox.artifacts, result)

    async def get_artifact(self, result: Result, path: str) -> bytes:
        """As Sandbox.get_artifact."""
        return await asyncio.to_thread(self.sandbox.get_artifact, result, path)

    async def close(self) -> None:
        """As Sandbox.close."""
        await asyncio.to_thread(self.sandbox.close)

    async def __aenter__(self) -> AsyncSandbox:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()


def _inside(loop: asyncio.AbstractEventLoop, sink: Optional[Callable[[Any], Any]]) -> Optional[Callable[[Any], Any]]:
    """`sink` for a worker thread: called in the loop, waited for, its exception passed on."""
    if sink is None:
        return None
    call = sink

    async def invoke(data: Any) -> None:
        answer = call(data)
        if inspect.isawaitable(answer):
            await answer

    return lambda data: asyncio.run_coroutine_threadsafe(invoke(data), loop).result()


def _tell(loop: asyncio.AbstractEventLoop, done: asyncio.Future[Result], error: Optional[BaseException],
          result: Optional[Result]) -> None:
    def settle() -> None:
        if error is not None:
            done.set_exception(error)
        elif result is not None:
            done.set_result(result)
    try:
        loop.call_soon_threadsafe(settle)
    except RuntimeError:
        pass  # the loop is closed: nobody waits any more


async def _settled(done: asyncio.Future[Result]) -> None:
    """Waits for the end of a run that was told to stop, however often the task is cancelled meanwhile."""
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            pass
    if not done.cancelled():
        done.exception()  # looked at: the one who cancels does not want to know
