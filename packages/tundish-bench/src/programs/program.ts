/** The common shape of the programs of this folder: each is one computation, by one thread and by several PEs. */
import type { PE } from "../../../../src/index.ts";

/** A part of a result: its values, and the number of the first one in the whole. */
export interface Part {
  readonly first: number;
  readonly values: ArrayLike<number>;
}

/** A computation whose input is there. */
export interface Run {
  /** Computes all of it, from the input on, each time. Collective of several PEs. */
  run(): void;
  /** The result of the last run: all of it, or this PE's part. Collective of several PEs. */
  result(): Part;
}

/** A program. `size` is the amount of its input: edges, words, points, keys. */
export interface Program {
  /** Makes the input of one thread that uses nothing of the library. */
  alone(size: number): Run;
  /** Makes the part of one PE of the same input. Collective. */
  together(pe: PE, size: number): Run;
  /** As together, by conveyors alone, where PEs of one node have something better: what many nodes would run. */
  byConveyor?(pe: PE, size: number): Run;
  /** Largest difference of a value from the one alone, relative to it: the order of sums differs. @default 0 */
  readonly tolerance?: number;
}

/** Elements 0 to n - 1 in contiguous blocks, one for each PE: element i is at PE floor(i / each). */
export interface Block {
  readonly each: number;
  readonly first: number;
  readonly end: number;
}

export function blockOf(n: number, { rank, size }: PE): Block {
  const each = Math.ceil(n / size);
  return { each, first: Math.min(n, rank * each), end: Math.min(n, (rank + 1) * each) };
}

/** @throws Error if a value of a part differs from that of the whole by more than the tolerance, relative to it */
export function compareValues(who: string, { first, values }: Part, whole: ArrayLike<number>, tolerance: number): void {
  for (let i = 0; i < values.length; i++) {
    const expected = whole[first + i];
    const error = Math.abs(values[i] - expected);
    if (error <= tolerance * Math.abs(expected)) continue;
    throw new Error(`${who}: value ${first + i}: expected ${expected}, got ${values[i]}`);
  }
}
