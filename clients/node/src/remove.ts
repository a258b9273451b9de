// Removes what an untrusted command has left, which has ended: folders that are closed against their owner, names that
// are no UTF-8, and folders inside each other to any depth. No link is followed.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, rename, rmdir, unlink } from "node:fs/promises";

import { entriesOf } from "./names.js";

// So deep a path is below PATH_MAX, whatever the names. What is deeper is moved to the top, and its turn comes there.
const DEEPEST = 8;

const below = (folder: Buffer, name: Buffer | string): Buffer => Buffer.concat([folder, Buffer.from("/"), Buffer.from(name)]);

class Removal {
  private readonly prefix = randomBytes(8).toString("hex");
  private moved = 0;

  constructor(private readonly top: Buffer) {}

  /** Removes all. */
  async run(): Promise<void> {
    let before: number;
    do {
      before = this.moved;
      await this.empty(this.top, 0);
    } while (this.moved > before);
    await rmdir(this.top);
  }

  private async empty(folder: Buffer, depth: number): Promise<void> {
    await chmod(folder, 0o700);
    const entries = await entriesOf(folder);
    await Promise.all(entries.filter((entry) => !entry.isDirectory()).map((entry) => unlink(below(folder, entry.name))));
    for (const entry of entries) if (entry.isDirectory()) await this.removeFolder(below(folder, entry.name), depth + 1);
  }

  private async removeFolder(folder: Buffer, depth: number): Promise<void> {
    if (depth < DEEPEST) {
      await this.empty(folder, depth);
      return rmdir(folder);
    }
    await chmod(folder, 0o700);  // to move a folder changes its `..`
    await rename(folder, below(this.top, `${this.prefix}-${(this.moved += 1)}`));
  }
}

/** Removes a folder with all that is in it; one that is not there is none to remove. Throws what the system says. */
export async function removeTree(path: string): Promise<void> {
  await new Removal(Buffer.from(path)).run().catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" || existsSync(path)) throw error;
  });
}
