// What a call can fail with. The end of a command, however bad, is a Result and no error, unless `check` asks.
import type { Result } from "./result.js";

/** Any failing of sbx or of how it was called: a bad option, a bad profile, a host that lacks something. */
export class SbxError extends Error {
  override name = "SbxError";
  /** What `sbx` exited with; 125 when the command never ran, null when there was no exit code. */
  readonly code: number | null;
  /** How the run ended, as far as it came; null when sbx told nothing. */
  readonly result: Result | null;

  /**
   * @param message what went wrong, in sbx's own words where they are its own
   * @param details the exit code, the result, and what caused it
   */
  constructor(message: string, details: { code?: number | null; result?: Result | null; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code ?? null;
    this.result = details.result ?? null;
  }
}

/** There is no `sbx` to call. */
export class SbxNotFoundError extends SbxError {
  override name = "SbxNotFoundError";
}

/** With `check`: the command did not end with exit code 0. `result` is never null. */
export class CommandError extends SbxError {
  override name = "CommandError";
  override readonly result: Result;

  /** @param result how the command ended */
  constructor(result: Result) {
    const said = result.stderr.trimEnd().slice(-2000);
    super(`${result.argv[0] ?? "the command"}: ${result.reason.text}${said ? `\n${said}` : ""}`, {
      code: result.code,
      result,
    });
    this.result = result;
  }
}

/**
 * What sbx wrote to standard error, without its prefix.
 * @param text lines such as `sbx: no profile is named x`
 */
export function ownWords(text: string): string {
  return text.replace(/^sbx: ?/gm, "").trim();
}
