// However a run, or this process, ends: nothing of it stays, and nobody waits for ever.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
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

// The guard of this process: its only child that is a shell.
const GUARD = `
import { existsSync, readdirSync, readFileSync } from "node:fs";
const guard = () => readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name)).filter((pid) => {
  try {
    const [, parent] = readFileSync("/proc/" + pid + "/stat", "utf8").split(") ")[1].split(" ");
    return Number(parent) === process.pid && readFileSync("/proc/" + pid + "/cmdline", "utf8").startsWith("/bin/sh");
  } catch { return false; }
});
`;

test("a guard that is killed has a successor, which knows what there was", async () => {
  const place = mkdtempSync(join(tmpdir(), "clients-test-"));
  mkdirSync(join(place, "tmp"));
  const word = tree();
  const kill = `
    const [first] = guard();
    process.kill(first, "SIGKILL");
    while (existsSync("/proc/" + first)) await new Promise((resolve) => setTimeout(resolve, 10));
    await box.run(["true"]);
    if (guard().length !== 1) console.log("no successor");
    console.log("ready");
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 100);`;
  const script = GUARD + OTHER.replace('console.log("ready");', kill);
  const other = spawn(process.execPath, ["--input-type=module", "-e", script, packageFolder, JSON.stringify(degrade), word], {
    env: { ...process.env, TMPDIR: join(place, "tmp") }, stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  other.stdout.on("data", (chunk) => { said += chunk; });
  try {
    assert.deepEqual(await once(other, "close"), [null, "SIGKILL"]);
    assert.equal(said, "ready\n");
    await until(() => runningWith(word).length === 0, () => runningWith(word).join());
    await until(() => readdirSync(join(place, "tmp")).length === 0, () => readdirSync(join(place, "tmp")).join());
  } finally {
    other.kill("SIGKILL");
    rmSync(place, { recursive: true, force: true });
  }
});

// With any number of descriptors left, from none on; then 40 runs at once, which are too many for 64 descriptors.
const FEW = `
import { closeSync, openSync } from "node:fs";
import { createRequire } from "node:module";
const { Sandbox, SbxError } = createRequire(process.argv[1] + "/package.json")("./dist/cjs/index.js");
const box = new Sandbox(JSON.parse(process.argv[2]));
const bare = new Sandbox({ ...JSON.parse(process.argv[2]), workspace: "none" });
const others = [];
const settled = (run) => run.then((result) => result.status, (error) => {
  if (!(error instanceof SbxError)) others.push(String(error));
  return "refused";
});
const command = ["sh", "-c", 'echo "$0"', process.argv[3]];
const run = (number) => settled(box.run(command,
  [{}, { onStdout: () => undefined }, { input: "x", onEvent: () => undefined }][number % 3]));
const held = [];
try {
  for (;;) held.push(openSync("/dev/null"));
} catch { }
const few = [];
for (let left = 0; left < 24; left += 1) {
  few.push(await settled(bare.run(command)), await run(left));
  closeSync(held.pop());
}
held.forEach((fd) => closeSync(fd));
const many = await Promise.all(Array.from({ length: 40 }, (_, number) => run(number)));
const later = await run(0);
await box.close();
await bare.close();
console.log(JSON.stringify({ few: [few[0], few[1], few.at(-1)], many: many.includes("refused"), later, others }));
`;

test("runs for which no descriptor is left are errors, and the process goes on", async (t) => {
  const place = mkdtempSync(join(tmpdir(), "clients-test-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const word = tree();
  const args = ["--input-type=module", "-e", FEW, packageFolder, JSON.stringify(degrade), word];
  const other = spawn("sh", ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, ...args], {
    env: { ...process.env, TMPDIR: place }, stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  other.stdout.on("data", (chunk) => { said += chunk; });
  assert.deepEqual(await once(other, "close"), [0, null], said);
  assert.deepEqual(JSON.parse(said), { few: ["refused", "refused", "ok"], many: true, later: "ok", others: [] });
  assert.deepEqual(runningWith(word), []);
  assert.deepEqual(readdirSync(place), []);
});

test("nothing of the client keeps a process alive", async () => {
  const script = OTHER.replace(/const run[^]*/, 'await box.run(["true"]);');
  const other = spawn(process.execPath, ["--input-type=module", "-e", script, packageFolder, JSON.stringify(degrade)], { stdio: "inherit" });
  const code = await new Promise((resolve) => other.on("exit", resolve));
  assert.equal(code, 0);
});

test("nor does a stream that nobody reads to its end, once its run has ended", { timeout: 30_000 }, async () => {
  const script = OTHER.replace(/const run[^]*/, `
    await box.stream(["sh", "-c", "echo 1; sleep 50"]).next();
    await box.stream(["echo", "1"]).next();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await box.close();`);
  const other = spawn(process.execPath, ["--input-type=module", "-e", script, packageFolder, JSON.stringify(degrade)], { stdio: "inherit" });
  const late = setTimeout(() => other.kill("SIGKILL"), 20_000);
  assert.deepEqual(await once(other, "exit"), [0, null]);
  clearTimeout(late);
});

test("an sbx that is killed is an error", async (t) => {
  const box = sandbox(t, { binary: new URL("killed-sbx.sh", import.meta.url).pathname });
  await assert.rejects(box.run(["true"]), (error) => {
    assert.ok(error instanceof client.SbxError);
    assert.match(error.message, /was ended by SIGKILL and gave no result/);
    return error.code === null;
  });
});
