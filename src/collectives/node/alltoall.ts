/**
 * Alltoall and alltoallv: part j of PE i's x becomes part i of PE j's result.
 *
 * All PEs show all their parts. Each copies its part from every PE to its place in the result, starting with the next
 * PE, so that not all read from the same one. Those with long parts go on when all have read them.
 *
 * Limits: long data outside the heap is copied to the staging memory first, but for what stays at its PE. For many
 * small items use a conveyor.
 *
 * Source: MPI 4.0, section 6.8 (alltoall, alltoallv); direct reads as in single-copy.ts.
 *
 * Example with 2 PEs: [a0, a1] at PE 0 and [b0, b1] at PE 1 give [a0, b0] and [a1, b1].
 */

import { UsageError } from "../../ground/base/errors.ts";
import { type ElementType, elementTypeOf, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { ALL_READ, isRendezvous } from "../team/eager-board.ts";
import type { Team } from "../team/team.ts";
import {
  allRead,
  arrayTypeOf,
  type ExposedValue,
  isClamped,
  isClampedShown,
  isTypedArray,
  type Packed,
  partOf,
  shownBy,
  unwrap,
  type Value,
  wrapMany,
  wrapParts,
} from "./exposed-values.ts";
import {
  copyOwn,
  copyShown,
  type Into,
  IntoRefusal,
  isList,
  type PartPlaces,
  placesFor,
  resultArray,
  unpacked,
  viewsOf,
} from "./result-array.ts";

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

/** Equal parts of arrays, in order of rank. @param into of x's type, and long enough; a new array without */
export function* alltoallArray(
  team: Team,
  tag: number,
  x: Packed,
  into: Into | undefined,
): Task<TypedArray | readonly TypedArray[]> {
  const { eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  const { content } = x;
  const own = wrapParts(team, x);
  const { bytes } = own;
  const part = bytes / size;
  const type = elementTypeOf(content);
  const clamped = isClamped(content);
  // both fit, as that is checked before: an array for each part, or one for all, as most calls have
  const list = isList(into)
    ? (placesFor(team, type, clamped, new Array<number>(size).fill(part), into) as PartPlaces).arrays
    : null;
  const result = list ?? (resultArray(team, type, clamped, bytes, into as TypedArray | undefined) as TypedArray);
  eager.show(tag, own.address, bytes, own.extra, ALL_READ);
  let longest = bytes;
  const place = (peer: number) => (list === null ? (result as TypedArray) : list[peer]);
  const stride = list === null ? part : 0;
  copyOwn(team, x, rank * part, part, place(rank), rank * stride);
  for (let step = 1; step < size; step++) {
    const peer = (rank + step) % size;
    const begun = eager.begun(peer);
    if (!begun.ready()) yield begun;
    team.checkHeader(peer, tag);
    longest = Math.max(longest, eager.bytes(peer));
    // without checks it may have shown less
    const theirs = Math.min(part, eager.bytes(peer) / size);
    copyShown(team, eager.address(peer) + rank * theirs, theirs, place(peer), peer * stride);
  }
  yield* allRead(team, tag, isRendezvous(longest));
  return result;
}

/** The entries for this PE of lists with one for each, in order of rank. */
export function* alltoallValues(team: Team, tag: number, x: readonly Packed[]): Task<Value[]> {
  const { rank } = team;
  const values = new Array<Value>(team.size);
  const isLong = yield* showList(team, tag, x, (peer, part) => {
    values[peer] = peer === rank ? unpacked(team, x[rank]) : unwrap(team, part);
  });
  yield* allRead(team, tag, isLong);
  return values;
}

/** As {@link alltoallValues}, of arrays of one type. @param into one array for all, in order, or one for each PE */
export function* alltoallvInto(
  team: Team,
  tag: number,
  x: readonly Packed[],
  into: Into,
): Task<TypedArray[] | IntoRefusal> {
  const { rank } = team;
  const parts = new Array<ExposedValue>(team.size);
  const isLong = yield* showList(team, tag, x, (peer, part) => {
    parts[peer] = part;
  });
  const type = arrayTypeOf(parts[rank].extra) as ElementType;
  const sizes = parts.map(({ bytes }) => bytes);
  const places = placesFor(
    team,
    type,
    parts.every(({ extra }) => isClampedShown(extra)),
    sizes,
    into,
  );
  const isPlaced = !(places instanceof IntoRefusal);
  if (isPlaced) {
    const { arrays, starts } = places;
    for (const [peer, bytes] of sizes.entries()) {
      if (peer === rank) copyOwn(team, x[rank], 0, bytes, arrays[peer], starts[peer]);
      else copyShown(team, parts[peer].address, bytes, arrays[peer], starts[peer]);
    }
  }
  yield* allRead(team, tag, isLong);
  return isPlaced ? viewsOf(places, sizes) : places;
}

/** Shows a list; calls `see` with the part of each PE for this one, the own one first. @returns whether any list is long */
function* showList(
  team: Team,
  tag: number,
  x: readonly Packed[],
  see: (peer: number, part: ExposedValue) => void,
): Task<boolean> {
  const { eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  const own = wrapMany(team, x);
  eager.show(tag, own.address, own.bytes, own.extra, ALL_READ);
  let longest = own.bytes;
  see(rank, partOf(team, own));
  for (let step = 1; step < size; step++) {
    const peer = (rank + step) % size;
    const begun = eager.begun(peer);
    if (!begun.ready()) yield begun;
    team.checkHeader(peer, tag);
    longest = Math.max(longest, eager.bytes(peer));
    see(peer, partOf(team, shownBy(team, peer)));
  }
  return isRendezvous(longest);
}
