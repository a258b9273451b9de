// However a run, or this process, ends: nothing of it stays, and nobody waits for ever.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { client, degrade, packageFolder, runningWith, sandbox, tree, until } from "./support.mjs";

const STUBBORN = (word) => ["sh", "-c", `trap '' TERM INT HUP; sleep ${word} & echo ready; wait; sleep ${word}`];

test("what a callback throws ends the run and is thrown", async (t) => {
  const word = tree();
  const run = sandbox(t).run(STUBBORN(word), { onStdout: () => { throw new RangeError("enough"); } });
  await assert.rejects(run, { name: "RangeError", message: "enough" });
  assert.deepEqual(runningWith(word), []);
});

test("a signal that is aborted already starts nothing", async (t) => {
  const word = tree();
  const run = sandbox(t).run(STUBBORN(word), { signal: AbortSignal.abort(new Error("no")) });
  await assert.rejects(run, { message: "no" });
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

// A process of its own that has a run and a workspace of its own, and says when it runs.
const OTHER = `
import { createRequire } from "node:module";
const { Sandbox } = createRequire(process.argv[1] + "/package.json")("./dist/cjs/index.js");
const box = new Sandbox(JSON.parse(process.argv[2]));
await box.folder();
const run = box.run(["sleep", process.argv[3]]);
await box.run(["true"]);
console.log("ready");
if (process.argv[4] === "exit") setTimeout(() => process.exit(3), 200);
await run;
`;

for (const way of ["SIGKILL", "SIGTERM", "exit"]) {
  test(`a node process that ends by ${way} leaves no run and no folder`, async () => {
    const place = mkdtempSync(join(tmpdir(), "clients-test-"));
    mkdirSync(join(place, "tmp"));
    const word = tree();
    const args = ["--input-type=module", "-e", OTHER, packageFolder, JSON.stringify(degrade), word, way];
    const other = spawn(process.execPath, args, {
      env: { ...process.env, TMPDIR: join(place, "tmp") }, stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    other.stdout.on("data", (chunk) => { said += chunk; });
    try {
      await until(() => said.includes("ready") && runningWith(word).length > 0, () => `it said ${said}`);
      assert.equal(readdirSync(join(place, "tmp")).length, 1);
      if (way !== "exit") other.kill(way);
      await until(() => runningWith(word).length === 0, () => runningWith(word).join());
      await until(() => readdirSync(join(place, "tmp")).length === 0, () => readdirSync(join(place, "tmp")).join());
    } finally {
      other.kill("SIGKILL");
      rmSync(place, { recursive: true, force: true });
    }
  });
}

test("nothing of the client keeps a process alive", async () => {
  const script = OTHER.replace(/const run[^]*/, 'await box.run(["true"]);');
  const other = spawn(process.execPath, ["--input-type=module", "-e", script, packageFolder, JSON.stringify(degrade)], { stdio: "inherit" });
  const code = await new Promise((resolve) => other.on("exit", resolve));
  assert.equal(code, 0);
});

test("an sbx that is killed is an error", async (t) => {
  const box = sandbox(t, { binary: new URL("killed-sbx.sh", import.meta.url).pathname });
  await assert.rejects(box.run(["true"]), (error) => {
    assert.ok(error instanceof client.SbxError);
    assert.match(error.message, /was ended by SIGKILL and gave no result/);
    return error.code === null;
  });
});
