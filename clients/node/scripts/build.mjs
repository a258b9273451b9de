#!/usr/bin/env node
// Makes dist/: the same sources compiled to ECMAScript modules and to CommonJS, each with its types.
// Needs the devDependencies (npm ci). What was there before is replaced.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const top = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = createRequire(join(top, "package.json")).resolve("typescript/bin/tsc");

rmSync(join(top, "dist"), { recursive: true, force: true });
for (const [config, type] of [["tsconfig.json", "module"], ["tsconfig.cjs.json", "commonjs"]]) {
  execFileSync(process.execPath, [tsc, "-p", join(top, config)], { stdio: "inherit" });
  // Node takes each folder's files for what the nearest package.json says.
  const folder = join(top, "dist", type === "module" ? "esm" : "cjs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ type })}\n`);
}
