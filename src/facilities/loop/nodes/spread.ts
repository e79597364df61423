/**
 * Values that the PEs of several nodes have stored, each into the array of its node: all nodes get all of them. Each PE
 * gets those of all others, and stores its part of those of other nodes. The barrier after it is the agreement of
 * loop.ts.
 *
 * Limits: meanwhile a PE has a copy of all values.
 */
import type { TypedArray } from "../../../ground/memory/kernels/elements.ts";
import type { Task } from "../../../ground/wait/task.ts";
import type { Seat } from "../../../pe/seat.ts";
import { endingBy, type LoopEnd, listed } from "../chunks/endings.ts";

/** Runs of places that one PE has stored. */
export interface StoredRuns {
  readonly begins: number[];
  readonly counts: number[];
}

/** All of one PE: runs, and their values one after the other. */
interface Stored extends StoredRuns {
  readonly values: TypedArray;
}

/** @returns the array, as the result */
export function spread<A extends TypedArray>(seat: Seat, into: A, runs: StoredRuns): LoopEnd<A> {
  function* all(): Task<void> {
    const own: Stored = { ...runs, values: valuesOf(into, runs) };
    const { here, rank } = seat;
    const place = here.indexOf(rank);
    for (const [from, stored] of (yield* listed(seat, own)).entries()) {
      if (!here.includes(from) && from % here.length === place) store(into, stored);
    }
  }
  return endingBy(seat, all, () => into);
}

/** A copy of what lies there, in an array of its kind. */
function valuesOf(into: TypedArray, { begins, counts }: StoredRuns): TypedArray {
  const values = into.slice(0, 0).constructor as unknown as new (length: number) => TypedArray;
  const copy = new values(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const [i, begin] of begins.entries()) {
    const count = counts[i] as number;
    copy.set(into.subarray(begin, begin + count) as never, at);
    at += count;
  }
  return copy;
}

function store(into: TypedArray, { begins, counts, values }: Stored): void {
  let at = 0;
  for (const [i, begin] of begins.entries()) {
    const count = counts[i] as number;
    into.set(values.subarray(at, at + count) as never, begin);
    at += count;
  }
}
