// Judges what came of one line of clients/behaviours.json; the key `about` of that file says what each word means.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";

/** The bytes that a text, {base64} or {repeat, count} stands for. */
export function bytes(value) {
  if (typeof value === "string") return Buffer.from(value);
  return value.base64 === undefined ? Buffer.from(value.repeat.repeat(value.count)) : Buffer.from(value.base64, "base64");
}

/** The text of a path, in which a byte that is no ASCII is a lone surrogate. */
const surrogates = (path) => [...path].map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join("");

const at = (data, path) => path.split(".").reduce((value, name) => value[name], data);

function judgeOutput(got, stream, want) {
  if (typeof want === "string" || want.base64 !== undefined) return assert.deepEqual(got, bytes(want));
  for (const text of want.contains ?? []) assert.ok(got.includes(text), `${got} has no ${text}`);
  for (const text of want.lacks ?? []) assert.ok(!got.includes(text), `${got} has ${text}`);
  for (const name of ["bytes", "sha256", "truncated"]) if (name in want) assert.equal(stream[name], want[name], name);
}

/** `got` has what `want` has; a list of texts is contained in a text. */
function judgeLike(got, want) {
  for (const [key, value] of Object.entries(want)) {
    if (Array.isArray(value) && typeof got[key] === "string")
      for (const text of value) assert.ok(got[key].includes(text), `${got[key]} has no ${text}`);
    else assert.deepEqual(got[key], value, key);
  }
}

function matches(got, want) {
  return Object.entries(want).every(([key, value]) => got[key] === value);
}

async function judgeArtifacts(box, result, want) {
  const paths = want.map((one) => bytes(one.path));
  for (const listed of [result.artifacts, await box.artifacts.list(result)])
    assert.deepEqual(listed.map((one) => bytes(one.path ?? { base64: one.path_base64 })), paths);
  for (const [index, one] of want.entries()) {
    const content = await box.artifacts.get(result, paths[index]);
    assert.deepEqual(content, bytes(one.content));
    assert.deepEqual(await box.artifacts.get(result, surrogates(paths[index])), content);
    assert.deepEqual(await box.artifacts.get(createHash("sha256").update(content).digest("hex")), content);
  }
}

/** Everything of `expect` that is about the result. */
export async function judgeResult(box, result, want) {
  const { data } = result;
  const short = { ok: result.ok, status: result.status, exit_code: result.exitCode, signal: result.signal, code: result.code };
  for (const [name, value] of Object.entries(short)) if (name in want) assert.equal(value, want[name], JSON.stringify(data));
  for (const name of ["stdout", "stderr"])
    if (name in want) judgeOutput(result[`${name}Bytes`], data.output[name], want[name]);
  for (const name of ["reason", "changes", "network", "isolation"]) if (name in want) judgeLike(data[name], want[name]);
  for (const one of want.denials ?? [])
    assert.ok(result.denials.some((got) => matches(got, one)), JSON.stringify(result.denials));
  assert.deepEqual(result.undelivered, []); // of none of the table's
  for (const text of want.warnings ?? [])
    assert.ok(result.warnings.some((one) => one.includes(text)), JSON.stringify(result.warnings));
  for (const path of want.usage_not_null ?? []) assert.equal(typeof at(data, path), "number", path);
  for (const [path, bound] of Object.entries(want.at_least ?? {})) assert.ok(at(data, path) >= bound, path);
  for (const [path, bound] of Object.entries(want.at_most ?? {})) assert.ok(at(data, path) <= bound, path);
  if (want.redactions)
    assert.deepEqual(Object.fromEntries(data.redactions.map((one) => [one.secret, one.count])), want.redactions);
  if (want.artifacts) await judgeArtifacts(box, result, want.artifacts);
}

/** What is in the workspace afterwards. */
export async function judgeFiles(box, want, SbxError) {
  for (const [path, content] of Object.entries(want.files ?? {})) {
    if (content === null) await assert.rejects(box.readFile(path), /does not exist/);
    else assert.deepEqual(await box.readFile(path), bytes(content), path);
  }
  if (want.listing) assert.deepEqual(await box.listFiles(), want.listing);
  for (const path of want.unreadable ?? []) {
    await assert.rejects(box.readFile(path), SbxError, path);
    await assert.rejects(box.writeFile(path, "overwritten"), SbxError, path);
  }
}

/** What the callbacks got: `heard` has [stream, chunk or event] of each call. */
export function judgeHeard(heard, want) {
  const outputs = heard.filter(([stream]) => stream !== "event");
  for (const name of want.callbacks ? ["stdout", "stderr"] : []) {
    const got = Buffer.concat(outputs.filter(([stream]) => stream === name).map(([, chunk]) => chunk));
    assert.deepEqual(got, bytes(want.callbacks[name]), name);
  }
  if (want.callbacks?.order)
    assert.deepEqual(outputs.map(([stream, chunk]) => [stream, chunk.toString()]), want.callbacks.order);
  const events = heard.filter(([stream]) => stream === "event").map(([, event]) => event);
  let from = 0;
  for (const type of want.events ?? []) {
    const found = events.findIndex((event, index) => index >= from && event.type === type);
    assert.notEqual(found, -1, `no ${type} in ${events.map((event) => event.type)} from ${from}`);
    from = found + 1;
  }
  if (want.events_seq) assert.deepEqual(events.map((event) => event.seq), events.map((_, index) => index));
}
