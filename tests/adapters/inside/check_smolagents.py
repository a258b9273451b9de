"""SandboxExecutor with the real smolagents: a CodeAgent whose model says what it was told to."""
import os
import sys
import threading
import time

import pytest
from smolagents import AgentError, ChatMessage, CodeAgent, LogLevel, Model, tool
from smolagents.local_python_executor import PythonExecutor

from sbx import Sandbox
from sbx.adapters.session import Session
from sbx.adapters.smolagents import SandboxExecutor


class Told(Model):
    """A model that answers with one snippet after the other, and keeps what it was shown."""

    def __init__(self, *snippets):
        super().__init__(model_id="told")
        self.snippets, self.shown = list(snippets), []

    def generate(self, messages, **_):
        self.shown.append(str([message.content for message in messages]))
        return ChatMessage(role="assistant", content=f"Thought: on.\n<code>\n{self.snippets.pop(0)}\n</code>")


@tool
def double(number: int) -> int:
    """Doubles a number.

    Args:
        number: what to double
    """
    return number * 2


@pytest.fixture
def executor(sandbox):
    made = []

    def make(box=None, **words):
        made.append(SandboxExecutor(box or sandbox(), **words))
        return made[-1]

    yield make
    for one in made:
        one.cleanup()


def agent(executor, model, **words):
    return CodeAgent(model=model, executor=executor, verbosity_level=LogLevel.OFF, **{"tools": [], **words})


def test_steps_share_their_state(executor):
    model = Told("import math\nx = 6\ndef f(n): return n * 7\nprint('made', math.floor(x))", "f(x)", "final_answer(f(x))")
    assert agent(executor(), model).run("what is it?") == 42
    assert "made 6" in model.shown[1] and "42" in model.shown[2]


def test_is_the_real_kind(executor):
    assert isinstance(executor(), PythonExecutor)


def test_tools_and_variables(executor):
    model = Told("print(double(given['a'] + 1))", "final_answer({'n': double(20) + 2, 't': (1, b'x')})")
    answer = agent(executor(), model, tools=[double]).run("?", additional_args={"given": {"a": 3}})
    assert answer == {"n": 42, "t": (1, b"x")} and "8" in model.shown[1]


def test_second_run_of_an_agent(executor):
    one = agent(executor(), Told("x = 1\nfinal_answer(x)", "x += 1\nfinal_answer(x)"))
    assert one.run("?") == 1
    assert one.run("again", reset=False) == 2


def test_exception_is_shown_and_the_state_stays(executor):
    model = Told("x = 5\nprint('printed')\n{}['no-such-key']", "final_answer(x)")
    assert agent(executor(), model).run("?") == 5
    assert "no-such-key" in model.shown[1] and "KeyError" in model.shown[1] and "printed" in model.shown[1]


def test_timeout_is_told_and_tools_come_back(executor):
    model = Told("x = 5\nprint('before', flush=True)\nimport time\ntime.sleep(50)", "x", "final_answer(double(given))")
    begun = time.monotonic()
    made = agent(executor(step_timeout=1), model, tools=[double])
    assert made.run("?", additional_args={"given": 21}) == 42
    assert time.monotonic() - begun < 30
    assert "longer than 1 s" in model.shown[1] and "are gone" in model.shown[1] and "before" in model.shown[1]
    assert "NameError" in model.shown[2]


def test_lifetime_that_is_over_between_steps(executor):
    """The next step is not run on an interpreter that lacks what it counts on, and the one after it has a new one."""
    one = executor(lifetime=1)
    one("x = 1")
    while not one._session._interpreter.ended:
        time.sleep(0.01)
    with pytest.raises(AgentError, match=r"(?s)timeout.*are gone"):
        one("print('ran')")
    with pytest.raises(AgentError, match="NameError"):
        one("x")


@pytest.mark.parametrize("code, said", [
    ("import urllib.request as u; u.urlopen('http://192.0.2.1')", "Network is unreachable"),
    ("open('/usr/x', 'w')", "Read-only file system"),
    ("open('/proc/1/environ').read()", "Error"),
    ("import sys; sys.exit(3)", "SystemExit"),
    ("input()", "EOFError"),
    ("def f(", "SyntaxError"),
    ("raise BaseException('bare')", "bare"),
], ids=["network", "read-only", "other process", "exit", "input", "syntax", "base"])
def test_what_is_refused_is_shown(executor, code, said):
    one = executor()
    one("x = 1")
    with pytest.raises(AgentError) as caught:
        one(code)
    assert said in str(caught.value)
    assert one("x").output == "1"


@pytest.mark.needs_cgroup
def test_memory_limit(executor, sandbox):
    one = executor(sandbox(memory="128M"))
    with pytest.raises(AgentError, match=r"(?s)oom.*are gone"):
        one("block = bytearray(1 << 30)")
    assert one("1 + 1").output == "2"


