/**
 * Alltoall and alltoallv: part j of PE i's x becomes part i of PE j's result.
 *
 * All PEs show all their parts on the address board. Each copies its part from every PE, starting with the next PE, so
 * that not all read from the same one.
 *
 * Limits: data outside the heap is copied whole to the staging memory; two synchronisations of all PEs. For many small
 * items use a conveyor.
 *
 * Source: MPI 4.0, section 6.8 (alltoall, alltoallv); direct reads as in single-copy.ts.
 *
 * Example with 2 PEs: [a0, a1] at PE 0 and [b0, b1] at PE 1 give [a0, b0] and [a1, b1].
 */
import { UsageError } from "../../base/errors.ts";
import { elementTypeOf, type TypedArray } from "../../memory/kernels/elements.ts";
import type { Routine } from "../team/operation.ts";
import type { Team } from "../team/team.ts";
import {
  isTypedArray,
  join,
  LIST,
  type Packed,
  partOf,
  shownBy,
  type Value,
  wrapAny,
} from "./exposed-values.ts";

/** @throws UsageError unless x is a list of typed arrays of one type, one for each PE */
export function checkAlltoallv(x: Value, size: number): void {
  const expected = `alltoallv: expected a list of ${size} typed arrays of one type, one for each PE`;
  if (!Array.isArray(x) || x.length !== size) {
    throw new UsageError(`${expected}; got ${Array.isArray(x) ? `a list of ${x.length}` : typeof x}`);
  }
  // unlike every(), a loop visits the holes of a list
  for (let i = 0; i < size; i++) {
    const part: Value = x[i];
    if (!isTypedArray(part)) throw new UsageError(`${expected}; got ${typeof part} as entry ${i}`);
    const [type, first] = [elementTypeOf(part), elementTypeOf(x[0] as TypedArray)];
    if (type !== first) {
      throw new UsageError(`${expected}; got ${type} as entry ${i}, and ${first} as entry 0`);
    }
  }
}

/** Parts of an array are concatenated in order of rank. Parts of a list: entry i is from PE i. */
export function* alltoallValues(team: Team, tag: number, x: Packed | readonly Packed[]): Routine<Value> {
  const { board, rank, size } = team;
  const own = wrapAny(team, x);
  board.show(tag, own.address, own.bytes, own.extra);
  const shown = board.phase;
  const parts = new Array<Value>(size);
  for (let step = 0; step < size; step++) {
    const peer = (rank + step) % size;
    if (peer !== rank) {
      const ready = board.reached(peer, shown);
      if (!ready.ready()) yield ready;
      team.check(peer, shown, tag);
    }
    parts[peer] = partOf(team, peer === rank ? own : shownBy(team, peer, shown));
  }
  board.next(tag);
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const read = board.reached(peer, board.phase);
    if (!read.ready()) yield read;
  }
  return own.extra === LIST ? parts : join(team, parts);
}
