/** The programs' tasks for the threads of a pool: each function is a task, as a user of piscina would write it. */
import { pinThread } from "../../../../src/machine/topology/affinity.ts";
import { assign, CENTRES, DIMENSIONS } from "./k-means.ts";
import { countWords } from "./word-count.ts";

export interface MeetTask {
  /** One shared number, 0 at first. */
  readonly arrived: Int32Array;
  readonly cpus: readonly number[];
}

/**
 * A task of each thread at the same time: all have started when they end, each on a CPU of its own. @returns whether it
 * is bound
 */
export function meet({ arrived, cpus }: MeetTask): boolean {
  const bound = pinThread(cpus[Atomics.add(arrived, 0, 1)]);
  // pairs with the addition of the threads that come later
  Atomics.notify(arrived, 0);
  for (let count = Atomics.load(arrived, 0); count < cpus.length; count = Atomics.load(arrived, 0))
    Atomics.wait(arrived, 0, count);
  return bound;
}

export interface ClusterTask {
  /** Those of this task, in shared memory. */
  readonly points: Float64Array;
  readonly centres: Float64Array;
}

/** k-means: the sums of some points, of one iteration. */
export function cluster({ points, centres }: ClusterTask): Float64Array {
  const sums = new Float64Array(CENTRES * (DIMENSIONS + 1));
  assign(points, centres, sums);
  return sums;
}

/** In shared memory. */
export interface SortTask {
  readonly keys: Float64Array;
  readonly sorted: Float64Array;
}

/** Sample sort: a share of the keys in order. */
export function sort({ keys, sorted }: SortTask): void {
  sorted.set(keys);
  sorted.sort();
}

/** Word count: how often each word is in a part of the text, ASCII in shared memory. */
export function count(bytes: Uint8Array): Map<string, number> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return new Map([...countWords(text)].map(([word, { count }]) => [word, count]));
}
