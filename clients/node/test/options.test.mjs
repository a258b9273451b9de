// Options: which binary, which workspace, which profile; and what of them is refused.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { client, sandbox } from "./support.mjs";

const { SbxError, SbxNotFoundError } = client;

function place(t) {
  const path = mkdtempSync(join(tmpdir(), "clients-test-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function setVariable(t, name, value) {
  const old = process.env[name];
  process.env[name] = value;
  t.after(() => { if (old === undefined) delete process.env[name]; else process.env[name] = old; });
}

test("the binary: option, SBX_BIN, PATH, in this order", async (t) => {
  const folder = place(t);
  const real = process.env.SBX_BIN;
  symlinkSync(real, join(folder, "sbx"));
  setVariable(t, "SBX_BIN", "/no/such/sbx");
  assert.equal((await sandbox(t, { binary: real }).run(["true"])).status, "ok");
  await assert.rejects(sandbox(t).run(["true"]), (error) =>
    error instanceof SbxNotFoundError && /SBX_BIN names \/no\/such\/sbx/.test(error.message));
  delete process.env.SBX_BIN;
  setVariable(t, "PATH", `${folder}:${process.env.PATH}`);
  assert.equal((await sandbox(t).run(["true"])).status, "ok");
  process.env.PATH = place(t);
  await assert.rejects(sandbox(t).run(["true"]), /no sbx on PATH/);
});

test("a bare name of a binary is looked up on PATH, and nowhere else", async (t) => {
  const folder = place(t);
  const before = process.cwd();
  symlinkSync(process.env.SBX_BIN, join(folder, "mysbx"));
  setVariable(t, "SBX_BIN", "mysbx");
  t.after(() => process.chdir(before));
  process.chdir(folder);
  for (const path of ["/no/such/folder", ":/no/such/folder", ""]) {
    setVariable(t, "PATH", path);
    await assert.rejects(sandbox(t).run(["true"]), /SBX_BIN names mysbx, which is no program on PATH/);
    await assert.rejects(sandbox(t, { binary: "mysbx" }).run(["true"]), /`binary` names mysbx, which/);
  }
  assert.equal((await sandbox(t, { binary: "./mysbx" }).run(["true"])).status, "ok");
  process.chdir(before);
  process.env.PATH = folder;
  assert.equal((await sandbox(t).run(["true"])).status, "ok");
});

test("a relative binary and a relative cwd are those of where the sandbox was made", async (t) => {
  const folder = place(t);
  const before = process.cwd();
  symlinkSync(process.env.SBX_BIN, join(folder, "mysbx"));
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "sub", "mark"), "here");
  t.after(() => process.chdir(before));
  process.chdir(folder);
  const box = sandbox(t, { binary: "./mysbx", cwd: "sub", ro: [".:/mnt"] });
  process.chdir(place(t));
  assert.equal((await box.run(["cat", "/mnt/mark"])).stdout, "here");
});

test("an artifact whose name is no UTF-8 that is not there, and one that no command line can name, are told", async (t) => {
  const box = sandbox(t, { collect: ["/workspace/out/**"] });
  const result = await box.run(["sh", "-c", "mkdir out; echo 1 > \"$(printf 'out/\\377')\""]);
  await assert.rejects(box.artifacts.get(result, "/workspace/out/\udcfe"), /no artifact of .* has that path, which is no UTF-8/);
  const to = place(t);
  await assert.rejects(box.artifacts.save(result, to, ["/workspace/out/\udcff"]), /get\(\) has it, and save\(\) its folder/);
  await box.artifacts.save(result, to, ["/workspace/out"]);
  assert.equal(readFileSync(Buffer.concat([Buffer.from(join(to, "workspace", "out", "")), Buffer.from("/"), Buffer.of(0xff)]), "utf8"), "1\n");
});

test("a cwd that is no folder is told as that, and not as a binary that is missing", async (t) => {
  const file = join(place(t), "file");
  writeFileSync(file, "");
  for (const cwd of [file, `${file}s`])
    await assert.rejects(sandbox(t, { cwd }).run(["true"]), (error) =>
      error instanceof SbxError && error.message.includes(`in ${cwd}: cwd has to be a folder`));
});

test("a folder of the caller's is the workspace, and stays", async (t) => {
  const folder = place(t);
  writeFileSync(join(folder, "in"), "1");
  for (const workspace of [folder, `${folder}:ro`, { dir: folder }, { dir: folder, mode: "overlay" }]) {
    const box = sandbox(t, { workspace });
    assert.equal((await box.run(["cat", "in"])).stdout, "1");
    assert.deepEqual(await box.listFiles(), ["in"]);
    await box.close();
  }
});

