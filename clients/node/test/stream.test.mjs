// Events as an iterator: in order, complete, and no faster than they are taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { client, runningWith, sandbox, tree, until } from "./support.mjs";

async function collected(events) {
  const found = [];
  for await (const event of events) found.push(event);
  return found;
}

test("all events come, in their order", async (t) => {
  const script = "echo 1; sleep 0.1; echo 2 >&2; sleep 0.1; echo 3; exit 4";
  const events = await collected(sandbox(t).stream(["sh", "-c", script]));
  assert.deepEqual(events.map((event) => event.type), ["start", "stdout", "stderr", "stdout", "exit", "result"]);
  assert.deepEqual(events.map((event) => event.seq), [0, 1, 2, 3, 4, 5]);
  assert.equal(events.at(-1).result.status, "nonzero");
});

test("a slow consumer loses nothing, and the command waits for it", { timeout: 60_000 }, async (t) => {
  // Sixteen megabytes are much more than all pipes hold; seven seconds are longer than sbx waits for a reader.
  const script = "head -c 16000000 /dev/zero | tr '\\0' x; echo done >&2";
  let bytes = 0;
  let slept = false;
  let last;
  for await (const event of sandbox(t).stream(["sh", "-c", script])) {
    if (event.type === "stdout") bytes += event.text.length;
    if (bytes > 0 && !slept) {
      slept = true;
      await sleep(7000);
    }
    last = event;
  }
  assert.equal(bytes, 16_000_000);
  assert.equal(last.type, "result");
  assert.ok(last.result.wall_ms > 6000, `it waited ${last.result.wall_ms} ms`);
});

test("leaving the loop ends the run", async (t) => {
  const word = tree();
  for await (const event of sandbox(t).stream(["sh", "-c", `echo ready; sleep ${word}`])) {
    if (event.type !== "stdout") continue;
    await until(() => runningWith(word).length > 0, () => "it does not run");
    break;
  }
  assert.deepEqual(runningWith(word), []);
});

test("an error of sbx is thrown", async (t) => {
  await assert.rejects(collected(sandbox(t, { memory: "lots" }).stream(["true"])), (error) => {
    assert.ok(error instanceof client.SbxError);
    return error.code === 125 && error.message.includes("--memory");
  });
});

test("aborting ends the loop and the run", async (t) => {
  const word = tree();
  const stop = new AbortController();
  const events = sandbox(t).stream(["sh", "-c", `echo ready; sleep ${word}`], { signal: stop.signal });
  await assert.rejects(async () => {
    for await (const event of events) if (event.type === "stdout") stop.abort();
  }, { name: "AbortError" });
  assert.deepEqual(runningWith(word), []);
});

test("figures of use come at an interval", async (t) => {
  const events = await collected(sandbox(t, { usageInterval: 50 }).stream(["sleep", "0.4"]));
  const usage = events.filter((event) => event.type === "usage");
  assert.ok(usage.length >= 2, `${usage.length} of them`);
  assert.ok("peak_bytes" in usage[0].memory);
});
