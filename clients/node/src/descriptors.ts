// Where descriptors run out amid spawn(), Node gives up without closing the pipes that it has made: each failed start
// would leave fewer of them. So this is asked first.
import { closeSync, openSync } from "node:fs";

// What spawn() opens beside the pipes: one to learn whether it worked, and with the first child one for SIGCHLD.
const BESIDE = 4;

/**
 * Makes sure that a process can be started.
 * @param pipes how many it is to have, at most
 * @throws EMFILE or ENFILE when there are too few descriptors left
 */
export function needDescriptors(pipes: number): void {
  const held: number[] = [];
  try {
    while (held.length < 2 * pipes + BESIDE) held.push(openSync("/dev/null", "r"));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}
