// How a run ended: sbx.result/1, with everything that it tells, and the fields that are needed most by short names.
import type { ResultData, ResultDataStream } from "./schema.js";

/** The word for how a run ended. */
export type Status = ResultData["status"];

function bytesOf(stream: ResultDataStream): Buffer {
  return stream.base64 === undefined ? Buffer.from(stream.text ?? "", "utf8") : Buffer.from(stream.base64, "base64");
}

function textOf(stream: ResultDataStream): string {
  return stream.text ?? bytesOf(stream).toString("utf8");
}

/** How a run ended. A figure that this host cannot measure is null. */
export class Result {
  /** The object as sbx gave it, with all fields (`sbx schema result`). */
  readonly data: ResultData;
  /** What `sbx run` exits with: the command's own code, 124 for a time limit, 126, 127, 128+n for a signal. */
  readonly code: number;
  /** false: this process took no events for five seconds, so that sbx gave up telling them. The result has it all. */
  readonly eventsComplete: boolean;

  /**
   * @param data the object that sbx printed
   * @param code what it exited with
   * @param eventsComplete whether every event has come
   */
  constructor(data: ResultData, code: number, eventsComplete = true) {
    this.data = data;
    this.code = code;
    this.eventsComplete = eventsComplete;
  }

  /** Whether the command ran and ended with exit code 0. */
  get ok(): boolean { return this.data.status === "ok"; }
  /** What happened, decided from evidence. */
  get status(): Status { return this.data.status; }
  /** Why, with the limit that was met and what was observed. */
  get reason(): ResultData["reason"] { return this.data.reason; }
  /** The command's own exit code; null when it has none. */
  get exitCode(): number | null { return this.data.exit_code; }
  /** The number of the signal that ended the command; null: none did. */
  get signal(): number | null { return this.data.signal; }
  /** The run's id. */
  get id(): string { return this.data.id; }
  /** The command. */
  get argv(): readonly string[] { return this.data.argv; }
  /** When sbx was started. */
  get startedAt(): Date { return new Date(this.data.started_at); }
  /** Milliseconds from the command's start to the end of all that it started. */
  get wallMs(): number | null { return this.data.wall_ms; }
  /** Milliseconds from the start of sbx to the command's. */
  get setupMs(): number { return this.data.setup_ms; }
  /** Standard output as text; bytes that are no UTF-8 show as U+FFFD. At most 10 MiB unless `stdoutLimit` says
   *  otherwise; `data.output.stdout` tells how much there was. */
  get stdout(): string { return textOf(this.data.output.stdout); }
  /** Standard error as text, likewise. */
  get stderr(): string { return textOf(this.data.output.stderr); }
  /** Standard output as it was written. */
  get stdoutBytes(): Buffer { return bytesOf(this.data.output.stdout); }
  /** Standard error as it was written. */
  get stderrBytes(): Buffer { return bytesOf(this.data.output.stderr); }
  /** What was refused to the command; null: nobody could listen. */
  get denials(): ResultData["denials"] { return this.data.denials; }
  /** What an overlay workspace has of changes; null: there is none. */
  get changes(): ResultData["changes"] { return this.data.changes; }
  /** The files that are kept of the run. */
  get artifacts(): ResultData["artifacts"] { return this.data.artifacts; }
  /** What the caller should know, in sentences. */
  get warnings(): readonly string[] { return this.data.warnings; }
  /** What was to be kept or applied and was not, and why. Where the command is `ok` all the same, that is an SbxError,
   *  with this result. */
  get undelivered(): readonly string[] { return this.data.undelivered; }

  /** The whole object, for JSON.stringify. */
  toJSON(): ResultData { return this.data; }
}
