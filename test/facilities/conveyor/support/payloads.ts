/**
 * What the clients send: who sends how many items to whom, and what is in the items. All of it follows from
 * a seed, so a receiver knows what must come.
 */
import { bytes, f64, type ItemType, i16, struct, u8, u16, u32, u64 } from "../../../../src/ground/item/item-type.ts";

/** Who sends to whom. */
export const PATTERNS = [
  "random",
  "self",
  "all-to-one",
  "one-to-all",
  "one-silent",
  "nothing",
  "hot-spot",
  "ring",
] as const;
export type Pattern = (typeof PATTERNS)[number];

/** 32 bits that look random. Source: the finalizer of MurmurHash3. */
export function mix(...words: readonly number[]): number {
  let h = 0x9e3779b9;
  for (const word of words) {
    h = Math.imul(h ^ word, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
  }
  return h >>> 0;
}

/** A number from 0 to 1. */
export const chance = (...words: readonly number[]): number => mix(...words) / 2 ** 32;

/** Where a PE's items go, in order. */
export function destinations(pattern: Pattern, rank: number, pes: number, count: number, seed: number): number[] {
  const one = mix(seed, 77) % pes;
  const to = (i: number) => mix(seed, rank, i, 5) % pes;
  const each = (dest: (i: number) => number) => Array.from({ length: count }, (_, i) => dest(i));
  switch (pattern) {
    case "random":
      return each(to);
    case "self":
      return each(() => rank);
    case "all-to-one":
      return each(() => one);
    case "one-to-all":
      return rank === one ? each((i) => i % pes) : [];
    case "one-silent":
      return rank === one ? [] : each(to);
    case "nothing":
      return [];
    case "hot-spot":
      return each((i) => (mix(seed, rank, i, 6) % 4 === 0 ? to(i) : one));
    case "ring":
      return each(() => (rank + 1) % pes);
  }
}

/** By sender: how many items come to `rank`. */
export function expected(pattern: Pattern, rank: number, pes: number, count: number, seed: number): number[] {
  return Array.from(
    { length: pes },
    (_, from) => destinations(pattern, from, pes, count, seed).filter((dest) => dest === rank).length,
  );
}

/** `length` bytes that follow from `h`; of low entropy: nearly all the same. */
export function fill(target: Uint8Array, h: number, low: boolean): Uint8Array {
  let x = h | 1;
  for (let i = 0; i < target.length; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    target[i] = low ? (i === 0 ? h & 7 : 0x11) : x;
  }
  return target;
}

/** A kind of items: its type, and what an item is like that follows from `h`. */
export interface Kind {
  readonly name: string;
  readonly item: ItemType;
  /** What push takes. */
  make(h: number, low: boolean): readonly unknown[];
  /** Whether an item that was pulled is this one. */
  same(item: unknown, h: number, low: boolean): boolean;
}

function byteKind(length: number): Kind {
  const out = new Uint8Array(length);
  const want = new Uint8Array(length);
  return {
    name: `bytes(${length})`,
    item: bytes(length),
    make: (h, low) => [fill(out, h, low)],
    same(item, h, low) {
      fill(want, h, low);
      const got = item as Uint8Array;
      return got.length === length && want.every((byte, i) => byte === got[i]);
    },
  };
}

const mixed = struct({ a: u8, b: f64, c: u32, d: struct({ e: i16, f: bytes(1) }) });

const cut = (h: number, low: boolean): number => (low ? h & 3 : h);
const signed = (h: number): number => (h << 16) >> 16;

/** Kinds by name: the sizes of the contract, most as bytes, some as numbers and structs. */
export const kinds: Readonly<Record<string, Kind>> = {
  "1": {
    name: "u8",
    item: u8,
    make: (h, low) => [cut(h, low) & 255],
    same: (item, h, low) => item === (cut(h, low) & 255),
  },
  "3": byteKind(3),
  "7": byteKind(7),
  "8": {
    name: "u64",
    item: u64,
    make: (h, low) => [(BigInt(cut(h, low)) << 20n) | 5n],
    same: (item, h, low) => item === ((BigInt(cut(h, low)) << 20n) | 5n),
  },
  "24": {
    name: "struct",
    item: mixed,
    make: (h, low) => {
      const x = cut(h, low);
      return [x & 255, x / 3, x, { e: signed(x), f: Uint8Array.of(x >>> 8) }];
    },
    same(item, h, low) {
      const x = cut(h, low);
      const { a, b, c, d } = item as { a: number; b: number; c: number; d: { e: number; f: Uint8Array } };
      return a === (x & 255) && b === x / 3 && c === x && d.e === signed(x) && d.f[0] === ((x >>> 8) & 255);
    },
  },
  "2": {
    name: "u16",
    item: u16,
    make: (h, low) => [cut(h, low) & 0xffff],
    same: (item, h, low) => item === (cut(h, low) & 0xffff),
  },
  "128": byteKind(128),
};

/** A kind of items of so many bytes. */
export const kindOf = (size: number): Kind => kinds[size] ?? byteKind(size);
