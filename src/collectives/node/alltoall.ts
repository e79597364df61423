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
import {
  type ElementType,
  elementTypeOf,
  isTypedArray,
  type TypedArray,
} from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { ALL } from "../team/eager-board.ts";
import { IntoRefusal } from "../team/refusals.ts";
import type { Team } from "../team/team.ts";
import { EagerCall } from "./eager-call.ts";
import {
  allRead,
  arrayTypeOf,
  type ExposedValue,
  exposeMany,
  exposeParts,
  isClamped,
  isClampedShown,
  type Packed,
  partOf,
  shownBy,
  unwrap,
  type Value,
} from "./exposed-values.ts";
import {
  copyOwn,
  copyShown,
  type Into,
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

/** The alltoalls of arrays of a team, at one PE: equal parts, in order of rank. */
export class Alltoall extends EagerCall<TypedArray | readonly TypedArray[]> {
  override result: TypedArray | readonly TypedArray[] = [];
  #x: Packed | null = null;
  #part = 0;
  /** The arrays of the parts, if each has one. */
  #list: readonly TypedArray[] | null = null;
  /** Byte offset of the result, if it is in the heap, as x is; else -1. */
  #place = -1;

  /**
   * @param into of x's type, and long enough, as is checked before; a new array without
   * @param place its {@link heapPlace}
   */
  begin(tag: number, x: Packed, into: Into | undefined, place = -1): this {
    const { team } = this;
    const { content } = x;
    const { byteLength } = content;
    this.#x = x;
    this.#part = byteLength / team.size;
    this.#list = null;
    const isDirect = place >= 0 && (into as TypedArray).byteLength === byteLength;
    this.#place = isDirect ? place : -1;
    if (isDirect) {
      this.result = into as TypedArray;
      return this.start(tag, true);
    }
    const type = elementTypeOf(content);
    const clamped = isClamped(content);
    const sizes = isList(into) ? new Array<number>(team.size).fill(this.#part) : [];
    if (isList(into)) this.#list = (placesFor(team, type, clamped, sizes, into) as PartPlaces).arrays;
    this.result = this.#list ?? (resultArray(team, type, clamped, byteLength, into as TypedArray) as TypedArray);
    return this.start(tag, true);
  }

  protected show(): void {
    const { team } = this;
    const x = this.#x as Packed;
    const { address, bytes, extra } = exposeParts(team, x);
    team.eager.show(this.tag, address, bytes, extra, ALL);
    const { rank } = team;
    const start = rank * this.#part;
    if (this.#place >= 0) team.payload.copy(this.#place + start, x.address + start, this.#part);
    else copyOwn(team, x, start, this.#part, this.#to(rank), this.#at(rank));
  }

  protected see(peer: number): void {
    const { payload, eager, rank, size } = this.team;
    // without checks it may have shown less
    const bytes = Math.min(this.#part, eager.bytes(peer) / size);
    const from = eager.address(peer) + rank * bytes;
    if (this.#place >= 0) payload.copy(this.#place + peer * this.#part, from, bytes);
    else copyShown(this.team, from, bytes, this.#to(peer), this.#at(peer));
  }

  protected override forget(): void {
    this.result = [];
    this.#x = null;
    this.#list = null;
  }

  protected end(): Task<void> | null {
    return allRead(this.team, this.tag, Math.max(this.longest, this.team.eager.bytes(this.team.rank)));
  }

  /** Where the part of a PE goes: an array, and the byte in there. */
  #to(peer: number): TypedArray {
    return this.#list === null ? (this.result as TypedArray) : this.#list[peer];
  }

  #at(peer: number): number {
    return this.#list === null ? peer * this.#part : 0;
  }
}

/** The entries for this PE of lists with one for each, in order of rank. */
export function* alltoallValues(team: Team, tag: number, x: readonly Packed[]): Task<Value[]> {
  const { rank } = team;
  const values = new Array<Value>(team.size);
  yield* readLists(team, tag, x, (peer, part) => {
    values[peer] = peer === rank ? unpacked(team, x[rank]) : unwrap(team, part);
  });
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
  const see = (peer: number, part: ExposedValue) => {
    parts[peer] = part;
  };
  return yield* readLists(team, tag, x, see, () => {
    // `into` has the type of x, as is checked before
    const clamped = isClampedShown(x[rank].extra);
    const sizes = parts.map(({ bytes }) => bytes);
    const places = placesFor(team, arrayTypeOf(parts[rank].extra) as ElementType, clamped, sizes, into);
    if (places instanceof IntoRefusal) return places;
    const { arrays, starts } = places;
    for (const [peer, bytes] of sizes.entries()) {
      if (peer === rank) copyOwn(team, x[rank], 0, bytes, arrays[peer], starts[peer]);
      else copyShown(team, parts[peer].address, bytes, arrays[peer], starts[peer]);
    }
    return viewsOf(places, sizes);
  });
}

/**
 * Shows a list and reads those of the others.
 * @param see called with the part of each PE for this one, the own one first
 * @param read called when all were seen, before PEs with long lists go on; its result is that of all
 */
function* readLists<T>(
  team: Team,
  tag: number,
  x: readonly Packed[],
  see: (peer: number, part: ExposedValue) => void,
  read?: () => T,
): Task<T> {
  const { eager, rank, size } = team;
  for (let wait = eager.unread(); wait !== null; wait = eager.unread()) yield wait;
  const own = exposeMany(team, x);
  eager.show(tag, own.address, own.bytes, own.extra, ALL);
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
  const result = read?.() as T;
  const rest = allRead(team, tag, longest);
  if (rest !== null) yield* rest;
  return result;
}
