"""Session: an interpreter of Python in a sandbox that keeps its variables from one step to the next.

It is one run of interpreter.py, fed through its standard input and held by the limits of the sandbox: `lifetime` is
its wall clock. What ends the run ends the variables; the next step then gets a new interpreter and is told so. The
answers are the payload's own words: they are read as hostile, and say nothing about the host.
"""
from __future__ import annotations

import json
import os
import select
import threading
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Optional

from ..pipes import close_all, pipe
from ..process import Cancelled
from ..result import Result
from ..sandbox import Sandbox
from .words import clip, ending

MOST_OUTPUT = 32 << 20  # bytes of each output in the life of one interpreter; more ends it
MOST_ANSWER = 16 << 20  # bytes of one answer
SOURCE = Path(__file__).with_name("interpreter.py")


@dataclass(frozen=True)
class Step:
    """What came of one step. `logs` is what it printed; at most one of value, error and final is there."""

    logs: str
    value: Optional[str] = None
    """repr() of the last expression."""
    error: Optional[str] = None
    """A traceback, or how the interpreter ended; `restarted` tells which."""
    final: Optional[str] = None
    """What a FinalAnswerException had as its value."""
    restarted: bool = False
    """Whether the interpreter has ended: variables of earlier steps are gone."""


class Gathered:
    """What came of one stream and has not been taken yet. What was searched is not searched again."""

    def __init__(self) -> None:
        self.data = bytearray()
        self._searched = 0

    def has(self, mark: bytes) -> bool:
        """Whether `mark` has come; asked for the same one until it has."""
        place = self.data.find(mark, max(0, self._searched - len(mark)))
        self._searched = len(self.data) if place < 0 else place
        return place >= 0

    def take(self, mark: bytes) -> bytes:
        """Everything up to `mark`, or all, and no longer here."""
        taken, _, rest = self.data.partition(mark)
        self.data, self._searched = rest, 0
        return bytes(taken)


class Interpreter:
    """One run of interpreter.py, in a thread of its own."""

    def __init__(self, sandbox: Sandbox, lifetime: float) -> None:
        self._changed = threading.Condition()
        self._logs, self._answers = Gathered(), Gathered()
        self._error: Optional[BaseException] = None
        self.result: Optional[Result] = None
        self._over = False
        self._owner = os.getpid()
        self._users = 2  # of the descriptors: the thread and whoever made this; the last to leave closes them
        self._leaving = threading.RLock()  # of a thread that holds it the collector may take a Session
        self._open: List[int] = []
        try:
            reading, self._requests = pipe(self._open)
            self._stopping, self._stop = pipe(self._open)
            os.set_blocking(self._requests, False)
            self._thread = threading.Thread(target=self._run, args=(sandbox, lifetime, reading), name="sbx-session",
                                            daemon=True)
            self._thread.start()
        except BaseException:
            close_all(self._open)
            raise

    def _run(self, sandbox: Sandbox, lifetime: float, reading: int) -> None:
        limits = {"timeout": lifetime, "stdout_limit": MOST_OUTPUT, "stderr_limit": MOST_OUTPUT, "on_exceed": "kill"}
        try:
            with os.fdopen(reading, "rb") as requests:
                self._open.remove(reading)
                self.result = sandbox._run(["python3", "-u", "-c", SOURCE.read_text()], requests, None, False,
                                           (self._take(self._answers), self._take(self._logs), None), limits,
                                           self._stopping)
        except Cancelled:
            pass
        except BaseException as error:
            self._error = error
        with self._changed:
            self._over = True
            self._changed.notify_all()
        self._leave()

    @property
    def ended(self) -> bool:
        """Has it? To a process that was forked since, it has: it is its parent's."""
        return self._over or os.getpid() != self._owner

    def _leave(self) -> None:
        with self._leaving:
            self._users -= 1
            if self._users == 0:
                close_all(self._open)

    def _take(self, into: Gathered) -> Callable[[bytes], None]:
        def sink(data: bytes) -> None:
            with self._changed:
                into.data += data
                self._changed.notify_all()
        return sink

    def ask(self, number: int, code: str, deadline: float) -> bool:
        """Hands over a request. False: it was not taken in time, or nobody is there any more."""
        rest = memoryview(json.dumps({"id": number, "code": code}).encode() + b"\n")
        poll = select.poll()  # select(2) knows no descriptor above 1023
        poll.register(self._requests, select.POLLOUT)
        while rest:
            if self.ended or not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
                return False
            try:
                rest = rest[os.write(self._requests, rest[:select.PIPE_BUF]):]
            except BlockingIOError:
                pass
            except BrokenPipeError:
                return False
        return True

    def answer(self, number: int, deadline: float) -> Optional[Dict[str, Optional[str]]]:
        """The answer to a request, when all that was printed before it is there. None: it does not come."""
        mark = b"\0%d\n" % number
        with self._changed:
            self._changed.wait_for(lambda: self.ended or len(self._answers.data) > MOST_ANSWER or
                                   self._answers.has(b"\n") and self._logs.has(mark),
                                   max(0.0, deadline - time.monotonic()))
            line = self._answers.take(b"\n") if self._answers.has(b"\n") and self._logs.has(mark) else None
        if line is None or len(line) > MOST_ANSWER:
            return None
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            return None
        if not isinstance(answer, dict) or answer.get("id") != number:
            return None
        texts = {key: answer.get(key) for key in ("value", "error", "final")}
        if not all(text is None or isinstance(text, str) for text in texts.values()):
            return None
        # Half of a surrogate pair is no character, and no text with one can be sent on.
        return {key: text and text.encode(errors="replace").decode() for key, text in texts.items()}

    def logs(self, number: int) -> str:
        """What was printed until the end of a request, or until now."""
        with self._changed:
            return self._logs.take(b"\0%d\n" % number).decode(errors="replace")

    def close(self) -> None:
        """Ends the run, its whole tree; waits for it."""
        self.abandon()
        self._thread.join()

    def abandon(self) -> None:
        """Has the run ended, and does not wait for it; of the process that made it, and of no fork of that."""
        if os.getpid() != self._owner:
            return
        os.write(self._stop, b"x")
        self._leave()

    def why(self) -> str:
        """How the run ended, for whoever had a step in it."""
        if os.getpid() != self._owner:
            return "the interpreter is of the process that this one was forked from"
        if self._error is not None:
            return f"sandbox error: {self._error}"
        if self.result is None:
            return "the interpreter gave no answer that could be read"
        return "\n".join(ending(self.result)) or "the interpreter left"


