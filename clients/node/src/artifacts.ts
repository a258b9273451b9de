// Files that runs have left (`collect`), by way of `sbx artifacts`.

import { ownWords, SbxError } from "./errors.js";
import { isUtf8, nameOf, textOf } from "./names.js";
import { Result } from "./result.js";
import type { KeptArtifacts } from "./schema.js";
import { launch } from "./start.js";

/** One file that is kept. */
export type KeptArtifact = KeptArtifacts[number];

/** The store of this user. A run is given by its id, or by its result. */
export class Artifacts {
  /** @param where which program is called, and where */
  constructor(private readonly where: () => { binary: string; cwd: string }) {}

  /**
   * What is kept.
   * @param run of which run; default: of all
   * @throws SbxError when there is no such run
   */
  async list(run?: string | Result): Promise<KeptArtifact[]> {
    const words = run === undefined ? [] : [idOf(run)];
    return JSON.parse((await this.call(["ls", ...words, "--json"])).toString("utf8")) as KeptArtifact[];
  }

  /**
   * The content of one file.
   * @param run its run; or the SHA-256 of the content, with no path
   * @param path as it was inside the sandbox; bytes (`path_base64`), or a text with lone surrogates as listFiles() has
   *   them, for one that is no UTF-8
   * @throws SbxError when it is not kept
   */
  async get(run: string | Result, path?: string | Uint8Array): Promise<Buffer> {
    if (path === undefined) return this.call(["get", idOf(run), "--output=-"]);
    const name = typeof path === "string" ? nameOf(path) : Buffer.from(path);
    return this.call(["get", ...(isUtf8(name) ? [idOf(run), name.toString("utf8")] : [await this.digestOf(run, name)]), "--output=-"]);
  }

  /** Of one that no command line of Node's can name. */
  private async digestOf(run: string | Result, name: Buffer): Promise<string> {
    const coded = name.toString("base64");
    const found = (await this.list(run)).find((one) => one.path_base64 === coded);
    if (found === undefined) throw new SbxError(`no artifact of ${idOf(run)} has that path, which is no UTF-8: ${textOf(name)}`);
    return found.sha256;
  }

  /**
   * Writes files of a run below a folder, which is made if missing.
   * @param run its run
   * @param folder where to, relative to the sandbox's `cwd`
   * @param paths which; default: all. A folder stands for all below it. One that is no UTF-8 comes with its folder
   * @throws SbxError when one is not kept, or cannot be written
   */
  async save(run: string | Result, folder: string, paths: readonly string[] = []): Promise<void> {
    await this.call(["get", idOf(run), ...paths, `--output=${folder}`]);
  }

  private async call(words: readonly string[]): Promise<Buffer> {
    const { binary, cwd } = this.where();
    if (words.some((word) => word === "" || /^-(?!-json$|-output=)/.test(word)))
      throw new SbxError("a run and a path start with no dash and are not empty");
    const odd = words.find((word) => !isUtf8(nameOf(word)));
    if (odd !== undefined)
      throw new SbxError(`no command line of Node's can name what is no UTF-8: ${odd}; get() has it, and save() its folder`);
    const end = await launch(binary, ["artifacts", ...words], { stdio: ["ignore", "pipe", "pipe"], cwd }).end;
    if (end.code !== 0) throw new SbxError(ownWords(end.stderr) || `sbx ended with ${end.code ?? end.signal}`, { code: end.code });
    return end.stdout;
  }
}

function idOf(run: string | Result): string {
  return typeof run === "string" ? run : run.id;
}
