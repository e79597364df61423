/**
 * Values that gather, scatter and alltoall expose to other PEs: bytes of a kind. Short ones are copied to a buffer
 * (team/eager-board.ts); long ones are exposed in place if they are in the heap, else copied whole to the staging
 * memory.
 *
 * A number is an f64, a bigint an i64; any other value is serialised as for postMessage (v8.serialize).
 */

import { UsageError } from "../../ground/base/errors.ts";
import { deserialize, serialize } from "../../ground/base/objects/serialized.ts";
import { copyIn } from "../../ground/memory/heap-copy.ts";
import {
  type ElementType,
  elementTypeOf,
  isTypedArray,
  type TypedArray,
} from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { kindCode, kindOf, type PlainKind } from "../team/call-words.ts";
import { isRendezvous } from "../team/eager-board.ts";
import type { Payload } from "../team/payload.ts";
import type { Team } from "../team/team.ts";

/** Any value that a collective can move. */
export type Value = unknown;

/** The kind of a value; for arrays, their element type. */
export function kindOfValue(x: Value): PlainKind {
  if (typeof x === "number") return "number";
  if (typeof x === "bigint") return "bigint";
  return isTypedArray(x) ? elementTypeOf(x) : "value";
}

/** Checks that a bigint has 64 bits. @throws UsageError otherwise */
export function checkBigint(x: bigint): bigint {
  if (BigInt.asIntN(64, x) !== x) {
    throw new UsageError(`Expected a bigint of 64 bits (-2^63 to 2^63 - 1), got ${x}.`);
  }
  return x;
}

/** Checks that x has a part for each PE: a divisible array, or a list. @param expected the beginning of the message */
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
  readonly kind: PlainKind;
  /** The array itself, or the serialised bytes. */
  readonly content: TypedArray;
  /** Its byte offset in the heap; -1 if it is not there. */
  readonly address: number;
  /** The EXTRA of its header. */
  readonly extra: number;
}

/** Prepares x to be exposed. @throws UsageError for uncloneable values, bigints over 64 bits, and detached arrays */
export function pack(payload: Payload, x: Value): Packed {
  const kind = kindOfValue(x);
  const extra = kindCode(kind);
  if (kind === "number") return { kind, content: Float64Array.of(x as number), address: -1, extra };
  if (kind === "bigint") return { kind, content: BigInt64Array.of(checkBigint(x as bigint)), address: -1, extra };
  if (kind === "value") return { kind, content: serializeValue(x), address: -1, extra };
  const content = x as TypedArray;
  payload.check(content);
  const address = payload.isShared(content) ? content.byteOffset : -1;
  return { kind, content, address, extra: isClamped(content) ? extra | CLAMPED : extra };
}

