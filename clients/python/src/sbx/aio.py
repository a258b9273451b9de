"""AsyncSandbox: the same for asyncio. Each run has a thread that does what Sandbox.run does."""
from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import os
import threading
from types import TracebackType
from typing import Any, Callable, Coroutine, Dict, List, Optional, Sequence, Type, Union

from . import binary as sbx
from . import folder, schema
from .pipes import close_all, pipe
from .process import Cancelled
from .result import Result
from .sandbox import Arg, EventSink, Sandbox, Sink, Text
from .source import Data

LOOK = 0.2  # seconds; how often whoever waits for a callback looks whether anybody still calls it


class AsyncSandbox:
    """Sandbox for asyncio: the same arguments, and methods to await.

    Callbacks are called in the loop's own thread and may be coroutine functions; the next output waits for them.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes what Sandbox takes, and raises what it raises."""
        self.sandbox = Sandbox(*args, **kwargs)

    @classmethod
    def of(cls, sandbox: Sandbox) -> AsyncSandbox:
        """Another way into a Sandbox that is there already; closing either closes both."""
        made = cls.__new__(cls)
        made.sandbox = sandbox
        return made

    async def run(self, argv: Sequence[Arg], *, input: Data = None, timeout: Union[float, str, None] = None,
                  check: bool = False, on_stdout: Optional[Sink] = None, on_stderr: Optional[Sink] = None,
                  on_event: Optional[EventSink] = None, **overrides: Any) -> Result:
        """As Sandbox.run. When the task is cancelled, the whole tree has ended before CancelledError comes; when the loop is
        closed, it ends within a second or two."""
        loop = asyncio.get_running_loop()
        calls = _Calls(loop, lambda: loop.is_closed() or self.sandbox._runs.closed)
        sinks = (calls.of(on_stdout), calls.of(on_stderr), calls.of(on_event))
        done: asyncio.Future[Result] = loop.create_future()
        held: List[int] = []

        def work() -> None:
            try:
                result = self.sandbox._run(argv, input, timeout, check, sinks, overrides, stopping, loop.is_closed)
            except BaseException as error:
                _tell(loop, done, error, None)
            else:
                _tell(loop, done, None, result)

        try:
            stopping, stop = pipe(held)
            # Not of the executor's pool, which has few threads; daemon, because exit must not wait for a run.
            thread = threading.Thread(target=work, name="sbx-run", daemon=True)
            try:
                thread.start()
                return await asyncio.shield(done)
            except BaseException as error:  # GeneratorExit, too: of a loop that was closed nobody waits for anything
                os.write(stop, b"x")
                calls.cancel()  # the thread may wait for one, and does not look at `stopping` meanwhile
                if isinstance(error, asyncio.CancelledError):
                    await _settled(done)
                raise
            finally:
                if thread.ident:
                    thread.join()  # it has told how the run ended, and does nothing after that
        finally:
            close_all(held)

    async def write_file(self, path: str, data: Text, mode: int = 0o644) -> None:
        """As Sandbox.write_file."""
        await asyncio.to_thread(self.sandbox.write_file, path, data, mode)

    async def read_file(self, path: str, limit: int = folder.READ_LIMIT) -> bytes:
        """As Sandbox.read_file."""
        return await asyncio.to_thread(self.sandbox.read_file, path, limit)

    async def list_files(self) -> List[str]:
        """As Sandbox.list_files."""
        return await asyncio.to_thread(self.sandbox.list_files)

    async def artifacts(self, result: Result) -> List[schema.KeptArtifact]:
        """As Sandbox.artifacts."""
        return await asyncio.to_thread(self.sandbox.artifacts, result)

    async def get_artifact(self, result: Result, path: Union[str, bytes]) -> bytes:
        """As Sandbox.get_artifact."""
        return await asyncio.to_thread(self.sandbox.get_artifact, result, path)

    async def save_artifacts(self, result: Result, target: sbx.StrPath) -> None:
        """As Sandbox.save_artifacts."""
        await asyncio.to_thread(self.sandbox.save_artifacts, result, target)

    async def explain(self, argv: Sequence[str] = (), **overrides: Any) -> Dict[str, Any]:
        """As Sandbox.explain."""
        return await asyncio.to_thread(self.sandbox.explain, argv, **overrides)

    async def close(self) -> None:
        """As Sandbox.close."""
        await asyncio.to_thread(self.sandbox.close)

    async def __aenter__(self) -> AsyncSandbox:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()


class _Calls:
    """Callbacks for a worker thread: called in the loop, waited for, their exceptions passed on; until `cancel`, or until
    `over` is true: a loop that was closed calls nothing, and ends nothing either."""

    def __init__(self, loop: asyncio.AbstractEventLoop, over: Callable[[], bool]) -> None:
        self._loop, self._over = loop, over
        self._lock = threading.Lock()
        self._cancelled = False
        self._current: Optional[concurrent.futures.Future[None]] = None

    def of(self, sink: Optional[Callable[[Any], Any]]) -> Optional[Callable[[Any], Any]]:
        """What the worker calls in place of `sink`."""
        if sink is None:
            return None
        call = sink

        async def invoke(data: Any) -> None:
            answer = call(data)
            if inspect.isawaitable(answer):
                await answer

        return lambda data: self._wait(invoke, data)

    def _wait(self, invoke: Callable[[Any], Coroutine[Any, Any, None]], data: Any) -> None:
        with self._lock:
            if self._cancelled:
                raise asyncio.CancelledError
            current = self._current = self._begin(invoke(data))
        while not concurrent.futures.wait([current], LOOK).done:
            if self._over():
                if not self._loop.is_closed():
                    current.cancel()
                raise Cancelled
        try:
            current.result()
        except concurrent.futures.CancelledError:  # another class than asyncio's, which whoever awaits the run knows
            raise asyncio.CancelledError from None

    def _begin(self, call: Coroutine[Any, Any, None]) -> concurrent.futures.Future[None]:
        try:
            return asyncio.run_coroutine_threadsafe(call, self._loop)
        except RuntimeError:
            call.close()
            raise Cancelled from None  # the loop is closed

    def cancel(self) -> None:
        """Cancels the callback that is under way; no other is called after it."""
        with self._lock:
            self._cancelled = True
            if self._current and not self._loop.is_closed():
                self._current.cancel()


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
