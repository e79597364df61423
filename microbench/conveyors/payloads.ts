/**
 * The items that are streamed, of 8, 16, 32 and 128 bytes. Each contains its index among the items of its sender. The
 * receiver sums the content: all numbers, of 128 bytes the first 8.
 */
import type { Columns } from "../../src/conveyor.ts";
import { type Bytes, bytes, f64, type ItemType, type ItemValue, struct } from "../../src/index.ts";

/** Their sizes. */
export const SIZES = [8, 16, 32, 128] as const;
export type Size = (typeof SIZES)[number];

/** How items of one type are pushed and summed. */
export interface Payload<I extends ItemType = ItemType> {
  readonly item: I;
  /** Pushes item `i`. */
  push(c: Pushing, dest: number, i: number): boolean;
  /** Sends item `i` by the push of a run. */
  send(push: Send, dest: number, i: number): void;
  /** The value of an item in the sum. */
  worth(item: ItemValue<I>): number;
  /** Items 0 to `count` - 1. */
  columns(count: number): Columns<I>;
  /** The sum of `count` items. */
  worthAll(columns: Columns<I>, count: number): number;
  /** The value of item `i`. */
  expected(i: number): number;
}

/** A conveyor, whatever its items are. */
interface Pushing {
  push(dest: number, ...values: never[]): boolean;
}
type Send = (dest: number, ...values: never[]) => void;
/** One that takes these values. */
interface Taking<Values extends unknown[]> {
  push(dest: number, ...values: Values): boolean;
}

function numbers(count: number): Float64Array {
  const array = new Float64Array(count);
  for (let i = 0; i < count; i++) array[i] = i;
  return array;
}
const constant = (count: number, value: number): Float64Array => new Float64Array(count).fill(value);

const one: Payload<typeof f64> = {
  item: f64,
  push: (c, dest, i) => (c as unknown as Taking<[number]>).push(dest, i),
  send: (push, dest, i) => (push as Taking<[number]>["push"])(dest, i),
  worth: (item) => item,
  columns: numbers,
  worthAll: (column, count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += column[i];
    return sum;
  },
  expected: (i) => i,
};

const Two = struct({ a: f64, b: f64 });
const two: Payload<typeof Two> = {
  item: Two,
  push: (c, dest, i) => (c as unknown as Taking<[number, number]>).push(dest, i, 1),
  send: (push, dest, i) => (push as Taking<[number, number]>["push"])(dest, i, 1),
  worth: ({ a, b }) => a + b,
  columns: (count) => ({ a: numbers(count), b: constant(count, 1) }),
  worthAll: ({ a, b }, count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += a[i] + b[i];
    return sum;
  },
  expected: (i) => i + 1,
};

const Four = struct({ a: f64, b: f64, c: f64, d: f64 });
const four: Payload<typeof Four> = {
  item: Four,
  push: (c, dest, i) => (c as unknown as Taking<[number, number, number, number]>).push(dest, i, 1, 2, 3),
  send: (push, dest, i) => (push as Taking<[number, number, number, number]>["push"])(dest, i, 1, 2, 3),
  worth: ({ a, b, c, d }) => a + b + c + d,
  columns: (count) => ({
    a: numbers(count),
    b: constant(count, 1),
    c: constant(count, 2),
    d: constant(count, 3),
  }),
  worthAll: ({ a, b, c, d }, count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += a[i] + b[i] + c[i] + d[i];
    return sum;
  },
  expected: (i) => i + 6,
};

const LONG = 128;
/** One array for all pushes, as a push copies. Its first number is that of the item. */
const long = new Uint8Array(LONG);
const longNumbers = new Float64Array(long.buffer);
const worthAt = (x: Uint8Array, at: number): number =>
  x[at] + x[at + 1] + x[at + 2] + x[at + 3] + x[at + 4] + x[at + 5] + x[at + 6] + x[at + 7];

const many: Payload<Bytes> = {
  item: bytes(LONG),
  push: (c, dest, i) => {
    longNumbers[0] = i;
    return (c as unknown as Taking<[Uint8Array]>).push(dest, long);
  },
  send: (push, dest, i) => {
    longNumbers[0] = i;
    (push as Taking<[Uint8Array]>["push"])(dest, long);
  },
  worth: (item) => worthAt(item, 0),
  columns: (count) => {
    const all = new Float64Array((count * LONG) / 8);
    for (let i = 0; i < count; i++) all[(i * LONG) / 8] = i;
    return new Uint8Array(all.buffer);
  },
  worthAll: (column, count) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += worthAt(column, i * LONG);
    return sum;
  },
  expected: (i) => {
    longNumbers[0] = i;
    return worthAt(long, 0);
  },
};

/** By size. */
export const PAYLOADS: Readonly<Record<Size, Payload>> = {
  8: one as Payload,
  16: two as unknown as Payload,
  32: four as unknown as Payload,
  128: many as unknown as Payload,
};
