// The client does what clients/behaviours.json says, line by line.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { bytes, judgeFiles, judgeHeard, judgeResult } from "./judge.mjs";
import { client, noCgroup, runningWith, sandbox, tree, until } from "./support.mjs";

const { CommandError, SbxError } = client;
const table = process.env.SBX_BEHAVIOURS ?? new URL("../../behaviours.json", import.meta.url);
const CANCEL_MS = 20_000;

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The options of the sandbox for this case. */
function optionsOf(one) {
  const overrides = Object.entries(one.overrides ?? {}).map(([key, value]) => [camel(key), value]);
  return {
    ...(one.profile == null ? {} : { profile: one.profile }),
    workspace: one.workspace === false ? "none" : one.workspace ?? "rw",
    ...Object.fromEntries(overrides),
  };
}

function runOptions(one, heard) {
  const hear = (name) => (what) => heard.push([name, what]);
  return {
    ...(one.input === undefined ? {} : { input: one.input && bytes(one.input) }),
    ...(one.timeout === undefined ? {} : { timeout: one.timeout * 1000 }),
    ...(one.check ? { check: true } : {}),
    ...(one.streams ? { onStdout: hear("stdout"), onStderr: hear("stderr") } : {}),
    ...(one.events ? { onEvent: hear("event") } : {}),
  };
}

/** Calls `end` when the run has said `at`; it is over soon after that. Returns what it promises. */
async function ended(box, at, argv, word, options, end) {
  let ready = false;
  const onStdout = (chunk) => { ready ||= chunk.includes(at); };
  const run = box.run(argv, { ...options, onStdout });
  const settled = run.catch(() => undefined);
  await until(() => ready, () => `it did not say ${at}`);
  await until(() => runningWith(word).length > 0, () => "nothing runs that could be ended");
  const start = Date.now();
  await end(settled);
  assert.deepEqual(runningWith(word), []);
  await settled;
  assert.ok(Date.now() - start < CANCEL_MS);
  return run;
}

async function cancelled(box, one, argv, word) {
  const stop = new AbortController();
  const run = ended(box, one.cancel_at, argv, word, { signal: stop.signal }, (settled) => { stop.abort(); return settled; });
  await assert.rejects(run, { name: "AbortError" });
}

async function failed(run, one) {
  const want = one.expect.error;
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof SbxError, error);
    assert.equal(error instanceof CommandError, one.check === true);
    assert.equal(error.code, want.code);
    for (const text of want.message) assert.ok(error.message.includes(text), error.message);
    return true;
  });
}

async function all(box, one, argv) {
  const runs = Array.from({ length: one.concurrent }, (_, number) =>
    box.run(argv.map((word) => word.replaceAll("$N", number))));
  const results = await Promise.all(runs);
  results.forEach((result, number) => assert.equal(result.stdout, one.expect.all.stdout.replaceAll("$N", number)));
  assert.equal(new Set(results.map((result) => result.id)).size, results.length);
}

function setCaller(t, variables) {
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value;
    t.after(() => delete process.env[name]);
  }
}

/** What `make` makes while the process is in a folder with these files; afterwards it is in an empty one. */
function moved(t, files, make) {
  if (files === undefined) return make();
  const before = process.cwd();
  const top = mkdtempSync(join(tmpdir(), "sbx-caller-"));
  t.after(() => { process.chdir(before); rmSync(top, { recursive: true }); });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, "caller", path)), { recursive: true });
    writeFileSync(join(top, "caller", path), text);
  }
  mkdirSync(join(top, "empty"));
  process.chdir(join(top, "caller"));
  const made = make();
  process.chdir(join(top, "empty"));
  return made;
}

for (const one of JSON.parse(readFileSync(table, "utf8")).behaviours) {
  const skip = one.needs?.includes("cgroup") && noCgroup ? "needs cgroup: this host gives none" : false;
  test(one.name, { skip, timeout: 60_000 }, async (t) => {
    setCaller(t, one.caller_env ?? {});
    const box = moved(t, one.caller_files, () => sandbox(t, optionsOf(one)));
    const folder = one.workspace === false ? undefined : await box.folder();
    for (const [path, content] of Object.entries(one.files ?? {})) await box.writeFile(path, bytes(content));
    const word = tree();
    const argv = one.argv.map((text) => text.replaceAll("$TREE", word));
    const heard = [];
    if (one.close_at) await failed(ended(box, one.close_at, argv, word, {}, () => box.close()), one);
    else if (one.expect.error) await failed(box.run(argv, runOptions(one, heard)), one);
    else if (one.cancel_at) await cancelled(box, one, argv, word);
    else if (one.concurrent) await all(box, one, argv);
    else await judgeResult(box, await box.run(argv, runOptions(one, heard)), one.expect);
    await judgeFiles(box, one.expect, SbxError);
    judgeHeard(heard, one.expect);
    for (const then of one.then ?? []) await judgeResult(box, await box.run(then.argv), then.expect);
    await box.close();
    assert.deepEqual(runningWith(word), []);
    if (folder !== undefined) assert.equal(existsSync(folder), one.caller_files !== undefined, folder);
  });
}
