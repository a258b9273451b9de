// Standard input of a command, written as fast as it is read. A command that ends without reading all is no error.
import type { Readable, Writable } from "node:stream";

import type { Input } from "./options.js";

/** Waits until more may be written, or nothing any more. */
function writable(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      to.off("drain", go).off("close", go);
      resolve();
    };
    to.on("drain", go).on("close", go);
    if (to.destroyed) go();
  });
}

async function pump(input: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>, to: Writable): Promise<void> {
  for await (const chunk of input) {
    if (to.destroyed || to.writableEnded) return;
    if (!to.write(chunk)) await writable(to);
  }
  to.end();
}

/**
 * Starts to write.
 * @param input all of it, or what yields it
 * @param to the command's standard input
 * @param fail called when the iterable throws; not when the command has stopped reading before
 */
export function feed(input: Input, to: Writable, fail: (error: unknown) => void): void {
  // EPIPE: the command has ended, or closed its input.
  to.on("error", () => to.destroy());
  if (typeof input === "string" || input instanceof Uint8Array) {
    to.end(input);
    return;
  }
  // A stream that goes on would keep its descriptor, and this process, for a command that reads no more.
  to.on("close", () => (input as Partial<Readable> | null)?.destroy?.());
  pump(input, to).catch((error: unknown) => {
    if (!to.destroyed) fail(error);
  });
}
