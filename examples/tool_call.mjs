// Runs a shell command for a program that must not trust it, and reads the result.
//   node examples/tool_call.mjs 'ls -l; echo done'
import { spawnSync } from "node:child_process";

const run = spawnSync(
  process.env.SBX ?? "sbx",
  ["run", "shell", "--timeout", "10s", "--json", "--", "sh", "-c", process.argv[2] ?? "id"],
  // Of each stream 10 MiB, and in JSON six times that where all of it is escaped.
  { encoding: "utf8", maxBuffer: 2 ** 27, stdio: ["ignore", "pipe", "inherit"] },
);
const result = JSON.parse(run.stdout);
console.log(`status: ${result.status} (${result.reason.text})`);
console.log(result.output.stdout.text ?? "");
process.exitCode = result.status === "ok" ? 0 : 1;
