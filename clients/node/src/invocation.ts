// One run under way: its events as they come, its end, and the result. Whatever happens, sbx has ended and all its
// pipes are closed before `result` settles.
import type { Readable } from "node:stream";

import { Delivery } from "./delivery.js";
import { guardRun } from "./guard.js";
import { feed } from "./input.js";
import { JsonLines } from "./lines.js";
import type { Abortable, RunOptions } from "./options.js";
import type { Result } from "./result.js";
import type { EventData, ResultData } from "./schema.js";
import { check, heed, reasonOf } from "./signal.js";
import { type Call, conclude, EVENTS_FD, start, type Started, type Telling } from "./start.js";

// From the request to end to SIGKILL, for an sbx that is stopped; the kernel then ends the tree.
const PATIENCE_MS = 10_000;

/** A started `sbx run --json`. */
export class Invocation {
  /** How it ended. Rejects with SbxError, with the reason of `signal`, or with what a callback threw. */
  readonly result: Promise<Result>;
  private readonly sbx: Started;
  private readonly lines = new JsonLines<EventData>();
  private readonly delivery: Delivery;
  private failure: { error: unknown } | undefined;
  private events = 0;
  private complete: boolean;
  private told: ResultData | undefined;
  private done = false;
  private killer: NodeJS.Timeout | undefined;

  /**
   * @param call what is run, where
   * @param run its options; callbacks for outputs are the business of `onEvent`
   * @param telling what sbx tells: with "result", no events
   * @param onEvent called with each event. What it throws ends the run, as does a promise of it that is rejected
   * @throws SbxError when sbx cannot be started, the reason of `signal` when that is aborted already
   */
  constructor(call: Call, run: RunOptions, telling: Telling, onEvent: (event: EventData) => unknown) {
    check(run.signal);
    call.runs.check();
    this.complete = telling === "result";
    this.delivery = new Delivery(onEvent, (error) => this.fail(error));
    this.sbx = start(call, run, telling);
    this.source?.on("data", (chunk: Buffer) => this.take(chunk)).on("error", (error) => this.fail(error));
    this.result = this.collect(call, run);
    const { stdin } = this.sbx.child;
    if (run.input != null && stdin) feed(run.input, stdin, (error) => this.fail(error));
  }

  /** The stream of events, to pause and resume; null: nobody asked for events. */
  get source(): Readable | null {
    return (this.sbx.child.stdio?.[EVENTS_FD] as Readable | null | undefined) ?? null;
  }

  /** Ends the command and all that it has started, at once; `result` then rejects with `error`. */
  fail(error: unknown): void {
    if (this.done || this.failure) return;
    this.failure = { error };
    this.delivery.stop();
    // The first signal is passed to the command, a second one ends the tree (sbx(1), SIGNALS).
    const { child } = this.sbx;
    child.kill("SIGTERM");
    child.kill("SIGINT");
    this.killer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    this.source?.resume();
  }

  private take(chunk: Buffer): void {
    if (this.failure) return;
    try {
      for (const event of this.lines.push(chunk)) {
        // A result without a gap before it: that was all (`sbx schema event`).
        this.complete = event.type === "result" && event.seq === this.events;
        this.events += 1;
        if (event.type === "result") this.told = event.result;
        this.delivery.push(event);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** A run that cannot be guarded is ended. Returns what to call when it has ended. */
  private guard(): (() => void) | undefined {
    const { pid } = this.sbx.child;
    try {
      return pid === undefined ? undefined : guardRun(pid, (error) => this.fail(error));
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /** Ends the run when `signal` is aborted, and when it cannot be listened to. Returns what to call at the end. */
  private heed(signal: Abortable | null | undefined): () => void {
    try {
      return signal == null ? () => undefined : heed(signal, () => this.fail(reasonOf(signal)));
    } catch (error) {
      this.fail(error);
      return () => undefined;
    }
  }

  private async collect(call: Call, run: RunOptions): Promise<Result> {
    const ignore = this.heed(run.signal);
    call.runs.add(this);
    const release = this.guard();
    try {
      const end = await this.sbx.end;
      await this.delivery.settled();
      if (this.failure) throw this.failure.error;
      return conclude(end, this.told, this.complete, run.check ?? false);
    } finally {
      this.done = true;
      call.runs.remove(this);
      clearTimeout(this.killer);
      release?.();
      ignore();
    }
  }
}
