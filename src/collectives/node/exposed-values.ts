/**
 * Values that gather, scatter and alltoall expose to other PEs: bytes of a kind, in place or copied whole to the
 * staging memory.
 *
 * A number is an f64, a bigint an i64; any other value is serialised as for postMessage (v8.serialize).
 */
import { deserialize, serialize } from "node:v8";
import { UsageError } from "../../base/errors.ts";
import { elementTypeOf, type TypedArray } from "../../memory/kernels/elements.ts";
import { kindCode, kindOf, type ValueKind } from "../team/call-words.ts";
import type { Payload } from "../team/payload.ts";
import type { Team } from "../team/team.ts";

/** Any value that a collective can move. */
export type Value = unknown;

/** The kind of a value; for arrays, their element type. */
export function kindOfValue(x: Value): ValueKind {
  if (typeof x === "number") return "number";
  if (typeof x === "bigint") return "bigint";
  return isTypedArray(x) ? elementTypeOf(x) : "value";
}

/** Whether x is a typed array (a DataView is not: it is a value). */
export function isTypedArray(x: Value): x is TypedArray {
  return ArrayBuffer.isView(x) && !(x instanceof DataView);
}

/** Checks that a bigint has 64 bits. @throws UsageError otherwise */
export function checkBigint(x: bigint): bigint {
  if (BigInt.asIntN(64, x) !== x) {
    throw new UsageError(`Expected a bigint of 64 bits (-2^63 to 2^63 - 1), got ${x}.`);
  }
  return x;
}

/**
 * Checks that x has a part for each PE: an array that can be divided into equal parts, or a list.
 * @param expected the beginning of the message
 */
export function checkParts(expected: string, x: Value, size: number): void {
  const length = isTypedArray(x) || Array.isArray(x) ? x.length : -1;
  if (Array.isArray(x) ? length === size : length >= 0 && length % size === 0) return;
  throw new UsageError(
    `${expected} a typed array whose length is a multiple of ${size}, or a list of ${size} values; ` +
      `got ${length < 0 ? typeof x : `a length of ${length}`}`,
  );
}

/** A value prepared to be exposed, before any other PE is affected by the call. */
export interface Packed {
  readonly kind: ValueKind;
  /** The array itself, or the serialised bytes. */
  readonly content: TypedArray;
}

/**
 * Prepares x to be exposed.
 * @throws UsageError for values that cannot be cloned, bigints of more than 64 bits, and detached arrays
 */
export function pack(payload: Payload, x: Value): Packed {
  const kind = kindOfValue(x);
  if (kind === "number") return { kind, content: Float64Array.of(x as number) };
  if (kind === "bigint") return { kind, content: BigInt64Array.of(checkBigint(x as bigint)) };
  if (kind === "value") return { kind, content: serializeValue(x) };
  payload.check(x as TypedArray);
  return { kind, content: x as TypedArray };
}

