// However a run ends: nothing of it stays, and nobody waits for ever.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { client, runningWith, sandbox, STUBBORN, tree, until } from "./support.mjs";

test("what a callback throws ends the run and is thrown", async (t) => {
  const word = tree();
  const run = sandbox(t).run(STUBBORN(word), { onStdout: () => { throw new RangeError("enough"); } });
  await assert.rejects(run, { name: "RangeError", message: "enough" });
  assert.deepEqual(runningWith(word), []);
});

test("a run is ended at any moment of its start", async (t) => {
  const box = sandbox(t);
  const word = tree();
  for (let delay = 0; delay <= 30; delay += 2) {
    const stop = new AbortController();
    const run = box.run(["sleep", word], { signal: stop.signal });
    await sleep(delay);
    stop.abort();
    await assert.rejects(run, { name: "AbortError" });
    assert.deepEqual(runningWith(word), [], `after ${delay} ms`);
  }
});

test("close() ends what runs, and nothing starts after it", async (t) => {
  const box = sandbox(t);
  const word = tree();
  const folder = await box.folder();
  const run = box.run(["sleep", word]);
  const failed = assert.rejects(run, /was closed/);
  await until(() => runningWith(word).length > 0, () => "it does not run");
  await box.close();
  await failed;
  assert.deepEqual(runningWith(word), []);
  assert.ok(!existsSync(folder));
  await assert.rejects(box.run(["true"]), /is closed/);
  await assert.rejects(box.writeFile("a", ""), /is closed/);
});

test("a workspace with closed folders is removed", async (t) => {
  const box = sandbox(t);
  const folder = await box.folder();
  assert.equal((await box.run(["sh", "-c", "mkdir -p a/b; touch a/b/c; ln -s /etc a/l; chmod 0 a/b a"])).status, "ok");
  await box.close();
  assert.ok(!existsSync(folder));
});

// Folders inside each other, some of them closed, whose path is longer than any that the kernel takes (PATH_MAX).
const DEEP = `
import os, sys
os.symlink(sys.argv[1], 'link')
for depth in range(60):
    os.mkdir('d' * 200); os.chdir('d' * 200)
    open('file', 'w').close(); os.symlink(sys.argv[1], 'link'); os.mkdir('shut')
    os.chmod('shut', 0)
os.chmod('.', 0)
`;

test("a workspace that is deeper than a path can be is removed, and what its links lead to is not", async (t) => {
  const place = mkdtempSync(join(tmpdir(), "clients-test-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(join(place, "kept"));
  const box = sandbox(t);
  const folder = await box.folder();
  const result = await box.run(["/usr/bin/python3", "-I", "-S", "-c", DEEP, place]);
  assert.equal(result.status, "ok", result.stderr);
  await box.close();
  assert.ok(!existsSync(folder));
  assert.deepEqual(readdirSync(place), ["kept"]);
});

test("a workspace that cannot be removed is an error, and close() can be called again", async (t) => {
  const box = sandbox(t);
  const folder = await box.folder();
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, "");
  await assert.rejects(box.close(), (error) => error instanceof client.SbxError && error.message.includes(folder));
  rmSync(folder);
  renameSync(`${folder}.away`, folder);
  await box.close();
  assert.ok(!existsSync(folder));
});

test("an input that throws ends the run", async (t) => {
  async function* broken() {
    yield "a\n";
    throw new TypeError("no more");
  }
  await assert.rejects(sandbox(t).run(["cat"], { input: broken() }), { name: "TypeError", message: "no more" });
});

test("an input without an end ends with the command", async (t) => {
  function* endless() {
    for (;;) yield "x".repeat(10_000);
  }
  const result = await sandbox(t).run(["head", "-c", "100000"], { input: endless() });
  assert.equal(result.stdoutBytes.length, 100_000);
});

test("an sbx that is killed is an error", async (t) => {
  const box = sandbox(t, { binary: new URL("killed-sbx.sh", import.meta.url).pathname });
  await assert.rejects(box.run(["true"]), (error) => {
    assert.ok(error instanceof client.SbxError);
    assert.match(error.message, /was ended by SIGKILL and gave no result/);
    return error.code === null;
  });
});

test("what was to be applied and was not is an error, as sbx itself fails then", async (t) => {
  const box = sandbox(t, { workspace: "overlay", keep: "apply" });
  const script = 'echo ready; read line; echo mine > file';
  const change = async () => {  // so that the host has others than the command knows
    let changed;
    const input = (async function* () { await new Promise((resolve) => { changed = resolve; }); yield "go\n"; })();
    await box.writeFile("file", "before\n");
    // Later than a tick of the clock that files get their times from.
    return { input, ready: async () => { await sleep(50); await box.writeFile("file", "meanwhile\n"); changed(); } };
  };
  const undelivered = (error) => {
    assert.ok(error instanceof client.SbxError && !(error instanceof client.CommandError), error);
    assert.match(error.message, /not applied: file/);
    assert.equal(error.code, 125);
    assert.equal(error.result.status, "ok");
    assert.equal(error.result.undelivered.length, 1);
    return true;
  };
  for (const check of [false, true]) {
    const { input, ready } = await change();
    await assert.rejects(box.run(["sh", "-c", script], { input, check, onStdout: ready }), undelivered);
  }
  const { input, ready } = await change();
  const told = [];
  await assert.rejects((async () => {
    for await (const event of box.stream(["sh", "-c", script], { input })) {
      told.push(event.type);
      if (event.type === "stdout") await ready();
    }
  })(), undelivered);
  assert.equal(told.at(-1), "result");
  assert.equal((await box.readFile("file")).toString(), "meanwhile\n");
});