test("relative paths are relative to cwd, in a profile that is an object too", async (t) => {
  const cwd = place(t);
  mkdirSync(join(cwd, "data"));
  writeFileSync(join(cwd, "data", "a"), "alpha");
  writeFileSync(join(cwd, "base.yaml"), "version: 1\nhostname: based\n");
  writeFileSync(join(cwd, "in"), "typed");
  writeFileSync(join(cwd, "key"), "a key of mine");
  const profile = {
    extends: ["./base.yaml"],
    mounts: ["data:/one", { bind: "./data", at: "/two" }],
    secrets: { k: { from: "file:./key" }, v: { from: "env:SBX_TEST_KEY" } },
    stdio: { stdin: "./in", tty: "never" },
  };
  setVariable(t, "SBX_TEST_KEY", "another key");
  const script = "cat /one/a /two/a a; hostname; cat; wc -c < /run/secrets/k; wc -c < /run/secrets/v";
  const result = await sandbox(t, { cwd, profile, workspace: "data" }).run(["sh", "-c", script]);
  assert.equal(result.stdout, "alphaalphaalphabased\ntyped13\n11\n", result.stderr);
  for (const stdin of ["null", "inherit", null]) {
    const silent = await sandbox(t, { cwd, profile: { stdio: { stdin } } }).run(["cat"]);
    assert.deepEqual([silent.status, silent.stdout], ["ok", ""], silent.stderr);
  }
});

test("numbers are bytes and milliseconds", async (t) => {
  const box = sandbox(t, { memory: 64 * 1024 * 1024, timeout: 30_000 });
  const result = await box.run(["sleep", "20"], { overrides: { timeout: 250 } });
  assert.equal(result.reason.limit, "250ms");
  assert.ok([64 * 1024 * 1024, null].includes(result.data.memory.limit_bytes), result.data.memory.limit_bytes);
});

test("a profile's own command", async (t) => {
  assert.equal((await sandbox(t, { profile: { command: ["echo", "mine"] } }).run([])).stdout, "mine\n");
});

for (const [what, options, argv, message] of [
  ["a flag of the client's own", { json: true }, ["true"], /the option json is no option of a client/],
  ["a profile that would be a flag", { profile: "--rw=/:/host" }, ["true"], /starts with a dash/],
  ["a value that is no text", { ro: [{}] }, ["true"], /the option ro: \{\} is no text/],
  ["a command that is one text", {}, "ls /", /an array of words/],
  ["a NUL in an argument", {}, ["a\0b"], /null bytes/],
]) {
  test(`refused: ${what}`, async (t) => {
    await assert.rejects(sandbox(t, options).run(argv), (error) => error instanceof SbxError && message.test(error.message));
  });
}

const table = process.env.SBX_BEHAVIOURS ?? new URL("../../behaviours.json", import.meta.url);
for (const { option, value, message } of JSON.parse(readFileSync(table, "utf8")).numbers) {
  test(`refused: ${option} ${value}`, async (t) => {
    const wrong = { [option]: { infinity: Infinity, nan: NaN }[value] ?? value };
    const refused = (error) => error instanceof SbxError
      && message.every((text) => error.message.toLowerCase().includes(text)) || assert.fail(error);
    await assert.rejects(sandbox(t, wrong).run(["true"]), refused);
    await assert.rejects(sandbox(t).run(["true"], { overrides: wrong }), refused);
    if (option === "timeout") await assert.rejects(sandbox(t).run(["true"], wrong), refused);
  });
}

test("a number of milliseconds is rounded up", async (t) => {
  const result = await sandbox(t, { memory: 1e8 }).run(["sleep", "20"], { timeout: 1000 / 3 });
  assert.equal(result.reason.limit, "334ms");
});

test("files of the workspace: what leads out, waits, or is none is refused", async (t) => {
  const box = sandbox(t);
  assert.equal((await box.run(["sh", "-c", "mkfifo pipe; mkdir folder; ln -s /nowhere/x dangling"])).status, "ok");
  for (const path of ["../x", "a/../../x", "/etc/passwd", "", ".", "a\0b", "pipe", "folder", "dangling", "dangling/x"]) {
    await assert.rejects(box.readFile(path), SbxError, path);
    if (path !== "a\0b") await assert.rejects(box.writeFile(path, "x"), SbxError, path);
  }
  await assert.rejects(sandbox(t, { workspace: "none" }).readFile("a"), /has no workspace/);
});

test("a file is read up to a limit, and one that grows meanwhile too", async (t) => {
  const box = sandbox(t);
  const folder = await box.folder();
  const tooLong = (limit) => (error) => error instanceof SbxError && error.message.includes(`longer than the limit of ${limit} bytes`);
  writeFileSync(join(folder, "huge"), "");
  truncateSync(join(folder, "huge"), 100 * 2 ** 30);
  await assert.rejects(box.readFile("huge"), tooLong(64 * 2 ** 20));
  await box.writeFile("ten", "0123456789");
  assert.equal(String(await box.readFile("ten", { limit: 10 })), "0123456789");
  for (const limit of [9, 0, -1]) await assert.rejects(box.readFile("ten", { limit }), tooLong(limit));
  await box.writeFile("most", Buffer.alloc(64 * 2 ** 20));
  assert.equal((await box.readFile("most")).length, 64 * 2 ** 20);
  let size = 30 * 2 ** 20;
  truncateSync(join(folder, "most"), size);
  const grow = setInterval(() => truncateSync(join(folder, "most"), size += 10 * 2 ** 20), 0);
  await assert.rejects(box.readFile("most", { limit: 40 * 2 ** 20 }), tooLong(40 * 2 ** 20)).finally(() => clearInterval(grow));
});

