/** Text files as one row of bytes: PEs share the bytes, so that one large file is shared as well as many small ones. */
import { closeSync, createReadStream, openSync, readdirSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { randomAt } from "./input.ts";
import { WrongOption } from "./options.ts";

export interface TextFile {
  readonly path: string;
  readonly bytes: number;
}

const TEXTS = /\.(md|txt)$/;

/**
 * The files of some paths: a file; a folder, for the texts in it and in all folders below; or the name of files with `*`, for any part of
 * a name.
 * @throws WrongOption if there are none
 */
export function filesOf(paths: readonly string[]): TextFile[] {
  try {
    const files = paths.flatMap((path) => namesOf(path).map((one) => ({ path: one, bytes: statSync(one).size })));
    if (files.length > 0) return files;
  } catch (cause) {
    throw new WrongOption(`--files: expected files and folders, got ${(cause as Error).message}`, { cause });
  }
  throw new WrongOption(`--files: expected files, or folders with files *.md or *.txt, got ${paths.join(",")}`);
}

function namesOf(path: string): string[] {
  const name = basename(path);
  if (name.includes("*")) {
    const parts = name.split("*").map((part) => part.replace(/[^\w-]/g, "\\$&"));
    const pattern = new RegExp(`^${parts.join(".*")}$`, "u");
    return sorted(
      readdirSync(dirname(path)).filter((one) => pattern.test(one)),
      dirname(path),
    );
  }
  if (!statSync(path).isDirectory()) return [path];
  return sorted(
    readdirSync(path, { recursive: true, encoding: "utf8" }).filter((one) => TEXTS.test(one)),
    path,
  );
}

const sorted = (names: readonly string[], folder: string): string[] =>
  names
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();

/** Bytes of a piece of text at once. */
const PIECE = 2 ** 18;
/** White space in ASCII. No byte of a longer character of UTF-8 is so small. */
const isSpace = (byte: number): boolean => byte <= 0x20;

/**
 * The text between two bytes of a row of files, in pieces. Both borders move on to behind the next white space, or to the end of their
 * file: so no word and no character is cut, and what one PE leaves out at its end the next one has at its beginning.
 */
export async function* textOf(files: readonly TextFile[], first: number, end: number): AsyncGenerator<string> {
  let before = 0;
  for (const { path, bytes } of files) {
    const [from, to] = [Math.max(0, first - before), Math.min(bytes, end - before)];
    if (from < to) yield* piecesOf(path, from, to);
    before += bytes;
  }
}

/** @param from the first byte @param to the byte behind the last one */
async function* piecesOf(path: string, from: number, to: number): AsyncGenerator<string> {
  // from the byte before, which may be white space
  let at = Math.max(0, from - 1);
  let isCutOff = from > 0;
  let kept: Buffer[] = [];
  const highWaterMark = Math.min(PIECE, to - from + 100);
  for await (const read of createReadStream(path, { start: at, highWaterMark })) {
    let bytes = read as Buffer;
    at += bytes.length;
    if (isCutOff) {
      const space = bytes.findIndex(isSpace);
      if (space < 0) continue;
      // the first word begins behind the last byte
      if (at - bytes.length + space >= to - 1) return;
      bytes = bytes.subarray(space + 1);
      isCutOff = false;
    }
    const last = at >= to ? ends(bytes, Math.max(0, bytes.length - (at - to) - 1)) : lastSpace(bytes);
    if (last < 0) {
      kept.push(bytes);
      continue;
    }
    yield Buffer.concat([...kept, bytes.subarray(0, last)]).toString();
    if (at >= to) return;
    kept = [bytes.subarray(last)];
  }
  if (kept.length > 0) yield Buffer.concat(kept).toString();
}

/** The index of the first white space from an index on, or -1. */
function ends(bytes: Buffer, from: number): number {
  for (let i = from; i < bytes.length; i++) if (isSpace(bytes[i])) return i;
  return -1;
}

/** The index of the last white space, or -1. */
function lastSpace(bytes: Buffer): number {
  let i = bytes.length - 1;
  while (i >= 0 && !isSpace(bytes[i])) i--;
  return i;
}

/** Letters, marks and digits are 1; of the first 65536 characters, which are one unit of a string. */
const IN_WORDS = Uint8Array.from({ length: 2 ** 16 }, (_, code) =>
  /[\p{L}\p{M}\p{N}]/u.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The words of a text, in small letters. A loop: a regular expression takes twice as long. */
export function wordsOf(text: string): string[] {
  const small = text.toLowerCase();
  const words: string[] = [];
  for (let i = 0; i < small.length; i++) {
    const begin = i;
    while (i < small.length && IN_WORDS[small.charCodeAt(i)] === 1) i++;
    if (i > begin) words.push(small.slice(begin, i));
  }
  return words;
}

/** Different words of the text of {@link writeText}. */
const VOCABULARY = 30_000;

/** Writes a text of random words, of which few are frequent and many are rare, as in a language (Zipf's law). @returns its bytes */
export function writeText(path: string, count: number, seed: number): number {
  const vocabulary = Array.from({ length: VOCABULARY }, (_, k) => wordOf(k));
  const file = openSync(path, "w");
  try {
    const line: string[] = [];
    for (let i = 0; i < count; i++) {
      // word k comes with a probability in proportion to 1 / (k + 1)
      line.push(vocabulary[Math.floor((VOCABULARY + 1) ** randomAt(seed, i)) - 1]);
      if (line.length === 1000 || i + 1 === count) writeSync(file, `${line.splice(0).join(" ")}\n`);
    }
  } finally {
    closeSync(file);
  }
  return statSync(path).size;
}

/** Word k: its number in syllables. */
function wordOf(k: number): string {
  const syllables = ["ka", "to", "mi", "re", "su", "no", "li", "fa", "de", "vo", "pé", "zu"];
  let word = "";
  for (let rest = k + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}
