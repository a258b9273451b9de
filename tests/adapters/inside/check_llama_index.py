"""SandboxToolSpec with the real llama-index-core: the tools by hand, and a FunctionAgent with a model that is told."""
import pytest
from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import BaseTool, FunctionTool
from llama_index.core.tools.calling import call_tool

from sbx import Sandbox
from sbx.adapters.llama_index import SandboxToolSpec


@pytest.fixture
def tools(box):
    return {tool.metadata.name: tool for tool in SandboxToolSpec(box).to_tool_list()}


def test_tools_and_their_schemas(tools):
    assert sorted(tools) == ["list_files", "read_file", "run_python", "run_shell", "write_file"]
    assert all(isinstance(tool, FunctionTool) for tool in tools.values())
    assert sorted(tools["write_file"].metadata.get_parameters_dict()["properties"]) == ["path", "text"]
    assert tools["run_python"].metadata.to_openai_tool()["function"]["name"] == "run_python"


def test_some_of_the_tools(box):
    [tool] = SandboxToolSpec(box).to_tool_list(spec_functions=["run_python"])
    assert tool.metadata.name == "run_python"


def test_calls(tools):
    assert tools["write_file"].call(path="a/b.txt", text="käse").content == "wrote a/b.txt"
    output = tools["run_python"].call(code="print(open('a/b.txt', encoding='utf-8').read())")
    assert output.content == "käse" and not output.is_error and output.raw_output.result.ok
    assert tools["run_shell"].call("printf new > c").content == "(no output)"
    assert tools["run_shell"].call("-x 2>&-; echo hi").content == "hi"
    assert tools["read_file"].call("c").content == "new"
    assert tools["list_files"].call().content.split() == ["a/b.txt", "c"]


def test_a_name_that_is_no_text_can_be_sent_on(tools):
    tools["run_python"].call(code="open(b'\\xff', 'w')")
    assert tools["list_files"].call().content.encode() == b"?"


async def test_async_calls(tools):
    await tools["write_file"].acall(path="x", text="1")
    output = await tools["run_python"].acall(code="print(open('x').read()); 1/0")
    assert output.is_error and output.raw_output.result.status == "nonzero" and "ZeroDivisionError" in output.content
    assert (await tools["list_files"].acall()).content == "x"
    assert (await tools["read_file"].acall("x")).content == "1"
    assert (await tools["run_shell"].acall("echo hi")).content == "hi"
    assert (await tools["run_shell"].acall("-x 2>&-; echo hi")).content == "hi"


@pytest.mark.parametrize("name, words, said", [
    ("read_file", {"path": "../../etc/passwd"}, "no path inside"),
    ("read_file", {"path": "/etc/passwd"}, "no path inside"),
    ("read_file", {"path": "not-there"}, "No such file"),
    ("write_file", {"path": "../x", "text": ""}, "no path inside"),
    ("run_shell", {"script": "echo \0"}, "null"),
    ("run_python", {"code": "import time; time.sleep(50)"}, "status: timeout"),
    ("run_python", {"code": "open('/usr/x', 'w')"}, "Read-only file system"),
])
def test_failures_are_told(sandbox, name, words, said):
    [tool] = SandboxToolSpec(sandbox(timeout=2)).to_tool_list([name])
    output = call_tool(tool, words)
    assert output.is_error and output.exception is None and said in output.content, output


@pytest.mark.parametrize("name, words, said", [
    ("run_python", {"code": None}, "code must be text, and is no NoneType"),
    ("run_python", {"code": ["print(1)"]}, "code must be text, and is no list"),
    ("run_shell", {"script": 5}, "script must be text, and is no int"),
    ("read_file", {"path": 5}, "path must be text, and is no int"),
    ("write_file", {"path": "x", "text": {"a": 1}}, "text must be text, and is no dict"),
    ("write_file", {"path": "x"}, "missing a required argument: 'text'"),
    ("run_python", {}, "missing a required argument: 'code'"),
    ("list_files", {"path": "."}, "unexpected keyword argument 'path'"),
])
async def test_arguments_that_are_wrong_are_told(tools, name, words, said):
    for output in (tools[name].call(**words), await tools[name].acall(**words)):
        assert output.is_error and said in output.content and output.raw_output.result is None, output
    assert tools["list_files"].call().content == "(no files)"


def test_arguments_of_a_function_that_somebody_has_added_are_its_own(box):
    class More(SandboxToolSpec):
        spec_functions = ["double"]

        def double(self, number: int, times: int = 2) -> str:
            """Doubles."""
            return str(number * times)

        async def adouble(self, number: int, times: int = 2) -> str:
            return str(number * times)

    [tool] = More(box).to_tool_list()
    assert tool.call(number=21).content == tool.call(21, times=2).content == "42"


def test_link_out_of_the_workspace(tools):
    tools["run_shell"].call("ln -s /etc/passwd trap; ln -s /etc folder")
    for path in ("trap", "folder/passwd"):
        output = tools["read_file"].call(path)
        assert output.is_error and "root" not in output.content
    assert tools["write_file"].call(path="folder/x", text="").is_error


def test_sbx_that_fails_is_told():
    with Sandbox("python", ro="/no/such/file:/x") as bad:
        [tool] = SandboxToolSpec(bad).to_tool_list(["run_python"])
        output = tool.call(code="1")
    assert output.is_error and "/no/such/file" in output.content


class Told(FunctionCallingLLM):
    """A model that says what it was told to, one answer after the other."""

    answers: list
    heard: list = []

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, tools: list[BaseTool], user_msg=None, chat_history=None, **_):
        return {"messages": chat_history or []}

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=True, **_):
        return [ToolSelection(tool_id=str(len(self.heard)), tool_name=name, tool_kwargs=words)
                for name, words in response.message.additional_kwargs.get("calls", [])]

    async def achat(self, messages, **_):
        self.heard.append(list(messages))
        one = self.answers[len(self.heard) - 1]
        text, calls = (one, []) if isinstance(one, str) else ("", [one])
        return ChatResponse(message=ChatMessage(role="assistant", content=text, additional_kwargs={"calls": calls}))

    async def astream_chat(self, messages, **_):
        async def once():
            yield await self.achat(messages)
        return once()

    def chat(self, messages, **_): raise NotImplementedError
    def complete(self, prompt, **_): raise NotImplementedError
    def stream_chat(self, messages, **_): raise NotImplementedError
    def stream_complete(self, prompt, **_): raise NotImplementedError
    async def acomplete(self, prompt, **_): raise NotImplementedError
    async def astream_complete(self, prompt, **_): raise NotImplementedError


async def test_function_agent(box):
    model = Told(answers=[("write_file", {"path": "n", "text": "6"}), ("run_python", {"code": "1/0"}),
                          ("run_python", {"code": "print(int(open('n').read()) * 7)"}), "it is 42"])
    run = FunctionAgent(tools=SandboxToolSpec(box).to_tool_list(), llm=model).run("what is it?")
    results = [event async for event in run.stream_events() if isinstance(event, ToolCallResult)]
    assert "42" in str(await run)
    assert [one.tool_output.is_error for one in results] == [False, True, False]
    assert results[2].tool_output.content == "42"
    assert any("ZeroDivisionError" in str(one.content) for one in model.heard[2])  # the model saw it
