// What the option `signal` does: one listener for all runs that share a signal, as Node takes more than ten for a leak.
import { SbxError } from "./errors.js";
import type { Abortable } from "./options.js";

/** Who listens to a signal, and for whom. */
interface Heed {
  readonly listener: () => void;
  readonly runs: Set<() => void>;
}

const heeded = new WeakMap<Abortable, Heed>();

/** One that is no AbortSignal need have no reason. */
export const reasonOf = (signal: Abortable): unknown =>
  signal.reason === undefined ? new DOMException("This operation was aborted", "AbortError") : signal.reason;

/** Throws the reason of a signal that is aborted, SbxError for what is no signal. */
export function check(signal: Abortable | null | undefined): void {
  if (signal == null) return;
  if (typeof signal.aborted !== "boolean" || typeof signal.addEventListener !== "function")
    throw new SbxError("the option signal is no AbortSignal, nor an object with `aborted` and `addEventListener`");
  if (signal.aborted) throw reasonOf(signal);
}

function listen(signal: Abortable): Heed {
  const runs = new Set<() => void>();
  const listener = (): void => [...runs].forEach((aborted) => aborted());
  signal.addEventListener("abort", listener);
  const heed = { listener, runs };
  heeded.set(signal, heed);
  return heed;
}

/** Calls `aborted` when `signal` is. Returns what to call when nobody cares any more. Throws what listening to it throws. */
export function heed(signal: Abortable, aborted: () => void): () => void {
  const { listener, runs } = heeded.get(signal) ?? listen(signal);
  runs.add(aborted);
  return () => {
    // Where it cannot be taken away, the listener stays for the next run.
    if (!runs.delete(aborted) || runs.size > 0 || !signal.removeEventListener) return;
    signal.removeEventListener("abort", listener);
    heeded.delete(signal);
  };
}
