/** Values that can be cloned, of every sort that postMessage knows. */
import { isDeepStrictEqual } from "node:util";
import { arrayOf, random, TYPE_NAMES } from "./reference.ts";

const MAKERS: readonly ((seed: number) => unknown)[] = [
  () => undefined,
  () => null,
  (seed) => seed % 2 === 0,
  () => "",
  (seed) => `text ${seed} äöü \u{1f332} \0`,
  (seed) => ({ rows: seed, deep: { list: [1, "x", null, { none: undefined }], hole: new Array(3) } }),
  (seed) => [seed, [seed + 1, ["nested"]]],
  () => [],
  (seed) =>
    new Map<unknown, unknown>([
      ["a", seed],
      [{ key: 1 }, new Set([1, "two", 3n])],
    ]),
  (seed) => new Date(seed * 1e6),
  (seed) => new RegExp(`a{${seed}}`, "gi"),
  (seed) => ({ big: 2n ** 100n + BigInt(seed), odd: [Number.NaN, -0, Number.POSITIVE_INFINITY] }),
  (seed) => new RangeError(`an error as a value ${seed}`),
  (seed) => ({ bytes: Uint8Array.of(seed, 2, 3), floats: new Float32Array([1.5, seed]) }),
  (seed) => new DataView(Uint8Array.of(9, seed, 7, 6).buffer, 1, 2),
  (seed) => Uint16Array.of(seed, 1, 2).buffer,
  (seed) => {
    const ring: { seed: number; self?: unknown } = { seed };
    ring.self = ring;
    return ring;
  },
  // longer than what is staged at once
  (seed) => `${seed}`.repeat(150_000),
];

/** A value; the same for the same seed. */
export function someValue(seed: number): unknown {
  return MAKERS[Math.floor(random(seed)() * MAKERS.length)](seed % 200);
}

/** A value, or a number, a bigint, a typed array: what the entries of a list may be, mixed. */
export function someEntry(seed: number): unknown {
  const kind = seed % 3;
  if (kind === 0) return arrayOf(TYPE_NAMES[seed % TYPE_NAMES.length], seed % 50, seed);
  if (kind === 1) return seed % 2 === 0 ? seed / 7 : BigInt(seed) - 2n ** 63n;
  return someValue(seed);
}

/** Whether two values are the same as far as a clone can be. */
export function same(got: unknown, expected: unknown): boolean {
  if (expected instanceof DataView) {
    const bytes = ({ buffer, byteOffset, byteLength }: DataView) => new Uint8Array(buffer, byteOffset, byteLength);
    return got instanceof DataView && isDeepStrictEqual(bytes(got), bytes(expected));
  }
  if (expected instanceof Error) {
    return got instanceof expected.constructor && (got as Error).message === expected.message;
  }
  return isDeepStrictEqual(got, expected);
}
