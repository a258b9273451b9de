// What ends a run by the option `signal`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { client, runningWith, sandbox, STUBBORN, tree } from "./support.mjs";

test("a signal that is aborted already starts nothing", async (t) => {
  const word = tree();
  const run = sandbox(t).run(STUBBORN(word), { signal: AbortSignal.abort(new Error("no")) });
  await assert.rejects(run, { message: "no" });
  assert.deepEqual(runningWith(word), []);
});

// What polyfills and other realms give: no AbortSignal, no `throwIfAborted`, and perhaps no `reason`.
class Signal {
  aborted = false;
  listeners = [];
  addEventListener(type, listener) { if (type === "abort") this.listeners.push(listener); }
  abort(reason) {
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.listeners) listener({ type: "abort" });
  }
}

for (const [what, reason, expected] of [
  ["a reason", new RangeError("enough"), { name: "RangeError", message: "enough" }], ["none", undefined, { name: "AbortError" }],
]) {
  test(`a signal that is no AbortSignal ends the run, with ${what}`, async (t) => {
    const word = tree();
    const signal = new Signal();
    const run = sandbox(t).run(STUBBORN(word), { signal, onStdout: () => signal.abort(reason) });
    await assert.rejects(run, expected);
    assert.deepEqual(runningWith(word), []);
    await assert.rejects(sandbox(t).run(STUBBORN(word), { signal }), expected);
    await assert.rejects(sandbox(t).stream(STUBBORN(word), { signal }).next(), expected);
    assert.deepEqual(runningWith(word), []);
  });
}

test("what is no signal is refused, and what cannot be listened to ends the run", async (t) => {
  const word = tree();
  for (const signal of [{}, "x", 1, true, new AbortController(), { aborted: false }]) {
    await assert.rejects(sandbox(t).run(STUBBORN(word), { signal }), (error) =>
      error instanceof client.SbxError && /the option signal is no AbortSignal/.test(error.message));
  }
  const signal = { aborted: false, addEventListener() { throw new TypeError("not here"); } };
  await assert.rejects(sandbox(t).run(STUBBORN(word), { signal }), { name: "TypeError", message: "not here" });
  assert.deepEqual(runningWith(word), []);
  assert.equal((await sandbox(t).run(["true"], { signal: null })).status, "ok");
});

test("one signal for many runs at once is no leak to Node, and ends them all", async (t) => {
  const warnings = [];
  const warned = (warning) => warnings.push(warning.message);
  process.on("warning", warned);
  t.after(() => process.off("warning", warned));
  const word = tree();
  const stop = new AbortController();
  const box = sandbox(t);
  const runs = Array.from({ length: 12 }, () => box.run(["sleep", word], { signal: stop.signal }));
  assert.equal((await box.run(["true"], { signal: stop.signal })).status, "ok");
  stop.abort(new RangeError("enough"));
  for (const one of await Promise.allSettled(runs)) assert.equal(one.reason, stop.signal.reason);
  assert.deepEqual(runningWith(word), []);
  assert.deepEqual(warnings, []);
});

test("runs one after the other leave no listener with their signal, and none too few", async (t) => {
  const signal = new Signal();
  signal.removeEventListener = (_, listener) => { signal.listeners = signal.listeners.filter((one) => one !== listener); };
  const box = sandbox(t);
  for (let i = 0; i < 3; i += 1) await box.run(["true"], { signal });
  assert.deepEqual(signal.listeners, []);
  const run = box.run(["sleep", tree()], { signal, onEvent: () => signal.abort(new RangeError("enough")) });
  await assert.rejects(run, { name: "RangeError" });
  assert.deepEqual(signal.listeners, []);
});
