/**
 * Results that take longer to compute than to read, kept in this process, and between runs in one file each in the
 * user's cache folder. All that a result depends on is in its key. A file that cannot be read or written, or was
 * changed, is treated as missing.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashDigits } from "../hash.ts";
import { version } from "../package-file.ts";
import { replaceFile } from "../replace-file.ts";
import { cacheFolder } from "./cache-folder.ts";
import { makeFolder } from "./folder.ts";

/** Changes with the code that makes such results; defined by scripts/build/lib.mjs only. */
declare const TUNDISH_METHODS: string | undefined;
const methods = typeof TUNDISH_METHODS === "undefined" ? "" : TUNDISH_METHODS;

/** A kept result, as a file has it. */
interface Kept {
  readonly key: string;
  readonly value: unknown;
}

/** Longest text of a file, in characters: to read more is no faster than to compute it. */
const LONGEST = 4_000_000;
/** Results that this process keeps: those last used. */
const MOST = 8;

/** By name, those last used last. */
const held = new Map<string, Kept>();

/** @param name of the file, without its ending. @returns undefined if nothing is kept under this key */
export function recall(name: string, key: string): unknown {
  const kept = held.get(name) ?? readKept(name);
  if (kept?.key !== keyOf(key)) return undefined;
  hold(name, kept);
  return kept.value;
}

/** Keeps a result, which nobody changes, in place of what was kept by this name. */
export function keep(name: string, key: string, value: unknown): void {
  const kept = { key: keyOf(key), value };
  hold(name, kept);
  const folder = cacheFolder();
  const text = JSON.stringify(kept);
  if (folder === null || text.length > LONGEST) return;
  try {
    makeFolder(folder);
    replaceFile(join(folder, `${name}.json`), `${hashDigits(text)}\n${text}`);
  } catch {
    // the next process computes it again
  }
}

function hold(name: string, kept: Kept): void {
  held.delete(name);
  held.set(name, kept);
  for (const first of held.keys()) if (held.size > MOST) held.delete(first);
}

function readKept(name: string): Kept | undefined {
  const folder = cacheFolder();
  if (folder === null) return undefined;
  try {
    const [check, text = ""] = readFileSync(join(folder, `${name}.json`), "utf8").split("\n", 2);
    return check === hashDigits(text) ? (JSON.parse(text) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

const keyOf = (key: string): string => `${version} ${methods} ${key}`;