test("names that are no UTF-8 are listed, read and written", async (t) => {
  const box = sandbox(t);
  const script = `d=$(printf '\\377'); mkdir "$d"; echo 1 > "$d/a"; echo 2 > "$(printf 'b\\303\\344c\\355\\262\\200')"; touch ü€😀`;
  assert.equal((await box.run(["sh", "-c", script])).status, "ok");
  const odd = "b\udcc3\udce4c\udced\udcb2\udc80";
  assert.deepEqual(await box.listFiles(), [odd, "ü€😀", "\udcff/a"]);
  await box.writeFile("\udcff/new", await box.readFile("\udcff/a"));
  await box.writeFile(odd, "3\n");
  const result = await box.run(["sh", "-c", `d=$(printf '\\377'); cat "$d/new" b*`]);
  assert.equal(result.stdout, "1\n3\n", result.stderr);
});

test("folders of a workspace that are too deep are an error", async (t) => {
  const box = sandbox(t);
  const path = Array(100).fill("a").join("/");
  await box.writeFile(`${path}/x`, "");
  assert.deepEqual(await box.listFiles(), [`${path}/x`]);
  await box.writeFile(`${path}/a/x`, "");
  await assert.rejects(box.listFiles(), (error) => error instanceof SbxError && /more than 100 folders/.test(error.message));
});

test("folders that go while files are listed are none of them", async (t) => {
  const box = sandbox(t);
  for (const path of ["stays/y", "z"]) await box.writeFile(path, "");
  const stop = new AbortController();
  const run = box.run(["sh", "-c", "while :; do mkdir a; : >a/b; rm -r a; mkdir -p c/d; rm -r c; ln -s . c; rm c; done"], { signal: stop.signal });
  run.catch(() => undefined);
  try {
    for (const end = Date.now() + 2000; Date.now() < end;) {
      const found = await box.listFiles();
      assert.ok(found.includes("stays/y") && found.includes("z"), found);
    }
  } finally {
    stop.abort();
    await assert.rejects(run, { name: "AbortError" });
  }
  await assert.rejects(sandbox(t, { workspace: "/no/such:rw" }).listFiles(), SbxError);
});

test("a file is replaced with its mode kept", async (t) => {
  const box = sandbox(t);
  await box.writeFile("tool", "#!/bin/sh\necho one\n");
  await box.run(["chmod", "775", "tool"]);
  await box.writeFile("tool", "#!/bin/sh\necho two\n");
  assert.equal((await box.run(["stat", "-c", "%a", "tool"])).stdout, "775\n");  // whatever the umask
  assert.equal((await box.run(["./tool"])).stdout, "two\n");
  assert.deepEqual(await box.listFiles(), ["tool"]);
});

test("artifacts are written to a folder", async (t) => {
  const cwd = place(t);
  const box = sandbox(t, { cwd, collect: "/workspace/*.txt" });
  const result = await box.run(["sh", "-c", "echo kept > a.txt"]);
  await box.artifacts.save(result, "out");
  assert.equal((await sandbox(t, { workspace: `${cwd}:ro` }).run(["sh", "-c", "cat $(find out -name a.txt)"])).stdout, "kept\n");
  await assert.rejects(box.artifacts.get("no-such-run", "/x"), SbxError);
  await assert.rejects(box.artifacts.get("--help"), SbxError);
});

test("an option that is undefined is none", async (t) => {
  const profile = { version: undefined, name: undefined, limits: { memory: undefined } };
  const result = await sandbox(t, { memory: undefined, cwd: undefined, workspace: undefined, profile })
    .run(["true"], { timeout: undefined, input: undefined, signal: undefined, onStdout: undefined, overrides: { idle: undefined } });
  assert.equal(result.status, "ok");
  assert.equal(result.data.profile.name, "inline");
});

test("what is no option of a run is refused, and told where it belongs", async (t) => {
  const box = sandbox(t);
  const next = (options) => box.stream(["true"], options).next();
  for (const [name, advice] of [["memory", "{ overrides: { memory: ... } }"], ["net", "overrides"], ["env", "overrides"],
    ["stdin", "standard input is `input`"], ["cwd", "cwd is for new Sandbox()"], ["workspace", "new Sandbox()"]])
    for (const call of [(options) => box.run(["true"], options), next])
      await assert.rejects(call({ [name]: "x" }), (error) => error instanceof SbxError &&
        error.message.includes(`() has no option ${name}: it has input, signal, timeout, overrides`) && error.message.includes(advice));
  await assert.rejects(next({ onStdout() {} }), /stream\(\) has no option onStdout.*\n {2}callbacks and check are for run\(\)/);
  assert.equal((await box.run(["true"], { memory: undefined, env: null, check: true })).status, "ok");
});
