// The official SDK for TypeScript, in the version that the first word names: VERSION CALLS SERVER...
import assert from "node:assert";
import { readFileSync } from "node:fs";

const [version, calls, command, ...args] = process.argv.slice(2);
const old = version === "v1";
const { Client } = await import(old ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");
const { StdioClientTransport } = await import(old ? "@modelcontextprotocol/sdk/client/stdio.js" : "@modelcontextprotocol/client/stdio");
const options = old ? {} : { versionNegotiation: { mode: version === "v2" ? "auto" : "legacy" } };
const client = new Client({ name: "tests", version: "1" }, options);
const errors = [];
// A piece of progress and the answer right after it may overtake each other inside of the client.
client.onerror = (error) => /unknown token/.test(error.message) || errors.push(error);
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const wanted = JSON.parse(readFileSync(calls, "utf8")).calls;
const { tools } = await client.listTools();
assert.deepStrictEqual(new Set(tools.map((tool) => tool.name)), new Set(wanted.map((call) => call.tool)));
const call = (name, given, more = {}) => (old ? client.callTool({ name, arguments: given }, undefined, more) : client.callTool({ name, arguments: given }, more));
for (const { tool, arguments: given, has, error } of wanted) {
  const progress = [];
  const result = await call(tool, given, { onprogress: (one) => progress.push(one.message) });
  const text = JSON.stringify(result);
  assert.strictEqual(result.isError ?? false, error ?? false, text);
  for (const word of has) assert.ok(text.includes(word), text);
  assert.ok(error || result.structuredContent, text);
  if (given.env) assert.deepStrictEqual(progress, ["mine\n"]);
}
const { resources } = await client.listResources();
assert.deepStrictEqual(resources.map((one) => one.mimeType).sort(), ["image/png", "text/plain"]);
for (const { uri } of resources) {
  const { contents } = await client.readResource({ uri });
  assert.ok(contents[0].blob || contents[0].text === "made\n");
}
assert.strictEqual((await client.listResourceTemplates()).resourceTemplates.length, 1);
const abort = new AbortController();
setTimeout(() => abort.abort(), 500);
await assert.rejects(call("run_command", { argv: ["sleep", "31337"] }, { signal: abort.signal }));
assert.ok(JSON.stringify(await call("run_shell", { script: "echo on" })).includes("on"));
assert.deepStrictEqual(errors, []);
const spoken = old ? "2025-11-25" : client.getNegotiatedProtocolVersion();
await client.close();
console.log(`ok ${spoken} ${wanted.length} calls`);
