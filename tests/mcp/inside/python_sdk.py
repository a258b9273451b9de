"""Runs in the virtualenv with the official SDK for Python: MODE CALLS SERVER... MODE is how the client negotiates.

The client itself checks what comes against the SDK's models of the revision, and data against a tool's output schema."""
import json
import os
import sys

import anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import methods
from pydantic import TypeAdapter

MODE, CALLS, *SERVER = sys.argv[1:]
BOUNDS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


def check_wire(method, version, result):
    """Once more against the models of the wire, which allow no field to be of another kind."""
    wire = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    TypeAdapter(methods.SERVER_RESULTS[method, version]).validate_python(wire)


async def check(client):
    version = client.protocol_version
    assert version == BOUNDS[MODE], version
    listed = await client.list_tools()
    check_wire("tools/list", version, listed)
    calls = json.loads(open(CALLS).read())["calls"]
    assert {tool.name for tool in listed.tools} == {call["tool"] for call in calls}
    for call in calls:
        progress = []

        async def on_progress(at, total, message):
            progress.append(message)

        result = await client.call_tool(call["tool"], call["arguments"], progress_callback=on_progress)
        check_wire("tools/call", version, result)
        text = result.model_dump_json(by_alias=True)
        assert bool(result.is_error) == call.get("error", False), text
        assert all(word in text for word in call["has"]), text
        assert result.is_error or result.structured_content is not None
        if "env" in call["arguments"]:
            assert progress == ["mine\n"], progress
    await check_resources(client, version)
    with anyio.move_on_after(0.5) as scope:
        await client.call_tool("run_command", {"argv": ["sleep", "31337"]})
    assert scope.cancelled_caught
    assert "on" in str(await client.call_tool("run_shell", {"script": "echo on"}))
    return f"ok {version} {len(calls)} calls"


async def check_resources(client, version):
    listed = await client.list_resources()
    check_wire("resources/list", version, listed)
    assert {resource.mime_type for resource in listed.resources} == {"image/png", "text/plain"}
    for resource in listed.resources:
        read = await client.read_resource(str(resource.uri))
        check_wire("resources/read", version, read)
        [content] = read.contents
        assert getattr(content, "blob", None) or content.text == "made\n"
    assert len((await client.list_resource_templates()).resource_templates) == 1


async def main():
    parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=dict(os.environ))
    with anyio.fail_after(120):
        async with Client(stdio_client(parameters), mode=MODE) as client:
            print(await check(client))


anyio.run(main)
