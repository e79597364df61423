/** Keys of every content, at least 24 different ones, and what tells equal ones. */
import { inspect } from "node:util";
import { type Content, text, value } from "../../../../src/containers.ts";
import { bytes, f32, f64, type ItemType, i8, i16, i32, i64, struct, u8, u16, u32, u64 } from "../../../../src/index.ts";

const some = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const nested = struct({ name: bytes(3), of: struct({ x: f64, y: u8 }), z: i64 });

const whole = (content: ItemType, ...more: readonly number[]): readonly [Content, readonly unknown[]] => [
  content,
  [...more, ...some(24, (i) => 3 * i)],
];

/** By name: a content, and keys of it. Those of a name differ, but for a few that are equal though they do not look so. */
export const KEYS: Readonly<Record<string, readonly [Content, readonly unknown[]]>> = {
  text: [
    text,
    [
      ...["", "a", "A", "tin", "Größe", "\u{1f600}", "\ud800", "\udc00\ud800", "a\ud83d", "\ufffd", "\0", "\0\0"],
      ...["x".repeat(43), "x".repeat(44), "x".repeat(45), "ü".repeat(2000), `${"long ".repeat(1000)}!`],
      ...some(20, (i) => `key ${i}`),
    ],
  ],
  u8: whole(u8, 255),
  i8: whole(i8, -1, -128, 127),
  u16: whole(u16, 65_535),
  i16: whole(i16, -32_768),
  u32: whole(u32, 2 ** 32 - 1, 2 ** 31),
  i32: whole(i32, -(2 ** 31), -1),
  u64: [u64, [2n ** 64n - 1n, 2n ** 63n, ...some(24, (i) => BigInt(i))]],
  i64: [i64, [-(2n ** 63n), -1n, ...some(24, (i) => BigInt(i) << 30n)]],
  f32: [f32, [Number.NaN, 0, -0, Number.POSITIVE_INFINITY, 0.1, Math.fround(0.1), ...some(24, (i) => 1.5 + i)]],
  f64: [f64, [Number.NaN, 0, -0, Number.NEGATIVE_INFINITY, 2 ** 53, 5e-324, ...some(24, (i) => i / 10 + 1)]],
  bytes: [bytes(3), some(26, (i) => Uint8Array.of(i, 0, 255 - i))],
  struct: [
    nested,
    [
      { z: 1n, name: Uint8Array.of(1, 2, 3), of: { y: 1, x: -0 } },
      { name: Uint8Array.of(1, 2, 3), of: { x: 0, y: 1 }, z: 1n },
      ...some(24, (i) => ({ name: Uint8Array.of(i, 0, 0), of: { x: i / 2, y: i }, z: BigInt(-i) })),
    ],
  ],
  value: [
    value<unknown>(),
    [
      ...[undefined, null, true, 0, -0, Number.NaN, 1n, "", "1", 1, [], {}, [1, [2, "x"]], ["a", 1], ["u"]],
      ...[{ x: 1, y: [2] }, { y: [2], x: 1 }, { "": undefined }, { __proto__: null, a: 1n }, "\ud800"],
      ...some(24, (i) => ({ i, list: [i, String(i)] })),
    ],
  ],
};

/** The names of {@link KEYS}. */
export const CONTENTS: readonly string[] = Object.keys(KEYS);

const plain = (x: unknown, isSingle: boolean): unknown => {
  if (typeof x === "number") return (isSingle ? Math.fround(x) : x) + 0;
  if (typeof x !== "object" || x === null || ArrayBuffer.isView(x)) return x;
  if (Array.isArray(x)) return x.map((one) => plain(one, isSingle));
  return Object.fromEntries(Object.entries(x).map(([name, one]) => [name, plain(one, isSingle)]));
};

/** The same text for equal keys of a content, and for others another one. */
export const idOf = (content: string, key: unknown): string =>
  inspect(plain(key, content === "f32"), {
    sorted: true,
    depth: null,
    maxStringLength: null,
    maxArrayLength: null,
    breakLength: Number.POSITIVE_INFINITY,
  });

/** Different keys of a content. */
export function differentKeys(content: string): unknown[] {
  const [, keys] = KEYS[content] as (typeof KEYS)[string];
  return [...new Map(keys.map((key) => [idOf(content, key), key])).values()];
}