class Session:
    """Steps of Python in one interpreter, which is started with the first and again after it has ended.

    step_timeout: seconds for one step. lifetime: seconds for one interpreter, whatever it does.
    Steps come one after the other; a second thread waits for its turn.
    """

    def __init__(self, sandbox: Sandbox, step_timeout: float = 30.0, lifetime: float = 900.0) -> None:
        self._sandbox, self._step_timeout, self._lifetime = sandbox, step_timeout, lifetime
        self._interpreter: Optional[Interpreter] = None
        self._dropped: Optional[weakref.finalize] = None  # ends the interpreter of a session that nobody closed
        self._prepared: List[str] = []
        self._number = 0
        self._turn = threading.Lock()

    def prepare(self, code: str) -> Step:
        """A step that every later interpreter starts with, too: definitions, not results."""
        with self._turn:
            step = self._fresh() or self._step(code)
            if step.error is None:
                self._prepared = [one for one in self._prepared if one != code] + [code]
            return step

    def step(self, code: str) -> Step:
        """Runs one snippet. Raises nothing of the snippet's: what happened to it is in the Step.

        When the interpreter has ended since the last step, `code` is not run: it may count on what is gone.
        """
        with self._turn:
            if self._interpreter and self._interpreter.ended:
                return self._lost(self._interpreter.why(), "")
            return self._fresh() or self._step(code)

    def _fresh(self) -> Optional[Step]:
        """Sees that there is an interpreter. A step that says what failed, when there is none to be had."""
        if self._interpreter and not self._interpreter.ended:
            return None
        self._end()
        self._interpreter = Interpreter(self._sandbox, self._lifetime)
        self._dropped = weakref.finalize(self, self._interpreter.abandon)
        for code in self._prepared:
            step = self._step(code)
            if step.error is not None:
                return step
        return None

    def _step(self, code: str) -> Step:
        interpreter = self._interpreter
        assert interpreter is not None
        self._number += 1
        deadline = time.monotonic() + self._step_timeout
        answer: Optional[Dict[str, Optional[str]]] = None
        try:
            if interpreter.ask(self._number, code, deadline):
                answer = interpreter.answer(self._number, deadline)
        except BaseException:  # KeyboardInterrupt: the answer to this step must not be taken for the next one's
            self._end()
            raise
        logs = clip(interpreter.logs(self._number))
        if answer is not None:
            value, error = (text if text is None else clip(text) for text in (answer["value"], answer["error"]))
            return Step(logs, value, error, answer["final"])
        late = not interpreter.ended and time.monotonic() >= deadline
        self._end()
        slow = f"the step took longer than {self._step_timeout:g} s and was ended"
        return self._lost(slow if late else interpreter.why(), logs)

    def _lost(self, why: str, logs: str) -> Step:
        self._end()
        gone = "The interpreter has ended: variables, functions and imports of earlier steps are gone; files stay."
        return Step(logs, error=f"{why}\n{gone}", restarted=True)

    def _end(self) -> None:
        if self._interpreter:
            interpreter, self._interpreter = self._interpreter, None
            if self._dropped:
                self._dropped.detach()
            interpreter.close()

    def close(self) -> None:
        """Ends the interpreter, and every process of it."""
        with self._turn:
            self._end()
