/**
 * Packed values: what a PE gives to gather, scatter and alltoall, made ready to go from node to node, with others in a list.
 *
 *     [kind, clamped, content]   content: the bytes of the elements, or of what is no array
 */
import { deserialize, serialize } from "node:v8";
import { ARRAYS } from "../../memory/kernels/elements.ts";
import { type Packed, pack, type Value } from "../node/exposed-values.ts";
import type { ValueKind } from "../team/call-words.ts";
import type { Routine } from "../team/operation.ts";
import type { Payload } from "../team/payload.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { receiveCopy, sendCopy } from "./message-routines.ts";

/** A value with what it was. */
export type PackedValue = readonly [kind: ValueKind, clamped: boolean, content: Uint8Array];

/** Packs any value that can be cloned. */
export const packed = (payload: Payload, x: Value): PackedValue => copied(pack(payload, x));

/** Packs what node/exposed-values.ts has made ready to be shown. */
export function copied({ kind, content }: Packed): PackedValue {
  const clamped = content[Symbol.toStringTag] === "Uint8ClampedArray";
  const { buffer, byteOffset, byteLength } = content;
  // a copy: v8 writes no shared memory, and the user may go on
  return [kind, clamped, new Uint8Array(buffer, byteOffset, byteLength).slice()];
}

/** What was packed: a copy of the reader's own. */
export function unpack([kind, clamped, content]: PackedValue): Value {
  if (kind === "value") return deserialize(content);
  // elements begin where their size divides it
  const { buffer } = content.slice();
  if (kind === "number") return new Float64Array(buffer)[0];
  if (kind === "bigint") return new BigInt64Array(buffer)[0];
  if (clamped) return new Uint8ClampedArray(buffer);
  return new (ARRAYS[kind] as unknown as new (bytes: ArrayBufferLike) => Value)(buffer);
}

/** A packed value for each PE: equal parts of an array, or the entries of a list. */
export function packedParts(payload: Payload, x: Value, size: number): PackedValue[] {
  // unlike map(), from() counts a hole in a list as undefined
  if (Array.isArray(x)) return Array.from(x, (part: Value) => packed(payload, part));
  const [kind, clamped, content] = packed(payload, x);
  const bytes = content.length / size;
  return Array.from({ length: size }, (_, rank) => [
    kind,
    clamped,
    content.subarray(rank * bytes, (rank + 1) * bytes),
  ]);
}

/** Sends anything that can be cloned. */
export function* sendValue(hierarchy: Hierarchy, to: number, x: Value): Routine<void> {
  yield* sendCopy(hierarchy, to, serialize(x));
}

/** What {@link sendValue} sent at another PE. */
export function* receiveValue<T>(hierarchy: Hierarchy, from: number): Routine<T> {
  return deserialize(yield* receiveCopy(hierarchy, from)) as T;
}
