"""SandboxTool with the real langchain-core: its own standard tests, messages, and a small agent loop."""
import asyncio
import os
import time

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_tests.unit_tests import ToolsUnitTests

from sbx import Result, Sandbox
from sbx.adapters.langchain import SandboxTool


class TestStandard(ToolsUnitTests):
    @property
    def tool_constructor(self):
        return SandboxTool

    @property
    def tool_invoke_params_example(self):
        return {"code": "print(42)"}


def call(code, **words):
    return {"type": "tool_call", "id": "1", "name": "run_python", "args": {"code": code}, **words}


def test_message_and_artifact(box):
    message = SandboxTool.python(box).invoke(call("print(6 * 7)"))
    assert isinstance(message, ToolMessage) and message.content == "42" and message.status == "success"
    assert isinstance(message.artifact, Result) and message.artifact.ok


def test_plain_arguments_give_text(box):
    assert SandboxTool.python(box).invoke({"code": "print(6 * 7)"}) == "42"
    assert SandboxTool.shell(box).invoke({"code": "echo $((6 * 7))"}) == "42"
    assert SandboxTool.shell(box).invoke({"code": "-x 2>&-; echo $0"}) == "sh"


def test_what_the_model_sees_of_the_schema(box):
    schema = SandboxTool.shell(box).tool_call_schema.model_json_schema()
    assert schema["required"] == ["code"] and list(schema["properties"]) == ["code"]


def test_files_stay(box):
    SandboxTool.shell(box).invoke(call("echo kept > note", name="run_shell"))
    assert SandboxTool.python(box).invoke(call("print(open('note').read())")).content == "kept"


@pytest.mark.parametrize("code, words", [
    ("1/0", ["status: nonzero", "ZeroDivisionError"]),
    ("import time; print('before', flush=True); time.sleep(50)", ["status: timeout", "before", "2s"]),
    ("import ctypes; ctypes.CDLL(None).ptrace(0); raise SystemExit(1)",
     ["denied: ptrace", "could allow it with: seccomp: {allow: [\"@debug\"]}"]),
    ("import urllib.request as u; u.urlopen('http://example.org')",
     ["denied: network", "network: {allow: [\"HOST:PORT\"]}"]),
    ("open('/etc/x', 'w')", ["Read-only file system"]),
    ("x = '\ud800'", ["error"]),
], ids=["raises", "hangs", "denied call", "network", "read-only", "no UTF-8"])
def test_failures_are_messages(sandbox, code, words):
    message = SandboxTool.python(sandbox(timeout=2)).invoke(call(code))
    assert message.status == "error"
    for word in words:
        assert word in message.content


def test_denials_of_a_good_run_are_told(box):
    message = SandboxTool.python(box).invoke(call("import ctypes; ctypes.CDLL(None).ptrace(0); print('on')"))
    assert message.status == "success" and "denied: ptrace" in message.content and "on" in message.content


def test_wrong_arguments_are_messages(box):
    message = SandboxTool.python(box).invoke({**call(""), "args": {"cod": "1"}})
    assert message.status == "error" and "code" in message.content
    message = SandboxTool.shell(box).invoke(call("echo \0", name="run_shell"))
    assert message.status == "error" and "null" in message.content


def test_sbx_that_fails_is_a_message(tmp_path):
    with Sandbox("python", ro="/no/such/file:/x") as bad:
        message = SandboxTool.python(bad).invoke(call("print(1)"))
    assert message.status == "error" and "/no/such/file" in message.content and message.content.startswith("sandbox error")


def test_long_output_is_cut_and_said(box):
    message = SandboxTool.python(box).invoke(call("print('a' * 100000 + 'end')"))
    assert len(message.content) < 21000 and "characters left out" in message.content
    assert message.content.endswith("end") and len(message.artifact.stdout) == 100004


def test_callers_environment_stays_out(box, monkeypatch):
    monkeypatch.setenv("OPENAI_KEY", "sk-very-secret")
    code = "import os; print('OPENAI_KEY' in os.environ)"
    assert SandboxTool.python(box).invoke(call(code)).content == "False"
    assert "OPENAI_KEY" in os.environ


async def test_async_and_cancel(box):
    tool = SandboxTool.python(box)
    first, second = await asyncio.gather(tool.ainvoke(call("print(1)")), tool.ainvoke(call("1/0")))
    assert first.content == "1" and first.artifact.ok and second.status == "error"
    task = asyncio.create_task(tool.ainvoke(call("import time; open('started', 'w'); time.sleep(19)")))
    while "started" not in box.list_files():
        assert not task.done()
        await asyncio.sleep(0.01)
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 10


def test_agent_loop(box):
    """A model that calls tools, reads what went wrong, and goes on."""
    turns = [AIMessage("", tool_calls=[call("print(1/0)")]),
             AIMessage("", tool_calls=[call("print(40 + 2)", id="2"), call("no", id="3", args={})]), AIMessage("42")]
    model = GenericFakeChatModel(messages=iter(turns))
    tools = {tool.name: tool for tool in (SandboxTool.python(box), SandboxTool.shell(box))}
    talk = [HumanMessage("what is it?")]
    while True:
        talk.append(model.invoke(talk))
        if not talk[-1].tool_calls:
            break
        talk += [tools[one["name"]].invoke(one) for one in talk[-1].tool_calls]
    answers = [one for one in talk if isinstance(one, ToolMessage)]
    assert [one.status for one in answers] == ["error", "success", "error"]
    assert "ZeroDivisionError" in answers[0].content and answers[1].content == "42" and talk[-1].content == "42"
