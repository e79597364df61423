/**
 * Keys: how they are written, compared and hashed. Of each kind of key one codec.
 *
 *     whole numbers of up to 32 bits  i32 or u32, whatever their width
 *     f32, f64                        f64: -0 is 0, and there is one NaN
 *     all others                      bytes: hash u32, length u32, the bytes, up to the next multiple of 4
 *
 * The bytes of text are those of utf8.ts, of JavaScript values those of structural.ts; a struct is laid out as an item
 * is, with zeros between its fields, without -0.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { type ItemType, roundUp, type Scalar } from "../../../ground/item/item-type.ts";
import { viewsOf } from "../../../ground/item/views.ts";
import type { KeyReader } from "../tables/table.ts";
import { type ContentCodec, codecOf, pad } from "./codec.ts";
import type { Content } from "./content.ts";
import { Cursor, type Scratch } from "./cursor.ts";
import { mixBytes, mixInteger, mixPair } from "./hash.ts";
import { fromStructural, structuralText } from "./structural.ts";
import { MOST_BYTES, readText, writeText } from "./utf8.ts";

/** Keys that are numbers in tables. */
export interface NumberKeyCodec {
  readonly form: "number";
  /** Words that it takes behind the head of an operation. */
  readonly words: number;
  /** Of whole numbers of up to 32 bits, which of them. */
  readonly range: WholeRange | null;
  /** Writes a key, and goes behind it. @param what for messages @returns its hash @throws UsageError */
  write(to: Scratch, what: string, key: unknown): number;
  /** Reads one, and goes behind it. */
  read(from: Cursor): number;
  hash(key: number): number;
}

/** Keys that are strings of bytes in tables. */
export interface BytesKeyCodec {
  readonly form: "bytes";
  write(to: Scratch, what: string, key: unknown): number;
  /** Keys that are text, or written as text: that of a key. @throws UsageError */
  readonly textOf?: (what: string, key: unknown) => string;
  /** The key of its bytes. */
  readonly keyOf: KeyReader<unknown>;
}

export type KeyCodec = NumberKeyCodec | BytesKeyCodec;

/** The codec of the keys of a content. */
export function keyCodecOf(content: Content): KeyCodec {
  if (content.kind === "text") return textKeys;
  if (content.kind === "value") return structuralKeys;
  if (content.kind !== "scalar" || content.bytes === 8) {
    return content.kind === "scalar" && content.name === "f64" ? floatKeys((key) => key) : itemKeys(content);
  }
  return content.name === "f32" ? floatKeys(Math.fround) : wholeKeys(content);
}

const refuse = (what: string, expected: string, key: unknown): never => {
  throw new UsageError(`${what}: expected ${expected} as the key, got ${shortText(key)}`);
};

/** The whole numbers of a type of up to 32 bits. */
export class WholeRange {
  readonly isSigned: boolean;
  readonly #name: string;
  readonly #least: number;
  readonly #most: number;

  constructor({ name, bytes }: Scalar) {
    this.isSigned = name.startsWith("i");
    this.#name = name;
    this.#most = 2 ** (8 * bytes - (this.isSigned ? 1 : 0)) - 1;
    this.#least = this.isSigned ? -this.#most - 1 : 0;
  }

