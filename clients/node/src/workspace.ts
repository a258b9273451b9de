// The working folder of a sandbox: whose it is, how the command sees it, and the removal of one of our own.
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { SbxError } from "./errors.js";
import { guardFolder } from "./guard.js";
import type { Workspace } from "./options.js";
import { removeTree } from "./remove.js";

// What `--workspace DIR[:MODE]` takes for a mode.
const WITH_MODE = /^(.*):(none|ro|rw|overlay)$/s;

// Modes in which there can be a folder of our own.
const OWN = new Set(["ro", "rw", "overlay"]);

/** A folder that is made when it is first needed, at most once, and removed at the end. */
class Temporary {
  private made: Promise<string> | undefined;
  private release: (() => void) | undefined;

  folder(): Promise<string> {
    this.made ??= this.make().catch((error: unknown) => {
      this.made = undefined;  // the next who asks may be luckier
      throw error;
    });
    return this.made;
  }

  private async make(): Promise<string> {
    const base = resolve(tmpdir()); // TMPDIR may be relative, and the working directory another one later
    if (/[\n:]/.test(base)) throw new SbxError(`no temporary folder below ${JSON.stringify(base)}: TMPDIR has a colon or a line end`);
    const path = await mkdtemp(join(base, "sbx-node-")).catch((cause: Error) => {
      throw new SbxError(`no temporary folder: ${cause.message}`, { cause });
    });
    try {
      this.release = guardFolder(path);
    } catch (error) {
      await rmdir(path);
      throw error;
    }
    return path;
  }

  async remove(): Promise<void> {
    const path = await this.made?.catch(() => undefined);
    if (path === undefined) return;
    await removeTree(path).catch((cause: Error) => {
      throw new SbxError(`the workspace ${path} could not be removed: ${cause.message}`, { cause });
    });
    this.made = undefined;
    this.release?.();
  }
}

/** The workspace of one sandbox. */
export class WorkspaceFolder {
  private readonly temporary: Temporary | undefined;

  /**
   * @param wanted the option
   * @param cwd what a relative folder is relative to
   */
  constructor(private readonly wanted: Workspace, private readonly cwd: string) {
    if (typeof wanted === "string" && OWN.has(wanted)) this.temporary = new Temporary();
  }

  /** What follows `--workspace`; undefined: nothing. */
  async flag(): Promise<string | undefined> {
    const { wanted, temporary } = this;
    if (wanted === false) return undefined;
    if (temporary) return `${await temporary.folder()}:${wanted as string}`;
    if (typeof wanted === "string") return wanted;
    return wanted.mode === undefined ? wanted.dir : `${wanted.dir}:${wanted.mode}`;
  }

  /**
   * Where it is on the host.
   * @throws SbxError when there is none, or only the profile knows
   */
  async folder(): Promise<string> {
    const { wanted, temporary } = this;
    if (temporary) return temporary.folder();
    if (typeof wanted === "object") return resolve(this.cwd, wanted.dir);
    if (wanted === false || wanted === "none")
      throw new SbxError(`this sandbox has no workspace that the client knows: its option workspace is ${wanted}`);
    return resolve(this.cwd, WITH_MODE.exec(wanted)?.[1] ?? wanted);
  }

  /** Removes a folder of our own. */
  async remove(): Promise<void> {
    await this.temporary?.remove();
  }
}
