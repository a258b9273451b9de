// However a process ends that has runs and folders: nothing of them stays, and nothing of the client keeps it alive.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { degrade, packageFolder, runningWith, tree, until } from "./support.mjs";

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
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
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

// A second process's, whose guard is killed while this one has no turn to hear of it.
async function afterItsGuard(steps) {
  const place = mkdtempSync(join(tmpdir(), "clients-test-"));
  const word = tree();
  const script = GUARD + OTHER.replace(/const run[^]*/, `
    const guarded = async () => { while (guard().length !== 1) await new Promise((resolve) => setTimeout(resolve, 10)); };
    const kill = () => {
      const [first] = guard();
      process.kill(first, "SIGKILL");
      while (!/\\) [ZX] /.test(readFileSync("/proc/" + first + "/stat", "utf8"))) { }
    };
    await box.run(["true"]);
    ${steps}`);
  const other = spawn(process.execPath, ["--input-type=module", "-e", script, packageFolder, JSON.stringify(degrade), word], {
    env: { ...process.env, TMPDIR: place }, stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  other.stdout.on("data", (chunk) => { said += chunk; });
  const late = setTimeout(() => other.kill("SIGKILL"), 20_000);
  try {
    const end = await once(other, "close");
    await until(() => runningWith(word).length === 0, () => runningWith(word).join());
    await until(() => readdirSync(place).length === 0, () => readdirSync(place).join());
    return [said, ...end];
  } finally {
    clearTimeout(late);
    rmSync(place, { recursive: true, force: true });
  }
}

test("a run that starts before a guard's death is heard of has the successor as well", async () => {
  const [said, , signal] = await afterItsGuard(`
    kill();
    box.run(["sh", "-c", "echo runs; sleep " + process.argv[3]], { onStdout: async () => {
      await guarded();
      console.log("guarded");
      process.kill(process.pid, "SIGKILL");
    } });
    await new Promise(() => setTimeout(() => undefined, 60_000));`);
  assert.deepEqual([said, signal], ["guarded\n", "SIGKILL"]);
});

test("a run whose guard has no successor is ended", async () => {
  const [said, code] = await afterItsGuard(`
    const run = box.run(["sleep", process.argv[3]], { onEvent: (event) => {
      if (event.type !== "start") return;
      kill();
      const held = [];
      try { for (;;) held.push(openSync("/dev/null")); } catch { }
      run.catch(() => undefined).then(() => held.forEach((fd) => closeSync(fd)));
    } });
    await run.catch((error) => console.log(error.message.startsWith("nobody would clean up if this process died: ")));
    await box.close();`);
  assert.deepEqual([said, code], ["true\n", 0]);
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
