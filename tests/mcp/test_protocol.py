"""JSON-RPC and the protocol's revisions: what a client says rightly, wrongly, too early, or far too long."""
import json

import jsonschema
import pytest

from support.mcp_client import ENVELOPE, LATEST, MODERN

TOOLS = ["run_command", "run_python", "run_node", "run_shell", "read_file", "write_file", "list_files", "diff", "apply",
         "collect_artifacts"]
HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("asked, given", [*((one, one) for one in HANDSHAKE), ("2024-10-07", LATEST),
                                          (MODERN, LATEST), ("", LATEST), ("2099-01-01", LATEST)])
def test_a_revision_is_agreed_on(serve, asked, given):
    client = serve(revision=None)
    begun = client.request("initialize", protocolVersion=asked, capabilities={}, clientInfo={"name": "x", "version": "1"})
    assert begun["protocolVersion"] == given
    assert begun["serverInfo"]["name"] == "sbx" and "tools" in begun["capabilities"]
    assert client.close() == (0, "")


@pytest.mark.parametrize("revision", [*HANDSHAKE, MODERN])
def test_each_revision_gets_what_it_knows(serve, project, revision):
    client = serve(revision=revision)
    tools = client.request("tools/list")
    listed = {tool["name"]: tool for tool in tools["tools"]}
    assert list(listed) == TOOLS
    for tool in listed.values():
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert ("outputSchema" in tool) == ("title" in tool) == (revision >= "2025-06-18")
        assert ("annotations" in tool) == (revision >= "2025-03-26")
    result = client.call("run_shell", script="echo hello")
    assert ("structuredContent" in result) == (revision >= "2025-06-18")
    assert "hello" in json.dumps(result["content"])
    for whole in (tools, result):
        assert (whole.get("resultType") == "complete") == (revision == MODERN)
        assert ("_meta" in whole) == (revision == MODERN)
    assert ("ttlMs" in tools) == (revision == MODERN)
    kept = client.call("collect_artifacts", patterns=["app.py"])
    assert {one["type"] for one in kept["content"]} == ({"text", "resource_link"} if revision >= "2025-06-18" else {"text"})
    assert client.close()[0] == 0


def test_without_a_handshake_each_request_says_which_revision_it_is_of(serve):
    client = serve(revision=MODERN)
    found = client.request("server/discover")
    assert MODERN in found["supportedVersions"] and set(HANDSHAKE) < set(found["supportedVersions"])
    assert found["resultType"] == "complete" and found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "sbx"
    wrong = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2027-01-01"}
    client.send({"jsonrpc": "2.0", "id": "v", "method": "tools/list", "params": {"_meta": wrong}})
    error = client.response("v")["error"]
    assert error["code"] == -32022 and MODERN in error["data"]["supported"] and error["data"]["requested"] == "2027-01-01"
    lacking = {"io.modelcontextprotocol/protocolVersion": MODERN}
    client.send({"jsonrpc": "2.0", "id": "c", "method": "tools/list", "params": {"_meta": lacking}})
    assert client.response("c")["error"]["code"] == -32602
    assert client.error("ping")["code"] == -32601  # it went with the handshake
    assert client.error("subscriptions/listen")["code"] == -32601


def test_nothing_is_done_before_the_handshake(serve):
    client = serve(revision=None)
    for method in ("tools/list", "tools/call", "resources/list"):
        assert client.error(method)["code"] == -32600
    assert client.request("ping") == {}
    client.request("initialize", protocolVersion=LATEST, capabilities={}, clientInfo={"name": "x", "version": "1"})
    assert client.request("tools/list")["tools"]
    again = client.error("initialize", protocolVersion=LATEST, capabilities={}, clientInfo={})
    assert again["code"] == -32600


MALFORMED = [
    (b"{", -32700), (b"nonsense", -32700), (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"', -32700), (b"\xff\xfe", -32700),
    (b'{"a": "\xff"}', -32700), (b"[]", -32600), (b"1", -32600), (b"null", -32600), (b'"ping"', -32600),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
    (b'{"id": 5, "method": "ping"}', -32600), (b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 5}', -32600), (b'{"jsonrpc": "2.0", "id": 5, "method": 7}', -32600),
    (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
    (b'{"jsonrpc": "2.0", "id": "' + b"i" * 1025 + b'", "method": "ping"}', -32600),  # it would be kept, and come back
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "run_shell", "arguments": {"script": ""}, '
     b'"_meta": {"progressToken": "' + b"t" * 1025 + b'"}}}', -32602),  # in each notification
    (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "params": [1]}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "no/such"}', -32601),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call"}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "rm_rf"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": ["run_shell"]}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "run_shell", "arguments": "ls"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": 3}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": "file:///etc/passwd"}}', -32002),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "resources/list", "params": {"cursor": "-1"}}', -32602),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "ping", "method": "tools/list"}', -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "id": 2}', -32600),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "run_shell", "arguments": '
     b'{"script": "echo one", "script": "echo two"}}}', -32600),
    (b'{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "run_python", "arguments": '
     b'{"code": "print(\'\\ud83d\')"}}}', -32600),
    (b"[" * 100_000, -32600), (b'{"a":' * 65 + b"1" + b"}" * 65, -32600), (b"[" + b"0," * 200_000 + b"0]", -32600),
]


