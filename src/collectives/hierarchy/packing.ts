/**
 * Packed values: what a PE gives to gather, scatter and alltoall, made ready to go from node to node, with others in a
 * list.
 *
 *     [kind, clamped, content]   content: the bytes of the elements, or of what is no array
 */

import { deserialize, serialize } from "../../ground/base/objects/serialized.ts";
import { ARRAYS, type ElementType } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { type Packed, pack, partBytes, type Value } from "../node/exposed-values.ts";
import { type Into, type PartPlaces, placesFor, viewsOf } from "../node/result-array.ts";
import type { PlainKind } from "../team/call-words.ts";
import type { Payload } from "../team/payload.ts";
import { IntoRefusal } from "../team/refusals.ts";
import type { Team } from "../team/team.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { receiveCopy, sendCopy } from "./message-tasks.ts";

/** A value with what it was. */
export type PackedValue = readonly [kind: PlainKind, clamped: boolean, content: Uint8Array];

/** Packs any value that can be cloned. */
export const packed = (payload: Payload, x: Value): PackedValue => copied(pack(payload, x));

/** Packs what node/exposed-values.ts has made ready to be shown. */
export function copied({ kind, content }: Pick<Packed, "kind" | "content">): PackedValue {
  const clamped = content[Symbol.toStringTag] === "Uint8ClampedArray";
  const { buffer, byteOffset, byteLength } = content;
  // a copy: v8 writes no shared memory, and the user may go on
  return [kind, clamped, new Uint8Array(buffer, byteOffset, byteLength).slice()];
}

/** A packed value: a copy of the reader's own. */
export function unpack([kind, clamped, content]: PackedValue): Value {
  if (kind === "value") return deserialize(content);
  // elements begin where their size divides it
  const { buffer } = content.slice();
  if (kind === "number") return new Float64Array(buffer)[0];
  if (kind === "bigint") return new BigInt64Array(buffer)[0];
  if (clamped) return new Uint8ClampedArray(buffer);
  return new (ARRAYS[kind] as unknown as new (bytes: ArrayBufferLike) => Value)(buffer);
}

/** Packed values by rank: arrays of one type one after the other, in `into` or a new array; anything else as a list. */
export function joinPacked(team: Team, all: readonly PackedValue[], into: Into | undefined): Value | IntoRefusal {
  const [kind] = all[0];
  if (!isElementType(kind) || all.some((one) => one[0] !== kind)) return all.map(unpack);
  const places = place(team, kind, all, into);
  return places instanceof IntoRefusal ? places : places.result;
}

/** Arrays of one type that were packed, by rank, in the user's: one for all, in order, or one for each PE. */
export function placePacked(team: Team, all: readonly PackedValue[], into: Into): Value[] | IntoRefusal {
  const places = place(team, all[0][0] as ElementType, all, into);
  return places instanceof IntoRefusal ? places : viewsOf(places, sizesOf(all));
}

function place(
  team: Team,
  type: ElementType,
  all: readonly PackedValue[],
  into: Into | undefined,
): PartPlaces | IntoRefusal {
  const places = placesFor(team, type, all.every(isClamped), sizesOf(all), into);
  if (places instanceof IntoRefusal) return places;
  for (const [peer, [, , content]] of all.entries())
    partBytes(places.arrays[peer], places.starts[peer], content.byteLength).set(content);
  return places;
}

const sizesOf = (all: readonly PackedValue[]): number[] => all.map(([, , content]) => content.length);

const isClamped = ([, clamped]: PackedValue): boolean => clamped;
const isElementType = (kind: PlainKind): kind is ElementType => Object.hasOwn(ARRAYS, kind);

/** A packed value for each PE: equal parts of an array, or the entries of a list. */
export function packedParts(payload: Payload, x: Value, size: number): PackedValue[] {
  // unlike map(), from() counts a hole in a list as undefined
  if (Array.isArray(x)) return Array.from(x, (part: Value) => packed(payload, part));
  const [kind, clamped, content] = packed(payload, x);
  const bytes = content.length / size;
  return Array.from({ length: size }, (_, rank) => [kind, clamped, content.subarray(rank * bytes, (rank + 1) * bytes)]);
}

/** Sends anything that can be cloned. */
export function* sendValue(hierarchy: Hierarchy, to: number, x: Value): Task<void> {
  yield* sendCopy(hierarchy, to, serialize(x));
}

/** A value that {@link sendValue} sent at another PE. */
export function* receiveValue<T>(hierarchy: Hierarchy, from: number): Task<T> {
  return deserialize(yield* receiveCopy(hierarchy, from)) as T;
}
