// What the tests share: the package as it was built (SBX_CLIENT names its folder), and looks at this host.
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const folder = process.env.SBX_CLIENT ?? join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..");

/** The package, by its name as a user of it would say. */
export const client = await import(pathToFileURL(createRequire(join(folder, "package.json"))
  .resolve("./dist/esm/index.js")).href);
export const packageFolder = folder;

/** Whether this host gives no cgroup: then runs go on without. */
export const noCgroup = process.env.SBX_TEST_NO_CGROUP === "1";
export const degrade = noCgroup ? { degrade: ["cgroup"] } : {};

/** A sandbox that is closed with the test. */
export function sandbox(t, options = {}) {
  const made = new client.Sandbox({ ...degrade, ...options });
  t.after(() => made.close());
  return made;
}

/** Process ids of those that have `word` among their arguments. */
export function runningWith(word) {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}

/** A number of seconds that nobody else sleeps. */
let trees = 0;
export const tree = () => `${3000 + (trees += 1)}${String(process.pid).padStart(7, "0")}`;

/** Waits until `holds()` is true; fails after `seconds` with the last value of `says()`. */
export async function until(holds, says, seconds = 10) {
  const deadline = Date.now() + seconds * 1000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`still not so after ${seconds} s: ${says()}`);
    await sleep(20);
  }
}

/** A command that ends at no signal but SIGKILL, with a process that it has started. */
export const STUBBORN = (word) => ["sh", "-c", `trap '' TERM INT HUP; sleep ${word} & echo ready; wait; sleep ${word}`];
