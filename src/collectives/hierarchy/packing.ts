/**
 * Boxes: what a PE gives to gather, scatter and alltoall, made ready to go from node to node, with others in a list.
 *
 *     [kind, clamped, content]   content: the bytes of the elements, or of what is no array
 */
import { deserialize, serialize } from "node:v8";
import { ARRAYS } from "../../memory/kernels/elements.ts";
import { type Packed, pack, type Value } from "../node/exposed-values.ts";
import type { Kind } from "../team/call-words.ts";
import type { Routine } from "../team/operation.ts";
import type { Payload } from "../team/payload.ts";
import type { Hierarchy } from "./hierarchy.ts";

/** A value with what it was. */
export type Box = readonly [kind: Exclude<Kind, "">, clamped: boolean, content: Uint8Array];

/** Boxes what is ready to be shown. */
export function boxOf({ kind, content }: Packed): Box {
  const clamped = content[Symbol.toStringTag] === "Uint8ClampedArray";
  const { buffer, byteOffset, byteLength } = content;
  // a copy: v8 writes no shared memory, and the user may go on
  return [kind, clamped, new Uint8Array(buffer, byteOffset, byteLength).slice()];
}

/** What is in a box: a copy of the reader's own. */
export function unbox([kind, clamped, content]: Box): Value {
  if (kind === "value") return deserialize(content);
  // elements begin where their size divides it
  const { buffer } = content.slice();
  if (kind === "number") return new Float64Array(buffer)[0];
  if (kind === "bigint") return new BigInt64Array(buffer)[0];
  if (clamped) return new Uint8ClampedArray(buffer);
  return new (ARRAYS[kind] as unknown as new (bytes: ArrayBufferLike) => Value)(buffer);
}

/** A box for each PE: equal parts of an array, or the entries of a list. */
export function boxesOf(payload: Payload, x: Value, size: number): Box[] {
  // unlike map(), from() counts a hole in a list as undefined
  if (Array.isArray(x)) return Array.from(x, (part: Value) => boxOf(pack(payload, part)));
  const [kind, clamped, content] = boxOf(pack(payload, x));
  const bytes = content.length / size;
  return Array.from({ length: size }, (_, rank) => [
    kind,
    clamped,
    content.subarray(rank * bytes, (rank + 1) * bytes),
  ]);
}

/** Sends anything that can be cloned. */
export function* sendValue(hierarchy: Hierarchy, to: number, x: Value): Routine<void> {
  yield* hierarchy.sendCopy(to, serialize(x));
}

/** What {@link sendValue} sent at another PE. */
export function* receiveValue<T>(hierarchy: Hierarchy, from: number): Routine<T> {
  return deserialize(yield* hierarchy.content(yield* hierarchy.receive(from))) as T;
}
