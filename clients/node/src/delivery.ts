// Hands events to a consumer one after the other: what it promises is waited for before the next. Those that come
// meanwhile are kept; sbx tells of no more output than the result has too (`stdoutLimit`, 10 MiB each).
import type { EventData } from "./schema.js";

/** Whether what a consumer has returned is to be waited for. */
export function isPromise(answer: unknown): answer is PromiseLike<unknown> {
  return typeof (answer as PromiseLike<unknown> | null | undefined)?.then === "function";
}

export class Delivery {
  private waiting: EventData[] = [];
  private busy: Promise<void> | undefined;
  private stopped = false;
  private halt!: () => void;
  private readonly halted = new Promise<void>((resolve) => (this.halt = resolve));

  /**
   * @param consume takes one event
   * @param broken called with what a promise of the consumer's was broken with
   */
  constructor(private readonly consume: (event: EventData) => unknown, private readonly broken: (error: unknown) => void) {}

  /** Hands an event over, at once unless an earlier one is waited for. Throws what the consumer throws. */
  push(event: EventData): void {
    if (this.busy) {
      this.waiting.push(event);
      return;
    }
    const answer = this.consume(event);
    if (isPromise(answer)) this.busy = this.rest(answer);
  }

  /** Hands nothing over any more, and waits for nothing. */
  stop(): void {
    this.stopped = true;
    this.halt();
  }

  /** Returns when all events have been taken and all promises kept, or when it was stopped. */
  async settled(): Promise<void> {
    await Promise.race([this.busy, this.halted]);
  }

  private async rest(first: PromiseLike<unknown>): Promise<void> {
    try {
      await first;
      while (this.waiting.length > 0) {
        const next = this.waiting;
        this.waiting = [];
        for (const event of next) {
          if (this.stopped) return;
          await this.consume(event);
        }
      }
      this.busy = undefined;
    } catch (error) {
      this.broken(error);
    }
  }
}
