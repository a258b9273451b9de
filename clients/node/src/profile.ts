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

function mount(entry: unknown, cwd: string): unknown {
  if (typeof entry === "string") return entry.replace(/^[^:]+/, (source) => placed(source, cwd) as string);
  if (!isFields(entry)) return entry;
  const keys = ["bind", "copy"].filter((key) => key in entry);
  return { ...entry, ...Object.fromEntries(keys.map((key) => [key, placed(entry[key], cwd)])) };
}

function base(entry: unknown, cwd: string): unknown {
  const isPath = typeof entry === "string" && (entry.includes("/") || /\.ya?ml$/.test(entry));
  return isPath ? placed(entry, cwd) : entry;
}

/** The profile with what a file's folder would decide spelled out: its name, and its relative paths. */
function grounded(profile: object, cwd: string): Fields {
  const all: Fields = { version: 1, name: "inline", ...profile };
  if (Array.isArray(all["mounts"])) all["mounts"] = all["mounts"].map((entry) => mount(entry, cwd));
  if (Array.isArray(all["extends"])) all["extends"] = all["extends"].map((entry) => base(entry, cwd));
  const root = all["root"];
  if (isFields(root)) {
    const keys = ["dir", "oci"].filter((key) => key in root);
    all["root"] = { ...root, ...Object.fromEntries(keys.map((key) => [key, placed(root[key], cwd)])) };
  }
  return all;
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
    const text = Buffer.from(JSON.stringify(grounded(profile, cwd), null, 1));
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
