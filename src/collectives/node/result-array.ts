/**
 * Result arrays: where gather, allgather, scatter, alltoall and alltoallv put elements. A new array, or one that the
 * user gives (`into`, the receive buffer of MPI): a new one of some size costs as much as copying into it, as the
 * system gives it page by page.
 *
 * Each element is copied once, from where another PE shows it to its place in the result. Of gather, allgather,
 * alltoall and alltoallv the user may also give a list, with an array for the part of each PE, as the displacements of
 * MPI's gatherv.
 */

import { deserialize } from "../../ground/base/objects/serialized.ts";
import { type ElementType, elementTypeOf, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import { IntoRefusal } from "../team/refusals.ts";
import type { Team } from "../team/team.ts";
import {
  arrayTypeOf,
  isClamped,
  isClampedShown,
  isSameKind,
  type Packed,
  partBytes,
  shownBy,
  unwrap,
  type Value,
} from "./exposed-values.ts";

/** The array, or a list with one for each PE. */
export type Into = TypedArray | readonly TypedArray[];

export const isList = (into: Into | undefined): into is readonly TypedArray[] => Array.isArray(into);

/** An array for `bytes` bytes of elements: `into`, its beginning, or a new one. @param name of `into` in errors */
export function resultArray(
  { payload }: Team,
  type: ElementType,
  clamped: boolean,
  bytes: number,
  into: TypedArray | undefined,
  name = "into",
): TypedArray | IntoRefusal {
  if (into === undefined) {
    const made = payload.make(type, bytes);
    return clamped ? new Uint8ClampedArray(made.buffer) : made;
  }
  const length = bytes / into.BYTES_PER_ELEMENT;
  const isOfType = elementTypeOf(into) === type && isClamped(into) === clamped;
  if (!isOfType || into.length < length) {
    const like = payload.make(type, 0);
    const kind = clamped ? "Uint8ClampedArray" : like[Symbol.toStringTag];
    return new IntoRefusal(
      `${name}: expected a ${kind} with room for ${bytes / like.BYTES_PER_ELEMENT}, got a ${into[Symbol.toStringTag]} of ` +
        `${into.length}. The other PEs have their results; pass a ${isOfType ? "larger one" : kind} in the next call.`,
    );
  }
  return into.length === length ? into : (into.subarray(0, length) as TypedArray);
}

/** The byte offset of `into` in the heap, if it is one array there, of the type of x, which is there, too; else -1. */
export function heapPlace({ payload }: Team, x: Packed, into: Into | undefined): number {
  if (into === undefined || isList(into) || x.address < 0 || !payload.isShared(into)) return -1;
  return elementTypeOf(into) === x.kind && isClamped(into) === isClampedShown(x.extra) ? into.byteOffset : -1;
}

/** Copies bytes of a user's array, from its byte `start` on, to byte `at` of another one. */
export function copyOwn(team: Team, from: Packed, start: number, bytes: number, to: TypedArray, at: number): void {
  const { payload } = team;
  const { content, address } = from;
  if (address >= 0) copyShown(team, address + start, bytes, to, at);
  else if (payload.isShared(to)) payload.put(content, elementTypeOf(content), start, bytes, to.byteOffset + at);
  else partBytes(to, at, bytes).set(partBytes(content, start, bytes));
}

/** Copies bytes of the heap to byte `at` of a result. */
export function copyShown({ payload }: Team, address: number, bytes: number, to: TypedArray, at: number): void {
  if (payload.isShared(to)) payload.copy(to.byteOffset + at, address, bytes);
  else payload.get(to, elementTypeOf(to), at, bytes, address);
}

/** What all PEs show: arrays of one type. Without checks they may differ, and be other values. */
interface ShownArrays {
  readonly type: ElementType;
  /** Whether the result is: where all are, or like x in an array that is given, which has the type of x. */
  readonly clamped: boolean;
  /** Bytes of all together. */
  readonly bytes: number;
}

/** Null unless all PEs show arrays of one type. @param x what this PE shows itself */
export function arraysShown({ eager, size }: Team, x: Packed, into: Into | undefined): ShownArrays | null {
  const type = arrayTypeOf(x.extra);
  if (type === null) return null;
  let clamped = true;
  let bytes = 0;
  for (let peer = 0; peer < size; peer++) {
    const extra = eager.extra(peer);
    if (!isSameKind(extra, x.extra)) return null;
    if (!isClampedShown(into === undefined ? extra : x.extra)) clamped = false;
    bytes += eager.bytes(peer);
  }
  return { type, clamped, bytes };
}

/** Places for arrays that all PEs show. */
export function placesShown(
  team: Team,
  { type, clamped }: ShownArrays,
  into: Into | undefined,
): PartPlaces | IntoRefusal {
  const sizes: number[] = [];
  for (let peer = 0; peer < team.size; peer++) sizes.push(team.eager.bytes(peer));
  return placesFor(team, type, clamped, sizes, into);
}

/**
 * The values that PEs show, by rank: arrays of one type one after the other, anything else as a list. The next PE's
 * comes first, so that not all read from the same one.
 * @param x what this PE has itself @param place of `into`, see {@link heapPlace}
 * @param hasOwn whether x has been copied already
 */
export function joinShown(
  team: Team,
  x: Packed,
  into: Into | undefined,
  place = -1,
  hasOwn = false,
): Value | IntoRefusal {
  const { eager, payload, rank, size } = team;
  const shown = arraysShown(team, x, into);
  if (shown === null) {
    return Array.from({ length: size }, (_, i) => (i === rank ? unpacked(team, x) : unwrap(team, shownBy(team, i))));
  }
  if (isList(into)) {
    const places = placesShown(team, shown, into);
    if (places instanceof IntoRefusal) return places;
    joinInto(team, x, places);
    return places.result;
  }
  const isDirect = place >= 0 && (into as TypedArray).byteLength === shown.bytes;
  const result = isDirect ? (into as TypedArray) : resultArray(team, shown.type, shown.clamped, shown.bytes, into);
  if (result instanceof IntoRefusal) return result;
  let at = 0;
  for (let peer = 0; peer <= rank; peer++) at += eager.bytes(peer);
  for (let step = 1; step <= size; step++) {
    const peer = rank + step < size ? rank + step : rank + step - size;
    if (peer === 0) at = 0;
    const bytes = eager.bytes(peer);
    if (peer !== rank && isDirect) payload.copy(place + at, eager.address(peer), bytes);
    else if (peer !== rank) copyShown(team, eager.address(peer), bytes, result, at);
    else if (!hasOwn) copyOwn(team, x, 0, bytes, result, at);
    at += bytes;
  }
  return result;
}

/** Copies arrays that PEs show to their places, but for those of some PEs. */
export function joinInto(team: Team, x: Packed, { arrays, starts }: PartPlaces, not: readonly number[] = []): void {
  const { eager, rank, size } = team;
  for (let step = 1; step <= size; step++) {
    const peer = (rank + step) % size;
    if (not.includes(peer)) continue;
    if (peer === rank) copyOwn(team, x, 0, eager.bytes(peer), arrays[peer], starts[peer]);
    else copyShown(team, eager.address(peer), eager.bytes(peer), arrays[peer], starts[peer]);
  }
}

/** Where parts go: part i to byte `starts[i]` of `arrays[i]`, and the result that all of them make. */
export interface PartPlaces {
  readonly arrays: readonly TypedArray[];
  readonly starts: readonly number[];
  readonly result: TypedArray | TypedArray[];
}

/** Places for parts of `sizes` bytes: one after the other in one array, or each in that of a list. */
export function placesFor(
  team: Team,
  type: ElementType,
  clamped: boolean,
  sizes: readonly number[],
  into: Into | undefined,
): PartPlaces | IntoRefusal {
  if (isList(into)) {
    const arrays: TypedArray[] = [];
    for (const [peer, bytes] of sizes.entries()) {
      const array = resultArray(team, type, clamped, bytes, into[peer], `into[${peer}]`);
      if (array instanceof IntoRefusal) return array;
      arrays.push(array);
    }
    return { arrays, starts: sizes.map(() => 0), result: arrays };
  }
  const starts: number[] = [];
  let all = 0;
  for (const bytes of sizes) {
    starts.push(all);
    all += bytes;
  }
  const result = resultArray(team, type, clamped, all, into);
  return result instanceof IntoRefusal ? result : { arrays: sizes.map(() => result), starts, result };
}

/** The parts as views. */
export function viewsOf({ arrays, starts, result }: PartPlaces, sizes: readonly number[]): TypedArray[] {
  if (Array.isArray(result)) return result;
  return arrays.map((array, i) => {
    const start = starts[i] / array.BYTES_PER_ELEMENT;
    return array.subarray(start, start + sizes[i] / array.BYTES_PER_ELEMENT) as TypedArray;
  });
}

/** A copy of what was packed, at the PE itself; of an array, in `into`. */
export function unpacked(team: Team, x: Packed, into?: TypedArray | undefined): Value | IntoRefusal {
  const { kind, content } = x;
  if (kind === "value") return deserialize(content as Uint8Array);
  if (kind === "number" || kind === "bigint") return content[0];
  const result = resultArray(team, kind, isClamped(content), content.byteLength, into);
  if (result instanceof IntoRefusal) return result;
  copyOwn(team, x, 0, content.byteLength, result, 0);
  return result;
}
