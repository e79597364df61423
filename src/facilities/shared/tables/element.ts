/** Keys and values of shared maps, as programs have them and as they are in memory. */
import { UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { type ColumnArray, columnKind, lanesOf } from "../../../ground/item/columns.ts";
import {
  type Bytes,
  describeItem,
  type ItemType,
  type ItemValue,
  isItemType,
  roundUp,
  type Scalar,
  type Struct,
} from "../../../ground/item/item-type.ts";
import { ARRAYS } from "../../../ground/memory/kernels/elements.ts";

/** A type of keys: a number, a bigint, or `bytes(n)`: texts of at most n bytes of UTF-8, n from 1 to 255. */
export type SharedKey = Scalar | Bytes;
/** A type of values. */
export type SharedValue = Scalar | Struct;
/** A key as programs have it. */
export type KeyOf<K> = K extends Bytes ? string : ItemValue<K>;

/** Moves a key or a value between the program and its place in the stage of a PE. */
export interface StageCodec<T> {
  /** @throws UsageError for what is none, or does not fit; nothing is changed then */
  write(x: T): void;
  read(): T;
}

export interface ValueCodec<T> extends StageCodec<T> {
  /** As `write`; what does not fit a whole number wraps. */
  wrap(x: T): void;
}

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  i8: [-(2 ** 7), 2 ** 7 - 1],
  u8: [0, 2 ** 8 - 1],
  i16: [-(2 ** 15), 2 ** 15 - 1],
  u16: [0, 2 ** 16 - 1],
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
};
const MOST_TEXT = 255;

/** Bytes of a key in an entry: a multiple of 4. @throws UsageError for what is no type of keys */
export function keyBytesOf(type: SharedKey, call: string): number {
  const isKey = isItemType(type) && (type.kind === "scalar" || (type.kind === "bytes" && type.bytes <= MOST_TEXT));
  if (!isKey) {
    throw new UsageError(
      `${call}: expected a type of keys: a number (u32, f64 …), a bigint (i64, u64), or bytes(n) for texts of at most n bytes, n <= ` +
        `${MOST_TEXT}; got ${isItemType(type) ? describeItem(type) : shortText(type)}`,
    );
  }
  return type.kind === "bytes" ? roundUp(type.bytes + 1, 4) : roundUp(type.bytes, 4);
}

/** The codec of keys. @param at byte offset of the key in the stage, a multiple of 4, and of 8 for wide ones */
export function keyCodec(type: SharedKey, buffer: ArrayBufferLike, at: number, call: string): StageCodec<never> {
  if (type.kind === "bytes") return textCodec(type.bytes, new Uint8Array(buffer, at, keyBytesOf(type, call))) as never;
  const { name } = type;
  const array = new ARRAYS[name](buffer as never, at, 1) as unknown as number[];
  // of a narrow key the bytes behind it are part of it
  new Uint8Array(buffer, at, roundUp(type.bytes, 4)).fill(0);
  const [least, most] = RANGES[name] ?? [];
  const wrong = (x: unknown) => new UsageError(`expected a key of type ${name}, got ${shortText(x)}`);
  if (least !== undefined && most !== undefined) {
    return {
      write(x: number) {
        if (!(x >= least && x <= most && Number.isInteger(x))) throw wrong(x);
        array[0] = x;
      },
      read: () => array[0],
    } as never;
  }
  const kind = name === "i64" || name === "u64" ? "bigint" : "number";
  return {
    write(x: number) {
      if (typeof x !== kind) throw wrong(x);
      // 0 and -0 are one key, as in a Map
      array[0] = kind === "number" ? x + 0 : x;
      if (kind === "bigint" && array[0] !== x) throw wrong(x);
    },
    read: () => array[0],
  } as never;
}

function textCodec(most: number, u8: Uint8Array): StageCodec<string> {
  return {
    write(x) {
      if (typeof x !== "string") throw new UsageError(`expected a text as key, got ${shortText(x)}`);
      let length = x.length;
      let at = 0;
      while (at < length && at < most) {
        const unit = x.charCodeAt(at);
        if (unit > 127) break;
        u8[++at] = unit;
      }
      if (at < length) {
        const bytes = Buffer.from(x);
        length = bytes.length;
        if (length > most) {
          throw new UsageError(
            `expected a text of at most ${most} bytes as key, got one of ${length}: ${shortText(x)}`,
          );
        }
        u8.set(bytes, 1);
      }
      u8[0] = length;
      for (let rest = length + 1; rest < u8.length; rest++) u8[rest] = 0;
    },
    read: () => Buffer.from(u8.slice(1, 1 + (u8[0] as number))).toString(),
  };
}

/** The codec of values. @param at byte offset of the value in the stage, a multiple of 8 */
export function valueCodec(type: SharedValue, buffer: ArrayBufferLike, at: number): ValueCodec<never> {
  const fields = lanesOf(type).map((lane) => {
    const { name, each } = columnKind(lane);
    const array = new ARRAYS[name](buffer as never, at + lane.offset, each) as ColumnArray;
    const kind = lane.type.kind === "bytes" ? "object" : name === "i64" || name === "u64" ? "bigint" : "number";
    const isWhole = kind !== "object" && name !== "f32" && name !== "f64";
    return { path: lane.path, array: array as unknown as number[] & Uint8Array, kind, isWhole };
  });
  const wrong = (path: readonly string[], x: unknown) => {
    const where = path.length === 0 ? "" : ` in ${path.join(".")}`;
    return new UsageError(`expected a value of type ${describeItem(type)}, got ${shortText(x)}${where}`);
  };
  const writeField = ({ path, array, kind, isWhole }: (typeof fields)[number], x: unknown, wraps: boolean) => {
    if (typeof x !== kind || x === null) throw wrong(path, x);
    if (kind === "object") array.set(x as Uint8Array);
    else array[0] = x as number;
    if (isWhole && !wraps && array[0] !== x) throw wrong(path, x);
  };
  const [only] = fields;
  if (type.kind !== "struct" && only !== undefined) {
    const { array } = only;
    const write = (x: unknown) => writeField(only, x, false);
    return { write, wrap: (x: unknown) => writeField(only, x, true), read: () => array[0] } as never;
  }
  let lane = 0;
  const readFields = (of: ItemType): unknown => {
    if (of.kind === "struct") return Object.fromEntries(of.fields.map((field) => [field.name, readFields(field.type)]));
    const { array, kind } = fields[lane++] as (typeof fields)[number];
    return kind === "object" ? Uint8Array.from(array) : array[0];
  };
  return {
    write(x: unknown) {
      for (const field of fields) {
        let found = x;
        for (const name of field.path) found = (found as Record<string, unknown> | null | undefined)?.[name];
        writeField(field, found, false);
      }
    },
    read() {
      lane = 0;
      return readFields(type);
    },
  } as never;
}
