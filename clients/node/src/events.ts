// Events of a run, handed to callbacks or yielded one by one with backpressure.
import { isPromise } from "./delivery.js";
import { SbxError } from "./errors.js";
import { Invocation } from "./invocation.js";
import type { RunOptions, StreamOptions } from "./options.js";
import type { EventData, StderrEvent, StdoutEvent } from "./schema.js";
import type { Call } from "./start.js";

// sbx gives up telling events to a reader that takes nothing for five seconds. A consumer that is slower than that
// must not lose any, so one read a second goes on while it is busy: up to 64 KiB.
const DRIP_MS = 1000;

/** The bytes of an event of an output. */
export function chunkOf(event: StdoutEvent | StderrEvent): Buffer {
  return event.base64 === undefined ? Buffer.from(event.text ?? "", "utf8") : Buffer.from(event.base64, "base64");
}

/** Starts a run with its callbacks; without any, sbx is asked for no events. */
export function called(call: Call, run: RunOptions): Invocation {
  const { onStdout, onStderr, onEvent } = run;
  return new Invocation(call, run, onStdout || onStderr || onEvent ? "both" : "result", (event) => {
    const output = (): unknown => event.type === "stdout" ? onStdout?.(chunkOf(event))
      : event.type === "stderr" ? onStderr?.(chunkOf(event)) : undefined;
    const answer = onEvent?.(event);
    return isPromise(answer) ? Promise.resolve(answer).then(output) : output();
  });
}

/** Events that have come and that the consumer has not taken yet. */
class Queue {
  private readonly waiting: EventData[] = [];
  private wake: (() => void) | undefined;
  private over = false;

  push(event: EventData): void {
    this.waiting.push(event);
    this.wake?.();
  }

  close(): void {
    this.over = true;
    this.wake?.();
  }

  get empty(): boolean {
    return this.waiting.length === 0;
  }

  /** The next one; undefined: there will be none. */
  async next(): Promise<EventData | undefined> {
    while (this.empty && !this.over) await new Promise<void>((resolve) => (this.wake = resolve));
    return this.waiting.shift();
  }
}

/**
 * Starts the run with the first `next()`, yields its events, and ends it when the consumer stops early. While the
 * consumer is busy nothing is read, so that the command waits for it.
 * @throws what a run fails with, after the last event
 */
export async function* streamed(call: Call, options: StreamOptions): AsyncGenerator<EventData, void, undefined> {
  const queue = new Queue();
  const run = new Invocation(call, options, "events", (event) => {
    queue.push(event);
    run.source?.pause();
  });
  const drip = setInterval(() => run.source?.resume(), DRIP_MS);
  const ended = run.result.finally(() => {
    clearInterval(drip);  // here, as a consumer may never come back
    queue.close();
  });
  ended.catch(() => undefined);  // it is awaited below, perhaps much later
  try {
    for (;;) {
      if (queue.empty) run.source?.resume();
      const event = await queue.next();
      if (event === undefined) break;
      yield event;
    }
    const result = await ended;
    if (!result.eventsComplete)
      throw new SbxError("events were lost: this process was busy and read none for five seconds", { code: result.code, result });
  } finally {
    run.fail(new SbxError("the consumer of the events has stopped"));
    await ended.catch(() => undefined);
  }
}
