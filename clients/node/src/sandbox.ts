// The front door: a Sandbox runs commands with one set of options, and looks after their workspace.
import { resolve } from "node:path";

import { Artifacts } from "./artifacts.js";
import { findBinary } from "./binary.js";
import { called, streamed } from "./events.js";
import { listBelow, READ_LIMIT, readBelow, writeBelow } from "./folder.js";
import { checkRun, type RunOptions, type SandboxOptions, type StreamOptions } from "./options.js";
import type { Result } from "./result.js";
import type { EventData } from "./schema.js";
import { Runs } from "./runs.js";
import type { Call } from "./start.js";
import { WorkspaceFolder } from "./workspace.js";

// Node before 18.18 lacks the symbol; nobody can say `await using` there.
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("nodejs.asyncDispose");

/**
 * Runs commands, each in a fresh sandbox. Any number of runs may be under way at once; they share the workspace.
 *
 * @example
 * ```ts
 * await using sandbox = new Sandbox({ profile: "python", memory: "256M" });
 * await sandbox.writeFile("code.py", "print(6 * 7)");
 * const result = await sandbox.run(["python3", "code.py"], { timeout: 10_000 });
 * ```
 */
export class Sandbox {
  /** The files that runs have left because of `collect`. */
  readonly artifacts: Artifacts;
  private readonly options: SandboxOptions;
  private readonly cwd: string;
  private readonly here = processFolder();
  private readonly workspace: WorkspaceFolder;
  private readonly runs = new Runs();
  private binary: string | undefined;
  private closing: Promise<void> | undefined;

  /** @param options profile, workspace, and any flag of `sbx run`. Nothing is started or made yet */
  constructor(options: SandboxOptions = {}) {
    this.options = { ...options };
    this.cwd = resolve(this.here, options.cwd ?? "");
    this.workspace = new WorkspaceFolder(options.workspace ?? "rw", this.cwd);
    this.artifacts = new Artifacts(() => this.where());
  }

  /**
   * Runs a command and waits for its end.
   * @param argv the program and its arguments; no shell is between. Empty: the profile's `command`
   * @param options input, callbacks, a signal to end it
   * @returns how it ended, whatever that was: an exit code, a time limit, no memory left
   * @throws SbxError when sbx failed: options, profile, host; or what was to be kept or applied of a command that ended
   *   well was not, which its `result` tells
   * @throws SbxNotFoundError when there is no sbx
   * @throws CommandError with `check`, unless the exit code is 0
   * @throws the reason of `signal` when that was aborted; all that the command started has ended then
   */
  async run(argv: readonly string[], options: RunOptions = {}): Promise<Result> {
    checkRun(options, "run");
    return called(await this.call(argv), options).result;
  }

  /**
   * Runs a command and yields its events in order: outputs, denials, at last `result`. While the consumer is busy the
   * command waits for it, and its time limit goes on. To leave the loop ends the run. Outputs come as a whole, unless
   * the profile bounds them; the last event's result has them not.
   * @param argv as for run()
   * @param options as for run(), without callbacks
   * @throws as run(), after the last event
   */
  async *stream(argv: readonly string[], options: StreamOptions = {}): AsyncGenerator<EventData, void, undefined> {
    checkRun(options, "stream");
    yield* streamed(await this.call(argv), options);
  }

  /**
   * Makes or replaces a file of the workspace, with the folders above it.
   * @param path relative to the workspace
   * @param content text, written as UTF-8, or bytes
   * @throws SbxError when the path leads out, a link is in the way, or there is no workspace
   */
  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    await writeBelow(await this.folder(), path, content);
  }

  /**
   * The content of a file of the workspace. An overlay's is what it was before the run, until it is applied.
   * @param path relative to the workspace
   * @param options `limit`: the most bytes to read; default: 64 MiB
   * @throws SbxError when it is not there, has more than `limit`, or a link is in the way, which might lead anywhere
   */
  async readFile(path: string, options: { limit?: number | undefined } = {}): Promise<Buffer> {
    return readBelow(await this.folder(), path, options.limit ?? READ_LIMIT);
  }

  /**
   * The sorted relative paths of all files of the workspace; links are listed and not followed. A byte of a name that
   * is no UTF-8 is a lone surrogate, U+DC80 to U+DCFF, which readFile() and writeFile() take back (as Python does).
   * @throws SbxError when a folder is closed to us, or more than 100 are inside each other
   */
  async listFiles(): Promise<string[]> {
    return listBelow(await this.folder());
  }

  /**
   * Where the workspace is on the host; made now if it is temporary and was not needed yet.
   * @throws SbxError when only the profile knows
   */
  async folder(): Promise<string> {
    this.runs.check();
    return this.workspace.folder();
  }

  /**
   * Ends what still runs, and removes a workspace of the sandbox's own. Can be called more than once.
   * @throws SbxError when that could not be removed; the next call tries again
   */
  close(): Promise<void> {
    this.closing ??= (async () => {
      await this.runs.close();
      await this.workspace.remove();
    })().catch((error: unknown) => {
      this.closing = undefined;
      throw error;
    });
    return this.closing;
  }

  /** close(), for `await using`. */
  [asyncDispose](): Promise<void> {
    return this.close();
  }

  private where(): { binary: string; cwd: string } {
    this.binary ??= findBinary(this.options.binary, this.here);
    return { binary: this.binary, cwd: this.cwd };
  }

  private async call(argv: readonly string[]): Promise<Call> {
    this.runs.check();
    const workspace = await this.workspace.flag();
    return { ...this.where(), options: this.options, workspace, argv, runs: this.runs };
  }
}

/** Where the process is: it may be elsewhere when the binary is first needed. "": that is there no more. */
function processFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "";
  }
}
