// The process of one run: its command line and descriptors, its end, and what its end means.
import { type ChildProcess, spawn, type SpawnOptions, type StdioOptions } from "node:child_process";
import { closeSync, statSync } from "node:fs";

import { needDescriptors } from "./descriptors.js";
import { CommandError, ownWords, SbxError } from "./errors.js";
import { commandLine, type RunOptions, type SandboxOptions } from "./options.js";
import { openProfile } from "./profile.js";
import { Result } from "./result.js";
import type { Runs } from "./runs.js";
import type { ResultData } from "./schema.js";

/** What comes back of a run: its result with the outputs in it, events as well, or events alone. The outputs of the
 *  first two are bounded (`stdoutLimit`, 10 MiB unless it says otherwise). */
export type Telling = "result" | "both" | "events";

/** What sbx exits with when it is not the command that has failed. */
const FAILED = 125;

/** The descriptor of the events, in sbx. */
export const EVENTS_FD = 3;
const PROFILE_FD = 4;
const PROFILE_PATH = `/dev/fd/${PROFILE_FD}`;

/** What a run is made of beside its options. */
export interface Call {
  binary: string;
  cwd: string;
  options: SandboxOptions;
  /** The flag for the workspace, if any. */
  workspace: string | undefined;
  argv: readonly string[];
  /** Of the sandbox. */
  runs: Runs;
}

// Of standard error, which is the command's as well when events alone are told, this much is kept: its end.
const KEPT_CHARACTERS = 64 * 1024;

/** How sbx itself ended, and what it said. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

/** A process of sbx. */
export interface Started {
  child: ChildProcess;
  /** Settles when it has ended and all its pipes are closed. Rejects with SbxError when it could not be started. */
  end: Promise<Ended>;
}

function words(call: Call, run: RunOptions, telling: Telling): string[] {
  const { profile } = call.options;
  if (!Array.isArray(call.argv))
    throw new SbxError('a command is an array of words and not one text; for a shell: ["sh", "-c", TEXT]');
  if (typeof profile === "string" && profile.startsWith("-"))
    throw new SbxError(`the profile ${profile} starts with a dash; a file of this name needs its path: ./${profile}`);
  return [
    "run",
    ...(profile == null ? [] : [typeof profile === "string" ? profile : PROFILE_PATH]),
    ...commandLine(call.options),
    ...commandLine(run.overrides ?? {}),
    ...(run.timeout === undefined ? [] : commandLine({ timeout: run.timeout })),
    ...(run.input == null ? [] : ["--stdin=inherit"]),  // last: it wins over a file that the profile or an option names
    ...(call.workspace === undefined ? [] : [`--workspace=${call.workspace}`]),
    ...(telling === "events" ? [] : ["--json"]),
    ...(telling === "result" ? [] : [`--events=fd:${EVENTS_FD}`]),
    ...(call.argv.length === 0 ? [] : ["--", ...call.argv]),
  ];
}

/**
 * Starts sbx.
 * @param telling what it is to tell
 * @throws SbxError when the options do not make a command line, or the profile cannot be handed over
 */
export function start(call: Call, run: RunOptions, telling: Telling): Started {
  const line = words(call, run, telling);
  const { profile } = call.options;
  const stdin = run.overrides?.stdin ?? call.options.stdin;
  const input = run.input != null ? "pipe" : stdin === "inherit" ? "inherit" : "ignore";
  const stdio: Exclude<StdioOptions, string> = [input, telling === "events" ? "ignore" : "pipe", "pipe", telling === "result" ? "ignore" : "pipe"];
  const fd = typeof profile === "object" && profile !== null ? openProfile(profile, call.cwd) : undefined;
  if (fd !== undefined) stdio.push(fd);
  try {
    return launch(call.binary, line, { stdio, cwd: call.cwd });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Starts a process of sbx, and listens to its end before anything else can happen.
 * @throws SbxError when there are no descriptors for it, or Node itself refuses; else what fails comes with `end`
 */
export function launch(binary: string, line: readonly string[], options: SpawnOptions & { stdio: unknown[] }): Started {
  const failed = (cause: unknown): SbxError =>
    new SbxError(isFolder(options.cwd) ? `cannot start ${binary}: ${(cause as Error).message}` :
      `cannot start ${binary} in ${options.cwd}: cwd has to be a folder that can be entered`, { cause });
  try {
    needDescriptors(options.stdio.length);
    const child = spawn(binary, line, options);
    return { child, end: ended(child, failed) };
  } catch (cause) {
    throw failed(cause);
  }
}

// Node tells ENOENT of the program for either.
function isFolder(cwd: SpawnOptions["cwd"]): boolean {
  try {
    return cwd === undefined || statSync(cwd).isDirectory();
  } catch {
    return false;
  }
}

// Where another thread takes the last descriptor, the child has no `stdio` at all: nothing but `error` comes of it.
function ended(child: ChildProcess, failed: (cause: unknown) => SbxError): Promise<Ended> {
  const out: Buffer[] = [];
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr = (stderr + text).slice(-KEPT_CHARACTERS)));
  return new Promise((resolve, reject) => {
    child.on("error", (cause) => {
      // Also a signal that could not be sent comes this way; only without a process is there no end.
      if (child.pid === undefined) reject(failed(cause));
    });
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out), stderr }));
  });
}

function decode(stdout: Buffer): ResultData | undefined {
  try {
    return JSON.parse(stdout.toString("utf8")) as ResultData;
  } catch {
    return undefined;
  }
}

/**
 * What the end of sbx means.
 * @param told the result that the events told, if they did; else it is on standard output
 * @param check whether a command that fails is an error
 * @throws SbxError when sbx failed; CommandError with `check`
 */
export function conclude(end: Ended, told: ResultData | undefined, eventsComplete: boolean, check: boolean): Result {
  const data = told ?? decode(end.stdout);
  const said = ownWords(end.stderr).replaceAll(`${PROFILE_PATH}:`, "profile:").replaceAll(PROFILE_PATH, "the profile");
  if (data?.schema !== "sbx.result/1" || end.code === null) {
    const how = end.signal === null ? `exited with ${end.code}` : `was ended by ${end.signal}`;
    throw new SbxError(`sbx ${how} and gave no result${said && `: ${said}`}`, { code: end.code });
  }
  const result = new Result(data, end.code, eventsComplete);
  if (data.status === "setup_error" || data.status === "internal_error")
    throw new SbxError(said || data.reason.text, { code: end.code, result });
  // The command ended well, and what was to be kept or applied of it was not. Not `said`: of a stream, that is its own.
  if (end.code === FAILED && data.exit_code !== FAILED)
    throw new SbxError(data.undelivered.join("\n") || said, { code: end.code, result });
  if (check && !result.ok) throw new CommandError(result);
  return result;
}
