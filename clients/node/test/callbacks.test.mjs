// Callbacks and inputs that promise something: it is waited for, and what breaks it ends the run.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { degrade, packageFolder, runningWith, sandbox, tree, until } from "./support.mjs";

const STUBBORN = (word) => ["sh", "-c", `trap '' TERM INT HUP; sleep ${word} & echo ready; echo error >&2; wait; sleep ${word}`];

for (const name of ["onStdout", "onStderr", "onEvent"]) {
  for (const [when, broken] of [
    ["at once", async () => { throw new RangeError("enough"); }],
    ["later", async () => { await sleep(50); throw new RangeError("enough"); }],
    ["as a thenable", () => ({ then: (_, reject) => reject(new RangeError("enough")) })],
  ]) {
    test(`a promise of ${name} that is rejected ${when} ends the run and is thrown`, async (t) => {
      const word = tree();
      await assert.rejects(sandbox(t).run(STUBBORN(word), { [name]: broken }), { name: "RangeError", message: "enough" });
      assert.deepEqual(runningWith(word), []);
    });
  }
}

test("a promise that is rejected after the command has ended is thrown, too", async (t) => {
  const late = async (chunk) => { if (chunk.includes("last")) { await sleep(500); throw new RangeError("late"); } };
  await assert.rejects(sandbox(t).run(["echo", "last"], { onStdout: late }), { name: "RangeError", message: "late" });
});

test("promises are waited for: one call after the other, in order, all before run() returns", async (t) => {
  const script = "for n in 1 2 3 4 5; do echo $n; echo $n >&2; sleep 0.05; done";
  const heard = [];
  let busy = 0;
  const slow = (name) => async (what) => {
    assert.equal(busy, 0, "two at once");
    busy += 1;
    await sleep(30);
    busy -= 1;
    heard.push(name === "event" ? what.type : `${name} ${String(what).trim()}`);
  };
  const run = { onStdout: slow("out"), onStderr: slow("err"), onEvent: slow("event") };
  await sandbox(t).run(["sh", "-c", script], run);
  const outputs = [1, 2, 3, 4, 5].flatMap((n) => ["stdout", `out ${n}`, "stderr", `err ${n}`]);
  assert.deepEqual(heard, ["start", ...outputs, "exit", "result"]);
});

test("a promise that is never kept does not hold an aborted run", { timeout: 20_000 }, async (t) => {
  const word = tree();
  const stop = new AbortController();
  let asked = 0;
  const never = () => { asked += 1; return new Promise(() => undefined); };
  const run = sandbox(t).run(STUBBORN(word), { signal: stop.signal, onStdout: never });
  const failed = assert.rejects(run, { name: "AbortError" });
  await until(() => asked > 0 && runningWith(word).length > 0, () => `asked ${asked} times`);
  stop.abort();
  await failed;
  assert.deepEqual(runningWith(word), []);
});

test("nor does it hold close()", { timeout: 20_000 }, async (t) => {
  const box = sandbox(t);
  let asked = false;
  const run = box.run(["echo", "1"], { onStdout: () => { asked = true; return new Promise(() => undefined); } });
  const failed = assert.rejects(run, /was closed/);
  await until(() => asked, () => "not asked");
  await box.close();
  await failed;
});

test("many outputs for a slow callback lose nothing", async (t) => {
  let bytes = 0;
  const take = async (chunk) => { await sleep(1); bytes += chunk.length; };
  const result = await sandbox(t).run(["head", "-c", "5000000", "/dev/zero"], { onStdout: take });
  assert.equal(bytes, 5_000_000);
  assert.equal(result.eventsComplete, true);
});

test("an input that is rejected ends the run and its tree", async (t) => {
  const word = tree();
  async function* broken() {
    yield "a\n";
    await until(() => runningWith(word).length > 0, () => "it does not run");
    throw new TypeError("no more");
  }
  await assert.rejects(sandbox(t).run(STUBBORN(word), { input: broken() }), { name: "TypeError", message: "no more" });
  assert.deepEqual(runningWith(word), []);
});

test("an input that is none is an error", async (t) => {
  for (const input of [5, {}, [5], [null]]) await assert.rejects(sandbox(t).run(["cat"], { input }), TypeError);
});

test("an input that goes on is let go of with the command", async (t) => {
  for (const argv of [["true"], ["sh", "-c", "exec <&-; sleep 0.3"]]) {
    const input = new PassThrough();
    input.write("some");
    assert.equal((await sandbox(t).run(argv, { input })).status, "ok");
    await until(() => input.destroyed, () => "it is still open");
  }
});

test("a consumer of events that is rejected ends the run and its tree", async (t) => {
  const word = tree();
  await assert.rejects(async () => {
    for await (const event of sandbox(t).stream(STUBBORN(word))) if (event.type === "stdout") await Promise.reject(new TypeError("no"));
  }, { name: "TypeError", message: "no" });
  assert.deepEqual(runningWith(word), []);
});

// In a process of its own, which an unhandled rejection would end; none may come even after the run was given up.
const UNHANDLED = `
import { createRequire } from "node:module";
const { Sandbox } = createRequire(process.argv[1] + "/package.json")("./dist/cjs/index.js");
const box = new Sandbox(JSON.parse(process.argv[2]));
const later = (ms) => new Promise((_, reject) => setTimeout(() => reject(new RangeError("mine")), ms));
const said = [];
const run = (options) => box.run(["sh", "-c", "echo 1; echo 2; sleep 20"], options).catch((error) => said.push(error.name));
await run({ onStdout: async () => { throw new RangeError("mine"); } });
await run({ onEvent: () => later(100), onStdout: () => later(100), signal: AbortSignal.timeout(50) });
await new Promise((resolve) => setTimeout(resolve, 300));
await box.close();
console.log(said.join());
`;

test("no rejection is left unhandled", async () => {
  const args = ["--input-type=module", "-e", UNHANDLED, packageFolder, JSON.stringify(degrade)];
  const other = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  other.stdout.on("data", (chunk) => { said += chunk; });
  assert.deepEqual(await once(other, "close"), [0, null]);
  assert.equal(said, "RangeError,TimeoutError\n");
});