def test_whatever_is_sent_is_answered_and_the_next_request_too(client):
    for data, code in MALFORMED:
        client.send_bytes(data + b"\n")
        answer = client.read()
        assert answer["error"]["code"] == code, (data[:80], answer)
        expected = {"id": 5} if b'"id": 5' in data else {}
        assert {key: answer[key] for key in answer if key == "id"} == expected, (data[:80], answer)
        assert client.request("ping") == {}


@pytest.mark.parametrize("revision", [*HANDSHAKE, MODERN, None])
def test_an_error_without_an_id_is_as_the_revision_has_it(serve, revision):
    """An older one requires an id, so that what JSON-RPC has there is right; a later one takes no null."""
    client = serve(revision=revision)
    client.send_bytes(b"{\n")
    answer = client.read()
    assert answer["error"]["code"] == -32700
    assert set(answer) == {"jsonrpc", "error"} | ({"id"} if revision in HANDSHAKE[:3] else set())
    assert answer.get("id") is None


@pytest.mark.parametrize("data", [b"\n", b"   \n", b'{"jsonrpc": "2.0", "method": "notifications/nobody/knows"}\n',
                                  b'{"jsonrpc": "2.0", "id": 9, "result": {}}\n', b'{"jsonrpc": "2.0", "id": "zzz", "error": {}}\n',
                                  b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}\n',
                                  b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}\n',
                                  b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": null}\n',
                                  b'{"jsonrpc": "2.0", "method": "notifications/initialized", "params": [1]}\n'])
def test_what_needs_no_answer_gets_none(client, data):
    client.send_bytes(data)
    answer = client.response(client.ask("ping"))
    assert answer["result"] == {} and not client.notes and not client.answers


def test_a_line_without_an_end_takes_no_memory(client):
    def resident():
        with open(f"/proc/{client.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096
    before = resident()
    for _ in range(5 * 64):
        client.send_bytes(b"x" * (1 << 18))  # 80 MiB in all
    client.send_bytes(b"\n")
    assert client.read()["error"]["code"] == -32600
    assert client.request("ping") == {}
    assert resident() - before < 40 << 20


def test_ids_of_either_kind_come_back_as_they_are(client):
    for number in (0, -7, 2**53, "a", "", "\U0001f600", "5"):
        client.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
        answer = client.read()
        assert answer["id"] == number and type(answer["id"]) is type(number)


def test_an_id_under_way_cannot_be_taken_twice(serve, tmp_path):
    gate = tmp_path / "gate"
    gate.mkdir()
    client = serve("--ro", f"{gate}:/gate")
    first = client.start("run_shell", script="until test -e /gate/open; do sleep 0.02; done; echo first")
    client.send({"jsonrpc": "2.0", "id": first, "method": "ping"})
    assert client.read()["error"]["code"] == -32600
    (gate / "open").touch()  # until then it is under way, however long that is
    assert client.response(first)["result"]["structuredContent"]["stdout"]["text"] == "first\n"


def test_a_batch_is_answered_as_one_in_the_revision_that_has_them(serve):
    client = serve(revision="2025-03-26")
    run = {"name": "run_shell", "arguments": {"script": "echo $((6*7))"}}
    client.send([{"jsonrpc": "2.0", "id": "run", "method": "tools/call", "params": run},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": "no"}, 7,
                 {"jsonrpc": "2.0", "id": "ping", "method": "ping"}])
    answers = client.read()
    assert isinstance(answers, list)
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id["ping"]["result"] == {} and "42" in json.dumps(by_id["run"]["result"])
    assert by_id["no"]["error"]["code"] == by_id[None]["error"]["code"] == -32600 and len(answers) == 4
    client.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])  # nothing to answer
    client.send([])
    assert client.read()["error"]["code"] == -32600
    assert client.request("ping") == {}


def test_standard_output_has_nothing_but_the_protocol(client):
    client.call("run_shell", script="echo out; echo err >&2; cat /proc/1/fd/1")
    client.call("run_command", argv=["nosuch"])
    client.call("run_command", argv=["true"], workdir="/nowhere")
    assert client.request("ping") == {}  # every line was JSON, or read() had failed
    code, said = client.close()
    assert code == 0 and client._rest == b"" and said == ""
