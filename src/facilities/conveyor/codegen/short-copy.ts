/**
 * Copies of short pieces of memory, as code that is generated for one length: a loop over words, which V8 does in
 * registers. A call of `set` or `copyWithin` takes longer than it, up to some hundred bytes.
 *
 * The words are integers: floats need not keep the bits of a NaN.
 */
import type { Views } from "../../../ground/item/views.ts";

/** Bytes of the widest words that a piece consists of: 8, 4, 2 or 1. @param at what else must be a multiple of it */
export function widthOf(bytes: number, ...at: readonly number[]): Width {
  return ([8, 4, 2] as const).find((width) => [bytes, ...at].every((one) => one % width === 0)) ?? 1;
}

export type Width = 1 | 2 | 4 | 8;

/** The view that has words of a width. */
export const WORDS: Readonly<Record<Width, keyof Views>> = { 1: "u8", 2: "u16", 4: "i32", 8: "i64" };

/** Words up to which a loop is faster than a call. */
const LOOP_WORDS = 64;
/** Words that are copied without a loop. */
const UNROLLED = 16;

/** Whether so many bytes are copied in words. */
export const isShort = (bytes: number, width: Width): boolean => bytes <= LOOP_WORDS * width;

/**
 * Code that copies `bytes` bytes between two views of words.
 * @param to names a view, `target` the byte offset in it; `from` and `start` likewise
 * @param toBytes names the views of the same memories as bytes
 */
export function copyCode(
  bytes: number,
  width: Width,
  [to, target, toBytes]: readonly [string, string, string],
  [from, start, fromBytes]: readonly [string, string, string],
): string {
  const steps = bytes / width;
  const shift = Math.log2(width);
  if (!isShort(bytes, width)) {
    return to === from
      ? `${toBytes}.copyWithin(${target}, ${start}, ${start} + ${bytes});`
      : `${toBytes}.set(${fromBytes}.subarray(${start}, ${start} + ${bytes}), ${target});`;
  }
  if (steps <= UNROLLED) {
    const at = (name: string, place: string, step: number) => `${name}[(${place} >>> ${shift}) + ${step}]`;
    return Array.from({ length: steps }, (_, step) => `${at(to, target, step)} = ${at(from, start, step)};`).join(" ");
  }
  return `for (let k = 0, t = ${target} >>> ${shift}, f = ${start} >>> ${shift}; k < ${steps}; k++) ${to}[t + k] = ${from}[f + k];`;
}

/**
 * The `count` words of a user's bytes; null when they do not begin at one, and when their buffer may change its length,
 * which the words would not follow.
 */
export function wordsOf(
  { buffer, byteOffset }: Uint8Array,
  width: Width,
  count: number,
): BigInt64Array | Int32Array | Uint16Array | Uint8Array | null {
  const { resizable, growable } = buffer as { readonly resizable?: boolean; readonly growable?: boolean };
  if (byteOffset % width !== 0 || resizable || growable) return null;
  if (width === 8) return new BigInt64Array(buffer, byteOffset, count);
  if (width === 4) return new Int32Array(buffer, byteOffset, count);
  if (width === 2) return new Uint16Array(buffer, byteOffset, count);
  return new Uint8Array(buffer, byteOffset, count);
}
