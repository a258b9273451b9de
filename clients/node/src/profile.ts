// A profile that is an object reaches sbx as JSON, which is YAML, in a file that has no name any more: nothing of
// it is left, however this process ends. sbx opens it again by its descriptor.
import { randomBytes } from "node:crypto";
import { closeSync, openSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

import { SbxError } from "./errors.js";

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A path of the host, absolute; one that starts with a variable is for sbx to read. */
function placed(path: unknown, cwd: string): unknown {
  return typeof path !== "string" || path === "" || isAbsolute(path) || path.startsWith("${") ? path : resolve(cwd, path);
}

/** A value of a profile, with the relative paths in it made absolute. */
type Place = (value: unknown, cwd: string) => unknown;

const inItems = (place: Place): Place => (value, cwd) =>
  Array.isArray(value) ? value.map((item) => place(item, cwd)) : value;

const inValues = (place: Place): Place => (value, cwd) =>
  isFields(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, place(one, cwd)])) : value;

const inKeys = (places: Readonly<Record<string, Place>>): Place => (value, cwd) => {
  if (!isFields(value)) return value;
  const made = Object.entries(places).filter(([key]) => key in value).map(([key, place]) => [key, place(value[key], cwd)]);
  return { ...value, ...Object.fromEntries(made) };
};

const base: Place = (name, cwd) =>
  typeof name === "string" && (name.includes("/") || /\.ya?ml$/.test(name)) ? placed(name, cwd) : name;

const mount: Place = (entry, cwd) =>
  typeof entry === "string"
    ? entry.replace(/^[^:]+/, (source) => placed(source, cwd) as string)
    : inKeys({ bind: placed, copy: placed })(entry, cwd);

const secret: Place = (from, cwd) =>
  typeof from === "string" && from.startsWith("file:") ? `file:${placed(from.slice("file:".length), cwd)}` : from;

const input: Place = (from, cwd) => (from === "inherit" || from === "null" ? from : placed(from, cwd));

// Where sbx-profile(5) has paths that are relative to the profile. What is relative to the caller, `workspace.source`,
// is so without us.
const everywhere = inKeys({
  extends: inItems(base),
  mounts: inItems(mount),
  root: inKeys({ dir: placed, oci: placed }),
  secrets: inValues(inKeys({ from: secret })),
  stdio: inKeys({ stdin: input }),
});

/** The profile with what a file's folder would decide spelled out: its name, and its relative paths. */
function grounded(profile: object, cwd: string): unknown {
  const there = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
  return everywhere({ version: 1, name: "inline", ...there }, cwd);
}

/** A text that sbx reads as this value. U+007F is a control character, which YAML has escaped and JSON need not have. */
function yaml(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll("\x7f", "\\u007f");
}

/**
 * A descriptor of a file that holds the profile; close it when sbx has been started.
 * @param profile what a profile file would hold
 * @param cwd what its relative paths are relative to
 * @throws SbxError when it cannot be written below the folder for temporary files
 */
export function openProfile(profile: object, cwd: string): number {
  const path = join(tmpdir(), `sbx-node-profile-${randomBytes(8).toString("hex")}`);
  try {
    const text = Buffer.from(yaml(grounded(profile, cwd)));
    const fd = openSync(path, "wx+", 0o600);
    try {
      unlinkSync(path);
      for (let at = 0; at < text.length; ) at += writeSync(fd, text, at, text.length - at, at);
      return fd;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  } catch (cause) {
    throw new SbxError(`cannot hand the profile over: ${(cause as Error).message}`, { cause });
  }
}
