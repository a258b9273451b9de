// The runs of one sandbox that are under way, so that close() can end them all, and none starts after it.
import { SbxError } from "./errors.js";

/** What can be ended. */
export interface Endable {
  readonly result: Promise<unknown>;
  fail(error: unknown): void;
}

export class Runs {
  private readonly active = new Set<Endable>();
  private closed = false;

  /** Throws SbxError when the sandbox is closed. */
  check(): void {
    if (this.closed) throw new SbxError("this sandbox is closed");
  }

  add(run: Endable): void {
    this.active.add(run);
  }

  remove(run: Endable): void {
    this.active.delete(run);
  }

  /** Ends them, and returns when nothing of them is left. */
  async close(): Promise<void> {
    this.closed = true;
    const all = [...this.active];
    for (const run of all) run.fail(new SbxError("this sandbox was closed"));
    await Promise.allSettled(all.map((run) => run.result));
  }
}
