// Names of files are bytes, and a hostile command's need not be UTF-8. As text, each byte that is no UTF-8 is a lone
// surrogate, U+DC80 for 80 to U+DCFF for ff (Python's surrogateescape), so that no two names become one.
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";

const ESCAPED = 0xdc00;

/** Whether a name is UTF-8. */
export function isUtf8(name: Buffer): boolean {
  return Buffer.from(name.toString("utf8")).equals(name);
}

/** The text of a name. */
export function textOf(name: Buffer): string {
  if (isUtf8(name)) return name.toString("utf8");
  let escaped = "";
  for (let at = 0; at < name.length; ) {
    const character = characterAt(name, at);
    escaped += character?.toString("utf8") ?? String.fromCharCode(ESCAPED + name[at]!);
    at += character?.length ?? 1;
  }
  return escaped;
}

/** The bytes of the one character that starts there; undefined: that is no UTF-8. */
function characterAt(name: Buffer, at: number): Buffer | undefined {
  for (const length of [1, 2, 3, 4]) {
    const bytes = name.subarray(at, at + length);
    if (isUtf8(bytes)) return bytes;
  }
  return undefined;
}

/** The name that a text stands for. */
export function nameOf(text: string): Buffer {
  const pieces = text.split(/([\udc80-\udcff])/u);  // /u: a pair of surrogates is a character, and no match
  return Buffer.concat(pieces.map((piece, index) =>
    index % 2 === 1 ? Buffer.of(piece.charCodeAt(0) - ESCAPED) : Buffer.from(piece)));
}

/** What is in a folder. */
export function entriesOf(folder: string | Buffer): Promise<Array<Dirent<Buffer>>> {
  return readdir(folder, { withFileTypes: true, encoding: "buffer" });
}
