// The options of a sandbox and of a run, and how they become flags of `sbx run`. What a value may be is for sbx
// to say: a name that it does not know is handed on, so that its message, with its suggestion, comes back.
import { SbxError } from "./errors.js";
import { type Overrides, RESERVED, UNITS } from "./flags.js";
import type { EventData, ProfileData } from "./schema.js";

/** How the command sees its working folder. */
export type WorkspaceMode = "none" | "ro" | "rw" | "overlay";

/**
 * Which folder the command works in.
 *
 * - `"rw"`, `"ro"`, `"overlay"`: an empty one of the sandbox's own, seen this way, which `close()` removes
 * - `"DIR[:MODE]"` or `{dir, mode}`: one of yours, as for `--workspace`
 * - `"none"`: none; `false`: as the profile says, which is `cwd`, read-only, if it says nothing
 */
export type Workspace = string | false | { dir: string; mode?: WorkspaceMode | undefined };

/** What a sandbox is made of. Every flag of `sbx run` is an option, in camel case: `cpuTime`, `copyIn`. */
export interface SandboxOptions extends Overrides {
  /** A name of `sbx profiles ls`, a path (with a `/`, or ending in .yaml or .yml), or the profile itself. In the
   *  last, relative paths are relative to `cwd`, and links in them are followed. Default: the profile `default`. */
  profile?: string | (Omit<ProfileData, "version"> & { version?: 1 | undefined }) | undefined;
  /** Default: "rw", a folder of the sandbox's own. */
  workspace?: Workspace | undefined;
  /** The program to call: a path, or a name without a slash, looked up on PATH. Default: the environment's SBX_BIN, else `sbx`. */
  binary?: string | undefined;
  /** The caller's directory, to which relative paths are relative. Default: the process's own, as it is when the
   *  sandbox is made. */
  cwd?: string | undefined;
}

/** What the standard input of a command is made of. */
export type Input = string | Uint8Array | AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** An AbortSignal, or what does as one: of a polyfill, or of another realm. */
export interface Abortable {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener?(type: "abort", listener: () => void): void;
}

/** One run. */
export interface StreamOptions {
  /** Standard input; default, and for null: empty, or the file that the profile names. An iterable, such as a Readable,
   *  is read as fast as the command reads. A stream is destroyed when that reads no more. */
  input?: Input | null | undefined;
  /** Ends the command and everything that it has started, at once. */
  signal?: Abortable | undefined;
  /** The wall-clock limit of this run: a number of milliseconds, or a duration such as "1.5s". Reaching it is no
   *  error: the status is `timeout`. */
  timeout?: number | string | undefined;
  /** Flags for this run alone; where one cannot be repeated, it wins over the sandbox's. */
  overrides?: Overrides | undefined;
}

/** One run that is waited for. */
export interface RunOptions extends StreamOptions {
  /** Called with each piece of standard output as it comes, up to the bound that the result has too: 10 MiB, or
   *  `stdoutLimit`. What it throws ends the run, and is thrown by run(). A promise of it is waited for before the next
   *  call, and before run() returns; one that is rejected is as what is thrown. */
  onStdout?: ((chunk: Buffer) => unknown) | undefined;
  /** The same for standard error. */
  onStderr?: ((chunk: Buffer) => unknown) | undefined;
  /** The same for every event (`sbx schema event`), outputs included. */
  onEvent?: ((event: EventData) => unknown) | undefined;
  /** true: throw a CommandError unless the command ends with exit code 0. */
  check?: boolean | undefined;
}

const OURS = new Set(["profile", "workspace", "binary", "cwd"]);
const OF_STREAM = ["input", "signal", "timeout", "overrides"];
const OF_RUN = [...OF_STREAM, "onStdout", "onStderr", "onEvent", "check"];

/**
 * What nobody obeys may have been meant as a limit. undefined and null stand for an option that is not there.
 * @param options of one run
 * @param method whose they are
 * @throws SbxError for a name that is none of its options
 */
export function checkRun(options: object, method: "run" | "stream"): void {
  const known = method === "run" ? OF_RUN : OF_STREAM;
  for (const [name, value] of Object.entries(options) as Array<[string, unknown]>) {
    if (known.includes(name) || value === undefined || value === null) continue;
    throw new SbxError(`${method}() has no option ${name}: it has ${known.join(", ")}\n  ` +
      (name === "stdin" ? "standard input is `input`" : OURS.has(name) ? `${name} is for new Sandbox(), and all its runs`
        : OF_RUN.includes(name) ? "callbacks and check are for run()"
          : `a flag of sbx for this run alone: { overrides: { ${name}: ... } }`));
  }
}

/** A number of milliseconds, rounded up to whole ones, or of bytes. Throws SbxError for what is none. */
function quantityOf(name: string, unit: "size" | "duration", value: number | boolean): string {
  const time = unit === "duration";
  if (typeof value === "boolean" || !Number.isFinite(value) || value < 0 || !(time || Number.isInteger(value)))
    throw new SbxError(time ? `${name}: ${value} is no time: give milliseconds from 0 on, or a text such as "1.5s"`
      : `${name}: ${value} is no size: give whole bytes from 0 on, or a text such as "64M"`);
  return `${BigInt(Math.ceil(value))}${time ? "ms" : "B"}`;
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new SbxError(`the option ${name}: ${JSON.stringify(value) ?? String(value)} is no text and no number`);
}

function flagsOf(name: string, value: unknown): string[] {
  const flag = `--${name.replace(/_/g, "-").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === undefined || value === null) return [];
  const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  if (unit !== undefined && (typeof value === "number" || typeof value === "boolean"))
    return [`${flag}=${quantityOf(name, unit, value)}`];
  if (value === false) return [];
  if (value === true) return [flag];
  if (Array.isArray(value)) return value.map((one: unknown) => `${flag}=${textOf(name, one)}`);
  if (typeof value === "object")
    return Object.entries(value).map(([key, one]) => `${flag}=${key}=${textOf(name, one)}`);
  return [`${flag}=${textOf(name, value)}`];
}

/**
 * The words of a command line for these options, in their order. Of a flag that is there twice sbx takes the last.
 * @param options of a sandbox or a run; those that are no flags are left out
 * @throws SbxError for an option that the client decides itself, and for a value that is no text
 */
export function commandLine(options: SandboxOptions): string[] {
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (RESERVED.has(name)) throw new SbxError(`the option ${name} is no option of a client: it decides that itself`);
    return OURS.has(name) ? [] : flagsOf(name, value);
  });
}