  /** @param what for messages @returns a key, 0 for -0 @throws UsageError for what is none of them */
  check(what: string, key: unknown): number {
    const whole = this.isSigned ? (key as number) | 0 : (key as number) >>> 0;
    if (whole === key && whole >= this.#least && whole <= this.#most) return whole;
    return refuse(what, `a whole number from ${this.#least} to ${this.#most} (${this.#name})`, key);
  }
}

/** Whole numbers of up to 32 bits. */
function wholeKeys(type: Scalar): NumberKeyCodec {
  const range = new WholeRange(type);
  const { isSigned } = range;
  return {
    form: "number",
    words: 1,
    range,
    write(to, what, key) {
      const whole = range.check(what, key);
      const at = to.align(4);
      to.views.i32[at >>> 2] = whole;
      to.at = at + 4;
      return mixInteger(whole);
    },
    read(from) {
      const at = from.align(4);
      from.at = at + 4;
      return isSigned ? (from.views.i32[at >>> 2] as number) : (from.views.u32[at >>> 2] as number);
    },
    hash: mixInteger,
  };
}

const number = viewsOf(new ArrayBuffer(8));

function hashNumber(key: number): number {
  number.f64[0] = key;
  return mixPair(number.i32[0] as number, number.i32[1] as number);
}

/** @param round to the precision of the type */
const floatKeys = (round: (key: number) => number): NumberKeyCodec => ({
  form: "number",
  words: 3,
  range: null,
  write(to, what, key) {
    if (typeof key !== "number") return refuse(what, "a number", key);
    // 0 for -0, and one NaN of all
    const one = Number.isNaN(key) ? Number.NaN : round(key) + 0;
    const at = to.align(8);
    to.views.f64[at >>> 3] = one;
    to.at = at + 8;
    return hashNumber(one);
  },
  read(from) {
    const at = from.align(8);
    from.at = at + 8;
    return from.views.f64[at >>> 3] as number;
  },
  hash: hashNumber,
});

/** Leaves room for a hash and a length. @returns where the bytes begin */
const begin = (to: Scratch): number => to.align(8) + 8;

/** Writes the hash and the length before bytes that were written. @returns the hash */
function end(to: Scratch, at: number, length: number): number {
  const { u8, u32 } = to.views;
  pad(u8, at + length);
  const hash = mixBytes(u32, at, length);
  u32[(at >>> 2) - 2] = hash;
  u32[(at >>> 2) - 1] = length;
  to.at = (at + length + 3) & -4;
  return hash;
}

/** Writes a key that is text, or the text of one. @returns its hash */
export function writeTextKey(to: Scratch, key: string): number {
  to.reserve(MOST_BYTES * key.length + 16);
  const at = begin(to);
  return end(to, at, writeText(key, to.views.u8, at));
}

const textOf = (what: string, key: unknown): string => (typeof key === "string" ? key : refuse(what, "a string", key));

const textKeys: BytesKeyCodec = {
  form: "bytes",
  write: (to, what, key) => writeTextKey(to, textOf(what, key)),
  textOf,
  keyOf: readText,
};

const structuralKeys: BytesKeyCodec = {
  form: "bytes",
  write: (to, what, key) => writeTextKey(to, structuralText(what, key)),
  textOf: structuralText,
  keyOf: (u8, at, length) => fromStructural(readText(u8, at, length)),
};

/** Items: structs, strings of bytes, bigints. */
function itemKeys(item: ItemType): BytesKeyCodec {
  const codec: ContentCodec = codecOf(item);
  const floats = numbersIn(item).filter(isFloat);
  const wholes = numbersIn(item).filter((one) => !isFloat(one));
  return {
    form: "bytes",
    write(to, what, key) {
      to.reserve(item.bytes + 16);
      const at = begin(to);
      to.views.u8.fill(0, at, at + item.bytes);
      to.at = at;
      codec.write(to, what, key);
      for (const { type, place } of floats) normalise(to.views[type.name as "f64"], at + place);
      for (const { type, place, path } of wholes) {
        const given = path.reduce((x, name) => (x as Record<string, unknown>)[name], key);
        if (to.views[type.name][(at + place) / type.bytes] !== given) refuseNumber(what, type, path, given);
      }
      return end(to, at, item.bytes);
    },
    keyOf(u8, at) {
      // aligned, as it is not in a table
      const bytes = new Uint8Array(roundUp(item.bytes, 8));
      bytes.set(u8.subarray(at, at + item.bytes));
      return codec.read(new Cursor(viewsOf(bytes.buffer)));
    },
  };
}

/** A number in an item: where it is written, and the names of the fields that lead to it. */
interface Leaf {
  readonly type: Scalar;
  readonly place: number;
  readonly path: readonly string[];
}

function numbersIn(type: ItemType, place = 0, path: readonly string[] = []): Leaf[] {
  if (type.kind === "scalar") return [{ type, place, path }];
  if (type.kind === "bytes") return [];
  return type.fields.flatMap((field) => numbersIn(field.type, place + field.offset, [...path, field.name]));
}

const isFloat = ({ type }: Leaf): boolean => type.name === "f32" || type.name === "f64";

function refuseNumber(what: string, { name, bytes }: Scalar, path: readonly string[], given: unknown): never {
  const isSigned = name.startsWith("i");
  const most = 2n ** BigInt(8 * bytes - (isSigned ? 1 : 0)) - 1n;
  const kind = bytes === 8 ? "bigint" : "whole number";
  const as = path.length === 0 ? "the key" : `${path.join(".")} of the key`;
  throw new UsageError(
    `${what}: expected a ${kind} from ${isSigned ? -most - 1n : 0} to ${most} (${name}) as ${as}, got ${shortText(given)}`,
  );
}

/** Writes 0 for -0, and one NaN of all. */
function normalise(array: Float32Array | Float64Array, place: number): void {
  const i = place / array.BYTES_PER_ELEMENT;
  const x = array[i] as number;
  array[i] = Number.isNaN(x) ? Number.NaN : x + 0;
}