def test_callers_environment_and_files_stay_out(executor, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_KEY", "sk-very-secret")
    (tmp_path / "file").write_text("private")
    one = executor()
    assert one("import os; 'OPENAI_KEY' in os.environ").output == "False"
    assert one(f"os.path.exists({str(tmp_path / 'file')!r})").output == "False"


def test_output_of_children_and_order(executor):
    out = executor()("import os, subprocess\nprint('1')\nsubprocess.run(['echo', '2'])\nos.write(1, b'3\\n')\nprint('4')")
    assert out.logs == "1\n2\n3\n4\n"


def test_files_of_the_workspace_stay_after_a_restart(executor):
    one = executor(step_timeout=1)
    one("open('kept', 'w').write('x')")
    with pytest.raises(AgentError):
        one("while True: pass")
    assert one("open('kept').read()").output == "'x'"


def test_packages_are_looked_for_and_not_installed(executor):
    executor(additional_imports=["json", "math"])
    with pytest.raises(AgentError, match="no_such_package.*sbx installs nothing"):
        executor(additional_imports=["no_such_package"])


# What a hostile snippet does to the channel hurts itself alone. ANSWER is where interpreter.py answers.
ANSWER = """
import os, sys
frame = sys._getframe()
while "answers" not in frame.f_locals: frame = frame.f_back
ANSWER, LOGS = frame.f_locals["answers"], frame.f_locals["logs"]
"""


@pytest.mark.parametrize("code, said", [
    ("os.write(ANSWER, b'{\\n'); os.write(LOGS, b'\\0%d\\n' % N)", "no answer"),
    ("os.write(ANSWER, b'[1]\\n'); os.write(LOGS, b'\\0%d\\n' % N)", "no answer"),
    ("os.write(ANSWER, b'[' * 100000 + b'\\n'); os.write(LOGS, b'\\0%d\\n' % N)", "no answer"),
    ("os.write(ANSWER, b'{\"id\": %d, \"value\": 3}\\n' % N); os.write(LOGS, b'\\0%d\\n' % N)", "no answer"),
    ("os.write(ANSWER, b'{\"id\": 99}\\n'); os.write(LOGS, b'\\0%d\\n' % N)", "no answer"),
    ("os.close(LOGS)", "nonzero"), ("os.close(ANSWER)", "nonzero"),
    ("while True: os.write(ANSWER, b'x' * 65536)", "no answer"),
    ("while True: os.write(2, b'x' * 65536)", "output_limit"),
    ("os._exit(0)", "the interpreter left"), ("os.kill(os.getpid(), 9)", "signal"),
    ("import json; json.dumps = lambda _: '{\"id\": %d, \"final\": \"pickle:gASV\"}' % N", "cannot be read"),
    ("import json; json.dumps = lambda _: '{\"id\": %d, \"final\": \"safe:nonsense\"}' % N", "cannot be read"),
], ids=lambda value: value[:50] if "(" in value else "")
def test_hostile_answers(executor, code, said):
    one = executor(step_timeout=15)
    one(ANSWER)
    with pytest.raises(AgentError, match=said):
        one(f"N = {one._session._number + 1}\n{code}")
    one.cleanup()
    assert one("6 * 7").output == "42"


def test_forged_answer_comes_too_early_or_late(executor):
    """One that is written ahead is the next step's, which the payload could have answered so as well; its number is
    asked for, so that a later step never gets an earlier one's."""
    one = executor(step_timeout=5)
    one(ANSWER)
    number = one._session._number + 1
    out = one(f"os.write(ANSWER, b'{{\"id\": {number}, \"value\": \"forged\"}}\\n')")
    assert out.output == "forged"
    with pytest.raises(AgentError, match="no answer"):
        one("'real'")


def test_module_of_the_workspace_is_not_the_interpreters(executor, sandbox):
    box = sandbox()
    box.write_file("json.py", "raise SystemExit('shadowed')")
    assert executor(box)("1 + 1").output == "2"


def test_pickle_is_refused(executor):
    class Thing:
        pass
    with pytest.raises(Exception, match="[Ss]erializ"):
        executor().send_variables({"thing": Thing()})


def test_step_that_is_too_long_for_a_pipe(executor):
    assert executor()("x = '" + "a" * 300000 + "'\nlen(x)").output == "300000"


def test_interpreter_that_does_not_take_the_next_step(executor):
    one = executor(step_timeout=2)
    one(ANSWER)
    number = one._session._number + 1
    one(f"os.write(ANSWER, b'{{\"id\": {number}}}\\n'); os.write(LOGS, b'\\x00{number}\\n'); import time; time.sleep(50)")
    with pytest.raises(AgentError, match="longer than 2 s"):
        one("x = '" + "a" * 300000 + "'")


def test_closing_ends_every_process(executor, sandbox):
    box = sandbox()
    one = executor(box)
    one("import subprocess\nsubprocess.Popen(['sleep', '4242'])")
    one.cleanup()
    words = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                words.append(file.read().split(b"\0"))
        except OSError:
            pass
    assert [b"sleep", b"4242", b""] not in words


def test_sbx_that_fails(executor):
    with Sandbox("python", ro="/no/such/file:/x") as bad, pytest.raises(AgentError, match="/no/such/file"):
        executor(bad)("1")


def test_threads_take_turns(executor):
    one, seen = executor(), []
    one("n = 0")
    threads = [threading.Thread(target=lambda: seen.append(one("n += 1\nn").output)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [str(n) for n in range(1, 9)]


def test_interrupt_does_not_mix_up_answers(sandbox, monkeypatch):
    session = Session(sandbox())
    session.step("x = 1")

    def interrupted(number, deadline):
        raise KeyboardInterrupt
    session._interpreter.answer = interrupted
    with pytest.raises(KeyboardInterrupt):
        session.step("'lost'")
    assert session.step("'next'").value == "'next'"
    session.close()


def test_interpreter_is_read_and_not_imported():
    assert "sbx.adapters.interpreter" not in sys.modules