function serializeValue(x: Value): Uint8Array {
  try {
    return serialize(x);
  } catch (cause) {
    throw new UsageError(
      `Expected a value that can be cloned, as for postMessage: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** An exposed value that other PEs can read. */
export interface ExposedValue {
  readonly address: number;
  readonly bytes: number;
  /** The number of the kind, and {@link CLAMPED}. */
  readonly extra: number;
}

/** Added to the number of u8: the array is a Uint8ClampedArray, which only a reduction treats as u8. */
const CLAMPED = 256;

const isClamped = (x: Value): boolean => (x as TypedArray)[Symbol.toStringTag] === "Uint8ClampedArray";

const extraOf = ({ kind, content }: Packed): number => kindCode(kind) | (isClamped(content) ? CLAMPED : 0);

const contentBytes = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Stores it where other PEs can read it: in place if it is in the heap, else in the staging buffer. */
export function wrap({ payload, staging, heap }: Team, packed: Packed): ExposedValue {
  const { content } = packed;
  const extra = extraOf(packed);
  if (payload.isShared(content)) return { address: content.byteOffset, bytes: content.byteLength, extra };
  const address = staging.whole(content.byteLength);
  heap.u8.set(contentBytes(content), address);
  return { address, bytes: content.byteLength, extra };
}

/** Stores several values one after another behind a table of their offsets; see {@link unwrapOne}. */
function wrapMany({ staging, heap }: Team, parts: readonly Packed[]): ExposedValue {
  let bytes = Math.ceil((parts.length * ENTRY_BYTES) / 8) * 8;
  const starts = parts.map(({ content }) => {
    const start = bytes;
    bytes += Math.ceil(content.byteLength / 8) * 8;
    return start;
  });
  const address = staging.whole(bytes);
  const table = new Uint32Array(heap.buffer, address, (parts.length * ENTRY_BYTES) / 4);
  parts.forEach((part, i) => {
    table.set([starts[i], part.content.byteLength, extraOf(part)], i * 3);
    heap.u8.set(contentBytes(part.content), address + starts[i]);
  });
  return { address, bytes, extra: LIST };
}

/** As {@link wrap}, or {@link wrapMany} for a list. */
export const wrapAny = (team: Team, x: Packed | readonly Packed[]): ExposedValue =>
  "kind" in x ? wrap(team, x) : wrapMany(team, x);

/** The value that a PE shows on the board in a phase. */
export const shownBy = ({ board }: Team, peer: number, phase: number): ExposedValue => ({
  address: board.address(peer, phase),
  bytes: board.bytes(peer, phase),
  extra: board.extra(peer, phase),
});

/** The number of a list of values, in place of a kind. */
export const LIST = -1;

/** Table entry of {@link wrapMany}: start, bytes and extra, u32 each. */
const ENTRY_BYTES = 12;

/** The value number `index` of those that {@link wrapMany} stored at `address`. */
function unwrapOne(team: Team, address: number, index: number): Value {
  const [start, bytes, extra] = new Uint32Array(team.heap.buffer, address + index * ENTRY_BYTES, 3);
  return unwrap(team, { address: address + start, bytes, extra });
}

/** This PE's part of a value: one of equal parts of an array, or one entry of a list. */
export function partOf(team: Team, { address, bytes, extra }: ExposedValue): Value {
  const { rank, size } = team;
  if (extra === LIST) return unwrapOne(team, address, rank);
  return unwrap(team, { address: address + (bytes / size) * rank, bytes: bytes / size, extra });
}

/** A copy of a value for the reader. */
export function unwrap({ payload, heap }: Team, { address, bytes, extra }: ExposedValue): Value {
  const kind = kindOf(extra & ~CLAMPED);
  if (kind === "number") return heap.f64[address / 8];
  if (kind === "bigint") return new BigInt64Array(heap.buffer, address, 1)[0];
  if (kind !== "value" && kind !== "" && kind !== "pair") {
    const copy = payload.take(kind, address, bytes);
    return extra & CLAMPED ? new Uint8ClampedArray(copy.buffer) : copy;
  }
  // v8 cannot read shared memory, so it gets a copy
  return deserialize(heap.u8.slice(address, address + bytes));
}

/**
 * Joins the parts of all PEs: typed arrays of one kind are concatenated, others are listed. If only some of the arrays
 * are clamped, the result is not.
 */
export function join({ payload }: Team, parts: readonly Value[]): Value {
  if (!parts.every(isTypedArray)) return parts;
  const type = elementTypeOf(parts[0] as TypedArray);
  const arrays = parts as TypedArray[];
  const whole = payload.make(
    type,
    arrays.reduce((sum, { byteLength }) => sum + byteLength, 0),
  ) as Float64Array;
  let at = 0;
  for (const array of arrays) {
    whole.set(array as Float64Array, at);
    at += array.length;
  }
  return arrays.every(isClamped) ? new Uint8ClampedArray(whole.buffer) : whole;
}
