// Files below a folder that an untrusted command has written to. No link is followed, at no place of a path, also
// while the command runs and swaps folders for links: each step is relative to an open folder, by way of
// /proc/self/fd (proc(5)), as Node has no openat(2).
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";

import { SbxError } from "./errors.js";
import { entriesOf, nameOf, textOf } from "./names.js";

const { O_DIRECTORY, O_EXCL, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** How many bytes of one file are read unless more are asked for. */
export const READ_LIMIT = 64 * 1024 * 1024;
const CHUNK = 1024 * 1024;

// How many folders inside each other are listed: each is an open descriptor.
const MAX_DEPTH = 100;

// What was a folder when it was listed is none any more.
const GONE: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

const at = (folder: FileHandle, name: string): Buffer => nameOf(`/proc/self/fd/${folder.fd}/${name}`);

function parts(path: string): [folders: string[], name: string] {
  const all = path.split("/").filter((part) => part !== "" && part !== ".");
  const name = all.pop();
  if (path.startsWith("/") || path.includes("\0") || name === undefined || name === ".." || all.includes(".."))
    throw new SbxError(`${JSON.stringify(path)} is no path below the workspace: relative, without ..`);
  return [all, name];
}

function explained(path: string, error: unknown): SbxError {
  if (error instanceof SbxError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const why: Record<string, string> = {
    ELOOP: "a link is in the way", ENOTDIR: "a link or a file is in the way", ENOENT: "it does not exist",
    EISDIR: "it is a folder", EACCES: "no permission", ENXIO: "it is no regular file",
  };
  return new SbxError(`${path} in the workspace: ${why[code ?? ""] ?? message}`, { cause: error });
}

/** Calls `use` with the folder of `path` open, and its last name. */
async function within<T>(top: string, path: string, make: boolean, use: (folder: FileHandle, name: string) => Promise<T>): Promise<T> {
  let folder: FileHandle | undefined;
  try {
    const [folders, name] = parts(path);
    folder = await open(top, O_RDONLY | O_DIRECTORY);
    for (const part of folders) {
      const here: FileHandle = folder;
      if (make) await mkdir(at(here, part)).catch((error: NodeJS.ErrnoException) => { if (error.code !== "EEXIST") throw error; });
      folder = await open(at(here, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW).finally(() => here.close());
    }
    return await use(folder, name);
  } catch (error) {
    throw explained(path, error);
  } finally {
    // One that is closed already, because the next could not be opened, has no descriptor.
    if (folder !== undefined && folder.fd !== -1) await folder.close();
  }
}

async function openFile(folder: FileHandle, name: string): Promise<FileHandle> {
  // O_NONBLOCK: a FIFO that the command has left must not make us wait.
  const file = await open(at(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw Object.assign(new Error("not a regular file"), { code: stat.isDirectory() ? "EISDIR" : "ENXIO" });
}

/** All of a file, which may grow meanwhile. Throws SbxError when there is more than `limit`. */
async function contentOf(file: FileHandle, limit: number): Promise<Buffer> {
  const found: Buffer[] = [];
  let left = (await file.stat()).size > limit ? -1 : limit;
  while (left >= 0) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(CHUNK, left + 1)));
    if (bytesRead === 0) return Buffer.concat(found);
    found.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  throw new SbxError(`the file is longer than the limit of ${limit} bytes`);
}

/** The content of a file. Throws SbxError when there is none, it is longer than `limit`, or a link is in the way. */
export function readBelow(top: string, path: string, limit: number): Promise<Buffer> {
  return within(top, path, false, async (folder, name) => {
    const file = await openFile(folder, name);
    try {
      return await contentOf(file, limit);
    } finally {
      await file.close();
    }
  });
}

/** Makes or replaces a file, as a whole or not at all, with the folders above it. Throws SbxError likewise. */
export function writeBelow(top: string, path: string, content: string | Uint8Array): Promise<void> {
  return within(top, path, true, async (folder, name) => {
    const old = await openFile(folder, name).catch((error: NodeJS.ErrnoException) => {
      // A file that we may not read can be replaced all the same.
      if (error.code !== "ENOENT" && error.code !== "EACCES") throw error;
    });
    const mode = old === undefined ? 0o666 : (await old.stat()).mode & 0o777;
    await old?.close();
    const next = `.${randomBytes(8).toString("hex")}.new`;
    const file = await open(at(folder, next), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
    try {
      await (async () => {
        if (old !== undefined) await file.chmod(mode);  // which the umask may have narrowed
        await file.writeFile(content);
      })().finally(() => file.close());
      await rename(at(folder, next), at(folder, name));
    } catch (error) {
      await rm(at(folder, next), { force: true });
      throw error;
    }
  });
}

async function walk(folder: FileHandle, prefix: string, depth: number, found: string[]): Promise<void> {
  if (depth > MAX_DEPTH) throw new SbxError(`the workspace has more than ${MAX_DEPTH} folders inside each other`);
  for (const entry of await entriesOf(at(folder, "."))) {
    const name = textOf(entry.name);
    const path = prefix + name;
    if (!entry.isDirectory()) {
      found.push(path);
      continue;
    }
    try {
      const below = await open(at(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      await walk(below, `${path}/`, depth + 1, found).finally(() => below.close());
    } catch (error) {
      if (!GONE.has((error as NodeJS.ErrnoException).code)) throw error;
    }
  }
}

/** The sorted relative paths of all that is no folder; a link is listed and not followed, and what goes meanwhile is left
 *  out. Throws SbxError. */
export async function listBelow(top: string): Promise<string[]> {
  const found: string[] = [];
  try {
    const folder = await open(top, O_RDONLY | O_DIRECTORY);
    await walk(folder, "", 0, found).finally(() => folder.close());
  } catch (error) {
    throw explained(".", error);
  }
  return found.sort();
}
