/** Input that is the same for any number of PEs: each number comes from a seed and its index. */
import type { PE } from "tundish";

/**
 * Number `index` of the stream of a seed, from 0 up to but without 1.
 *
 * Source: mulberry32, whose state is a counter, so that any index can be computed directly. It repeats after 2^32.
 */
export function randomAt(seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0;
  let z = Math.imul(state ^ (state >>> 15), state | 1);
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
  return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
}

/** The block of n elements that belongs to one of `size` PEs: the first, and the one after the last. */
export const share = (n: number, rank: number, size: number): readonly [first: number, end: number] => [
  Math.floor((n * rank) / size),
  Math.floor((n * (rank + 1)) / size),
];

/**
 * An array that all PEs of a node share, made by them together; every node has one. Collective; `pe.freeAsync` frees it.
 * @param fill writes the elements from `first` up to but without `end`
 */
export async function sharedInput(
  pe: PE,
  length: number,
  fill: (array: Float64Array, first: number, end: number) => void,
): Promise<Float64Array> {
  const array = await pe.allocSharedAsync(Float64Array, length);
  fill(array, ...share(length, pe.nodeRank, pe.nodeSize));
  await pe.barrierAsync(); // after it all may read
  return array;
}
