/**
 * Values: what gather, scatter and alltoall show each other: bytes of a kind, in place or staged whole.
 *
 * A number is an f64, a bigint an i64; a value is serialised as for postMessage (v8.serialize).
 */
import { deserialize, serialize } from "node:v8";
import { UsageError } from "../../base/errors.ts";
import { elementTypeOf, type TypedArray } from "../../memory/kernels/elements.ts";
import { type Kind, kindCode, kindOf } from "../team/call-words.ts";
import type { Payload } from "../team/payload.ts";
import type { Team } from "../team/team.ts";

/** What collectives that move whole values take. */
export type Value = unknown;

/** The kind of a value; arrays by their elements. */
export function kindOfValue(x: Value): Exclude<Kind, ""> {
  if (typeof x === "number") return "number";
  if (typeof x === "bigint") return "bigint";
  return isTypedArray(x) ? elementTypeOf(x) : "value";
}

/** Whether x is a typed array (a DataView is not: it is a value). */
export function isTypedArray(x: Value): x is TypedArray {
  return ArrayBuffer.isView(x) && !(x instanceof DataView);
}

/** The 64 bits of a bigint. @throws UsageError beyond them */
export function checkBigint(x: bigint): bigint {
  if (BigInt.asIntN(64, x) !== x) {
    throw new UsageError(`Expected a bigint of 64 bits (-2^63 to 2^63 - 1), got ${x}.`);
  }
  return x;
}

/**
 * Passes for what has a part for each PE: an array that can be cut into equal parts, or a list.
 * @param expected how the message begins
 */
export function checkParts(expected: string, x: Value, size: number): void {
  const length = isTypedArray(x) || Array.isArray(x) ? x.length : -1;
  if (Array.isArray(x) ? length === size : length >= 0 && length % size === 0) return;
  throw new UsageError(
    `${expected} a typed array whose length is a multiple of ${size}, or a list of ${size} values; ` +
      `got ${length < 0 ? typeof x : `a length of ${length}`}`,
  );
}

/** Something made ready to be shown, before anybody is told of the call. */
export interface Packed {
  readonly kind: Exclude<Kind, "">;
  /** The array itself, or the bytes of anything else. */
  readonly content: TypedArray;
}

/**
 * Makes x ready to be shown.
 * @throws UsageError for what cannot be cloned, bigints of more than 64 bits, and arrays without memory
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

/** One value, ready to be read. */
export interface ExposedValue {
  readonly address: number;
  readonly bytes: number;
  /** The kind's number, and {@link CLAMPED}. */
  readonly extra: number;
}

/** Beside the number of u8: the array is a Uint8ClampedArray, which is the same to a reduction only. */
const CLAMPED = 256;

const isClamped = (x: Value): boolean => (x as TypedArray)[Symbol.toStringTag] === "Uint8ClampedArray";

const extraOf = ({ kind, content }: Packed): number => kindCode(kind) | (isClamped(content) ? CLAMPED : 0);

const contentBytes = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Puts it where others can read it: in place when it lies in the heap, else in the staging buffer. */
export function wrap({ payload, staging, heap }: Team, packed: Packed): ExposedValue {
  const { content } = packed;
  const extra = extraOf(packed);
  if (payload.isShared(content)) return { address: content.byteOffset, bytes: content.byteLength, extra };
  const address = staging.whole(content.byteLength);
  heap.u8.set(contentBytes(content), address);
  return { address, bytes: content.byteLength, extra };
}

/** Several values one after the other behind a table of where each begins; see {@link unwrapOne}. */
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

/** What a PE shows in a phase of the board. */
export const shownBy = ({ board }: Team, peer: number, phase: number): ExposedValue => ({
  address: board.address(peer, phase),
  bytes: board.bytes(peer, phase),
  extra: board.extra(peer, phase),
});

/** Marks a list of values among the kinds that one can be. */
export const LIST = -1;

/** Table entry of {@link wrapMany}: start, bytes and extra, u32 each. */
const ENTRY_BYTES = 12;

/** What is in the value number `index` of those that {@link wrapMany} put at `address`. */
function unwrapOne(team: Team, address: number, index: number): Value {
  const [start, bytes, extra] = new Uint32Array(team.heap.buffer, address + index * ENTRY_BYTES, 3);
  return unwrap(team, { address: address + start, bytes, extra });
}

/** What is in this PE's part of a value: of an array one of equal parts, of a list one entry. */
export function partOf(team: Team, { address, bytes, extra }: ExposedValue): Value {
  const { rank, size } = team;
  if (extra === LIST) return unwrapOne(team, address, rank);
  return unwrap(team, { address: address + (bytes / size) * rank, bytes: bytes / size, extra });
}

/** What is in a value: a copy of the reader's own. */
export function unwrap({ payload, heap }: Team, { address, bytes, extra }: ExposedValue): Value {
  const kind = kindOf(extra & ~CLAMPED);
  if (kind === "number") return heap.f64[address / 8];
  if (kind === "bigint") return new BigInt64Array(heap.buffer, address, 1)[0];
  if (kind !== "value" && kind !== "") {
    const copy = payload.take(kind, address, bytes);
    return extra & CLAMPED ? new Uint8ClampedArray(copy.buffer) : copy;
  }
  // v8 reads no shared memory, so it gets a copy
  return deserialize(heap.u8.slice(address, address + bytes));
}

/**
 * Joins the parts of all PEs: typed arrays of one kind are concatenated, anything else is listed. Where
 * some of the arrays are clamped and others are not, the whole is not.
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