function serializeValue(x: Value): Uint8Array {
  try {
    return serialize(x);
  } catch (cause) {
    throw new UsageError(`Expected a value that can be cloned, as for postMessage: ${(cause as Error).message}`, {
      cause,
    });
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

export const isClamped = (x: Value): boolean => (x as TypedArray)[Symbol.toStringTag] === "Uint8ClampedArray";

export const contentBytes = ({ buffer, byteOffset, byteLength }: TypedArray): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** A part of an array, which may have more bytes than a Uint8Array of Node 20. */
export const partBytes = ({ buffer, byteOffset }: TypedArray, start: number, bytes: number): Uint8Array =>
  new Uint8Array(buffer, byteOffset + start, bytes);

/** Copies what was packed to byte `at` of the heap. */
function store({ payload }: Team, { content, address }: Packed, at: number): void {
  const { byteLength } = content;
  if (address >= 0) payload.copy(at, address, byteLength);
  else payload.put(content, elementTypeOf(content), 0, byteLength, at);
}

/** Puts it where other PEs can read it: short in this PE's slot, long in place or in the staging memory. */
export function exposeWhole(team: Team, packed: Packed): ExposedValue {
  const { content, extra } = packed;
  const bytes = content.byteLength;
  const isLong = isRendezvous(bytes);
  if (isLong && packed.address >= 0) return { address: packed.address, bytes, extra };
  const address = isLong ? team.staging.whole(bytes) : team.eager.headers.buffer(bytes);
  store(team, packed, address);
  return { address, bytes, extra };
}

/** As {@link exposeWhole}, of an array with equal parts for all: this PE's own need not be staged. */
export function exposeParts(team: Team, packed: Packed): ExposedValue {
  const { staging, heap, rank, size } = team;
  const { content, extra } = packed;
  if (!isRendezvous(content.byteLength) || packed.address >= 0) return exposeWhole(team, packed);
  const bytes = contentBytes(content);
  const address = staging.whole(bytes.length);
  const part = bytes.length / size;
  copyIn(heap.u8, bytes.subarray(0, rank * part), address);
  copyIn(heap.u8, bytes.subarray((rank + 1) * part), address + (rank + 1) * part);
  return { address, bytes: bytes.length, extra };
}

/**
 * A value for each PE, where they can read it: a table says where each is, and how many bytes. Behind it lie those that
 * are not in the heap; if it is short, all but this PE's own.
 */
export function exposeMany(team: Team, parts: readonly Packed[]): ExposedValue {
  const { staging, eager, heap, rank } = team;
  const table = Math.ceil((parts.length * ENTRY_BYTES) / 8) * 8;
  const room = ({ content }: Packed): number => Math.ceil(content.byteLength / 8) * 8;
  let bytes = table;
  let staged = table;
  for (let to = 0; to < parts.length; to++) {
    if (to === rank) continue;
    bytes += room(parts[to]);
    if (parts[to].address < 0) staged += room(parts[to]);
  }
  const isLong = isRendezvous(bytes);
  const address = isLong ? staging.whole(staged) : eager.headers.buffer(bytes);
  // a view of shared memory would take as long to make as all the rest
  const { i32 } = heap;
  let next = address + table;
  for (let to = 0; to < parts.length; to++) {
    const part = parts[to];
    const { content } = part;
    const isStored = to !== rank && !(isLong && part.address >= 0);
    const at = isStored ? next : content.byteOffset;
    const entry = (address + to * ENTRY_BYTES) / 4;
    i32[entry] = at;
    i32[entry + 1] = content.byteLength;
    i32[entry + 2] = part.extra;
    if (!isStored) continue;
    store(team, part, at);
    next += room(part);
  }
  return { address, bytes, extra: LIST };
}

/** The value that a PE shows in this call. */
export const shownBy = ({ eager }: Team, peer: number): ExposedValue => ({
  address: eager.address(peer),
  bytes: eager.bytes(peer),
  extra: eager.extra(peer),
});

/** The number of a list of values, in place of a kind. */
export const LIST = -1;

/** Table entry of {@link wrapMany}: address, bytes and extra, u32 each. */
const ENTRY_BYTES = 12;

/** This PE's part of what another shows: one of equal parts of an array, or one entry of a list. */
export function partOf({ heap, rank, size }: Team, { address, bytes, extra }: ExposedValue): ExposedValue {
  if (extra !== LIST) return { address: address + (bytes / size) * rank, bytes: bytes / size, extra };
  const { i32 } = heap;
  const entry = (address + rank * ENTRY_BYTES) / 4;
  return { address: i32[entry] >>> 0, bytes: i32[entry + 1] >>> 0, extra: i32[entry + 2] };
}

/** The type of the elements that are shown, by the EXTRA of their header; null for what is no array. */
export function arrayTypeOf(extra: number): ElementType | null {
  const kind = extra === LIST ? "" : kindOf(extra & ~CLAMPED);
  return kind === "" || kind === "number" || kind === "bigint" || kind === "value" || kind === "pair" ? null : kind;
}

/** Whether a Uint8ClampedArray is shown. */
export const isClampedShown = (extra: number): boolean => (extra & CLAMPED) !== 0;

/** Whether two values are of one kind. */
export const isSameKind = (extra: number, other: number): boolean => ((extra ^ other) & ~CLAMPED) === 0;

/** A copy of a value for the reader. */
export function unwrap({ payload, heap }: Team, { address, bytes, extra }: ExposedValue): Value {
  const type = arrayTypeOf(extra);
  if (type !== null) {
    const copy = payload.take(type, address, bytes);
    return extra & CLAMPED ? new Uint8ClampedArray(copy.buffer) : copy;
  }
  const kind = kindOf(extra);
  if (kind === "number") return heap.f64[address / 8];
  if (kind === "bigint") return new BigInt64Array(heap.buffer, address, 1)[0];
  // v8 cannot read shared memory, so it gets a copy
  return deserialize(heap.u8.slice(address, address + bytes));
}

/**
 * This PE has read all it needs: those that have shown it something long may go on.
 * @param longest in bytes @param to as in Board.next
 */
export function haveRead({ board }: Team, tag: number, longest: number, to = -1): void {
  if (isRendezvous(longest)) board.next(tag, to);
  else board.skip();
}

/**
 * The end of a call in which all PEs have read from all. @param longest bytes of the longest message of them all
 * @returns until the others have read this PE's, if that is long; else null
 */
export function allRead(team: Team, tag: number, longest: number): Task<void> | null {
  haveRead(team, tag, longest);
  return isRendezvous(team.eager.bytes(team.rank)) ? untilAllRead(team) : null;
}

function* untilAllRead({ board, rank, size }: Team): Task<void> {
  for (let peer = 0; peer < size; peer++) {
    if (peer === rank) continue;
    const read = board.reached(peer, board.phase);
    if (!read.ready()) yield read;
  }
}
