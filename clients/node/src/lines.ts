// From chunks of bytes to whole lines of JSON. A line may be of many chunks; each byte is copied once.
export class JsonLines<T> {
  private pieces: Buffer[] = [];

  /** The objects whose lines end in this chunk, in their order. Throws SyntaxError for a line that is no JSON. */
  push(chunk: Buffer): T[] {
    const objects: T[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.pieces.push(chunk.subarray(start, end));
      objects.push(JSON.parse(Buffer.concat(this.pieces).toString("utf8")) as T);
      this.pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) this.pieces.push(chunk.subarray(start));
    return objects;
  }
}
