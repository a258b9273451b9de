// Which sbx is called: the option, else SBX_BIN, else the first on PATH. Only looked for, never started here.
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";

import { SbxNotFoundError } from "./errors.js";

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Where on PATH `name` is. Never in the current folder: an earlier command may have put one there. */
function onPath(name: string, cwd: string): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = resolve(cwd, folder, name);
    if (folder !== "" && isProgram(path)) return path;
  }
  return undefined;
}

/**
 * The absolute path of the binary.
 * @param option what the caller named: a path, or a name that is looked up on PATH
 * @param cwd what a relative path is relative to; "": the process's own folder
 * @throws SbxNotFoundError when there is none, or when the one that was named is none
 */
export function findBinary(option: string | undefined, cwd: string): string {
  const named: Array<[string, string | undefined]> = [["the option `binary`", option], ["SBX_BIN", process.env["SBX_BIN"]]];
  for (const [origin, value] of named) {
    if (value === undefined || value === "") continue;
    const bare = !value.includes("/");
    const found = bare ? onPath(value, cwd) : resolve(cwd, value);
    if (found !== undefined && isProgram(found)) return found;
    throw new SbxNotFoundError(`${origin} names ${value}, which is no program ${bare ? "on PATH" : "that can be executed"}`);
  }
  const found = onPath("sbx", cwd);
  if (found !== undefined) return found;
  throw new SbxNotFoundError("no sbx on PATH: install it, or name it with SBX_BIN or the option `binary`");
}
