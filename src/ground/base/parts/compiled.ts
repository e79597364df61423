/**
 * The code that V8 has made of a script, kept between processes: with it, a function is not compiled when it is first
 * called.
 *
 * V8 adds to it what it compiles later, when a script is read again; so the first few processes each keep more.
 * Programs differ in what they call: of the processes after them one in sixteen looks at its end, for some 10 ms,
 * whether it has compiled much that is not kept yet, and keeps it. What is not kept is compiled as ever.
 *
 * A file has the code twice:
 *
 *     ┌────────────────┬────────────┬──────┬────────────┐
 *     │ GENERATION u32 │ SOURCE u32 │ code │ code again │
 *     └────────────────┴────────────┴──────┴────────────┘
 *
 * V8 does not check what it is given (one wrong bit can end the process), and to compare two copies takes less time
 * than to load Node's checksums.
 */
import { chmodSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../files/folder.ts";

const HEADER_BYTES = 8;
/** So many processes keep what they have compiled. */
const GENERATIONS = 5;
/** Of the others this part looks for more. */
export const LOOKING: number = 1 / 16;
/** What is kept grows by this at least then: V8 does not make the same code always. */
const MORE = 1.02;
/** The names of the folders, which the user may have beside others. */
const FOLDER = /^[0-9a-f]{16}$/;
/** Those that nobody has written to for so long are removed, ms. */
const OLD_MS = 30 * 24 * 3600 * 1000;

/** Code that was kept. */
export interface Compiled {
  readonly code: Buffer;
  /** How many processes have kept some. */
  readonly generation: number;
  /** Changes with the file that the script is read from: V8 compares the length only. */
  readonly source: number;
}

/** The kept code of a script; undefined if there is none of this source, or a file that was changed. */
export function readCompiled(folder: string, name: string, source: number): Compiled | undefined {
  try {
    const all = readFileSync(join(folder, name));
    const bytes = (all.length - HEADER_BYTES) / 2;
    const [code, again] = [all.subarray(HEADER_BYTES, HEADER_BYTES + bytes), all.subarray(HEADER_BYTES + bytes)];
    if (bytes <= 0 || !code.equals(again) || all.readUInt32LE(4) !== source) return undefined;
    return { code, generation: all.readUInt32LE(0), source };
  } catch {
    return undefined;
  }
}

/** Whether another process is to keep what it has compiled. */
export const isGrowing = (kept: Compiled | undefined): boolean => (kept?.generation ?? 0) < GENERATIONS;

/** Whether code is to be kept in place of what was: of so many bytes each. */
export const isWorth = (generation: number, bytes: number, before: number): boolean =>
  generation < GENERATIONS || bytes > MORE * before;

/** Keeps the code of a script, in place of what was kept. Does nothing where that is impossible. */
export function keepCompiled(folder: string, name: string, { code, generation, source }: Compiled): void {
  const file = join(folder, name);
  const part = `${file}.${process.pid}.tmp`;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(Math.min(generation, GENERATIONS), 0);
  header.writeUInt32LE(source, 4);
  try {
    const isNew = statSync(folder, { throwIfNoEntry: false }) === undefined;
    if (isNew) {
      makeFolder(folder);
      // whoever writes there runs code as this user
      chmodSync(folder, 0o700);
    }
    try {
      writeFileSync(part, Buffer.concat([header, code, code]), { flag: "wx", mode: 0o600 });
      renameSync(part, file);
    } finally {
      rmSync(part, { force: true });
    }
    if (isNew) removeOld(folder);
  } catch {
    // the next process compiles it again
  }
}

/** Removes the old folders beside a new one: of other versions, and of other options of Node.js. */
function removeOld(folder: string): void {
  const above = dirname(folder);
  const now = statSync(folder).mtimeMs;
  for (const name of readdirSync(above)) {
    if (!FOLDER.test(name)) continue;
    const one = join(above, name);
    if (now - statSync(one).mtimeMs > OLD_MS) rmSync(one, { recursive: true, force: true });
  }
}
