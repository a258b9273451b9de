#!/usr/bin/env node
// What run(["true"]) costs beside a bare child_process.spawn of the same binary for the same sandbox. Both take turns
// in one process; the ratio of their medians, and of their sums, is what counts. Prints one JSON object.
//
//   SBX_BIN=build/src/sbx node scripts/cost.mjs [ROUNDS, default 1000] [FLAG=VALUE of both, such as degrade=cgroup]
import { spawn } from "node:child_process";

const [rounds = "1000", ...flags] = process.argv.slice(2);
const { Sandbox } = await import(new URL("../dist/esm/index.js", import.meta.url).href);
const binary = process.env.SBX_BIN ?? "sbx";
const options = Object.fromEntries(flags.map((flag) => flag.split("=")));
const words = ["run", ...flags.map((flag) => `--${flag}`), "--", "true"];
const sandbox = new Sandbox({ binary, workspace: false, ...options });

/** The call without the client: the process, its outputs collected, its end. */
function bare() {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, words, { stdio: ["ignore", "pipe", "pipe"] });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${code}: ${Buffer.concat(chunks)}`))));
  });
}

async function client() {
  const result = await sandbox.run(["true"]);
  if (!result.ok) throw new Error(result.reason.text);
}

async function timed(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e6;
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

await client();  // the first one starts the guard
await bare();
const times = { bare: [], client: [] };
for (let round = 0; round < Number(rounds); round += 1) {
  const order = round % 2 === 0 ? ["bare", "client"] : ["client", "bare"];
  for (const which of order) times[which].push(await timed(which === "bare" ? bare : client));
}
await sandbox.close();
const round3 = (number) => Math.round(number * 1000) / 1000;
console.log(JSON.stringify({
  rounds: times.bare.length,
  bare_ms: round3(median(times.bare)), client_ms: round3(median(times.client)),
  ratio_of_medians: round3(median(times.client) / median(times.bare)),
  ratio_of_sums: round3(sum(times.client) / sum(times.bare)),
}));
