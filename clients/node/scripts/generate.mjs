#!/usr/bin/env node
// Writes src/schema.ts and src/flags.ts anew from the binary: the types of `sbx schema` and the flags of
// `sbx run --help`. With --check, writes nothing and fails when a file is not current.
//
//   SBX_BIN=build/src/sbx node scripts/generate.mjs [--check]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { flagsModule } from "./flags.mjs";
import { schemaModule } from "./types.mjs";

const source = join(dirname(fileURLToPath(import.meta.url)), "..", "src");
const binary = process.env.SBX_BIN ?? "sbx";
const ask = (...words) => execFileSync(binary, words, { encoding: "utf8" });
const schema = (name) => JSON.parse(ask("schema", name));

/** The events, `usage` with its figures in full: `sbx schema event` refers to those of `sbx schema live`. */
function eventSchema() {
  const event = schema("event");
  const live = schema("live");
  const usage = event.oneOf.find((one) => one.properties.type.const === "usage");
  for (const name of usage.required) usage.properties[name] = live.properties[name];
  return { ...event, $defs: live.$defs };
}

const files = {
  "schema.ts": schemaModule({
    ResultData: schema("result"),
    EventData: eventSchema(),
    ProfileData: schema("profile"),
    KeptArtifacts: schema("artifacts"),
  }, ["ProfileData"]),
  "flags.ts": flagsModule(ask("run", "--help")),
};

let stale = 0;
for (const [name, text] of Object.entries(files)) {
  const path = join(source, name);
  if (process.argv.includes("--check")) {
    if (readFileSync(path, "utf8") === text) continue;
    console.error(`${path} is not what ${binary} says: run scripts/generate.mjs`);
    stale = 1;
  } else {
    writeFileSync(path, text);
  }
}
process.exit(stale);
