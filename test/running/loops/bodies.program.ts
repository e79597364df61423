/** Functions that the PEs of test worlds get by their names. */
import { existsSync } from "node:fs";
import { threadId } from "node:worker_threads";

export const square = (i: number): number => i * i;

/** Counts each index. */
export function count(i: number, { counts }: { readonly counts: Int32Array }): void {
  Atomics.add(counts, i, 1);
}

export function countRange(begin: number, end: number, step: number, counts: Int32Array): void {
  for (let i = begin; i < end; i += step) Atomics.add(counts, i, 1);
}

/** The place of an element, behind it. */
export const labelled = (word: string, i: number, args: { readonly mark: string }): string => `${word}${args.mark}${i}`;

export const parity = (i: number): { readonly odd: boolean } => ({ odd: i % 2 === 1 });

export const scaled = (x: number, _: number, { factor }: { readonly factor: number }): number => factor * x;

/** Throws at an index, an error with a property. */
export function failsAt(i: number, { at, counts }: { readonly at: number; readonly counts?: Int32Array }): number {
  if (i === at) throw Object.assign(new RangeError(`no ${i}`), { index: i });
  if (counts !== undefined) Atomics.add(counts, 0, 1);
  return i;
}

export function throwsPlain(): never {
  throw "plain";
}

export const thread = (): number => threadId;

export function exits(i: number): void {
  if (i === 3) process.exit(7);
}

/** Waits until a word is set, in each iteration; the first one says that the loop has begun. */
export function waits(i: number, words: Int32Array): void {
  Atomics.store(words, 1, 1);
  Atomics.notify(words, 1);
  Atomics.wait(words, 0, 0, 1000 + i);
}

export function forever(_: number, words: Int32Array): void {
  Atomics.store(words, 1, 1);
  for (;;) if (existsSync("/nowhere")) break;
}

export function sleeps(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

export async function later(i: number): Promise<number> {
  return i;
}

export const functions = (): (() => void) => () => {};

/** Takes some ms for indices below a limit, and counts all. */
export function slowBelow(i: number, { limit, counts }: { readonly limit: number; readonly counts: Int32Array }): void {
  if (i < limit) sleeps();
  Atomics.add(counts, 0, 1);
}
