/**
 * What the kernels must compute, written without typed arrays: elements are read from bytes by hand,
 * integers are combined as bigints and cut to their width, floats by cases.
 */
import type { ElementType, ReduceOp } from "../../../src/ground/memory/kernels/kernels.ts";

export const TYPES: readonly ElementType[] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"];
const OPS: readonly ReduceOp[] = ["sum", "prod", "min", "max", "and", "or", "xor"];

export const bits = (type: ElementType): number => Number(type.slice(1));
export const bytesOf = (type: ElementType): number => bits(type) / 8;

/** Every pair that has a kernel. */
export const PAIRS: readonly (readonly [ReduceOp, ElementType])[] = TYPES.flatMap((type) =>
  OPS.filter((op) => type[0] !== "f" || OPS.indexOf(op) < 4).map((op) => [op, type] as const),
);

function integer(op: ReduceOp, a: bigint, b: bigint): bigint {
  if (op === "sum") return a + b;
  if (op === "prod") return a * b;
  if (op === "min") return a > b ? b : a;
  if (op === "max") return a > b ? a : b;
  if (op === "and") return a & b;
  return op === "or" ? a | b : a ^ b;
}

function float(op: ReduceOp, a: number, b: number): number {
  if (op === "sum") return a + b;
  if (op === "prod") return a * b;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  const [low, high] = a < b || (a === b && Object.is(a, -0)) ? [a, b] : [b, a];
  return op === "min" ? low : high;
}

/** a op b for all elements of two byte arrays of one length; the bits of a NaN are canonical. */
export function reference(op: ReduceOp, type: ElementType, a: Uint8Array, b: Uint8Array): Uint8Array {
  const size = bytesOf(type);
  const out = new Uint8Array(a.length);
  const [x, y, z] = [a, b, out].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)) as [
    DataView,
    DataView,
    DataView,
  ];
  for (let at = 0; at < a.length; at += size) {
    if (type === "f32") z.setFloat32(at, float(op, x.getFloat32(at, true), y.getFloat32(at, true)), true);
    else if (type === "f64") z.setFloat64(at, float(op, x.getFloat64(at, true), y.getFloat64(at, true)), true);
    else {
      writeInteger(type, out, at, integer(op, readInteger(type, a, at), readInteger(type, b, at)));
    }
  }
  return canonical(type, out);
}

function readInteger(type: ElementType, bytes: Uint8Array, at: number): bigint {
  let value = 0n;
  for (let k = bytesOf(type) - 1; k >= 0; k--) value = (value << 8n) | BigInt(bytes[at + k] as number);
  return type[0] === "i" ? BigInt.asIntN(bits(type), value) : value;
}

function writeInteger(type: ElementType, bytes: Uint8Array, at: number, value: bigint): void {
  for (let k = 0; k < bytesOf(type); k++) bytes[at + k] = Number((value >> BigInt(8 * k)) & 0xffn);
}

/** The same bytes with every NaN in its canonical form, for a NaN's bits are unspecified. */
export function canonical(type: ElementType, bytes: Uint8Array): Uint8Array {
  const out = Uint8Array.from(bytes);
  const floats = type === "f32" ? new Float32Array(out.buffer) : new Float64Array(out.buffer, 0, out.length >> 3);
  if (type[0] === "f") for (const [i, x] of floats.entries()) if (Number.isNaN(x)) floats[i] = Number.NaN;
  return out;
}

/** Numbers from 0 to 2^32-1, the same ones on every run (mulberry32). */
export function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

const SPECIAL_FLOATS = [
  ...[0, 1, 1.5, Number.POSITIVE_INFINITY, Number.NaN, Number.MIN_VALUE, 2 ** -1022, Number.MAX_VALUE],
  ...[2 ** -149, 3 * 2 ** -149, 2 ** -126, 3.4028234663852886e38, 2 ** 24, 2 ** 24 + 1, 2 ** 53, 1e-40, 1 / 3],
];

/** The bytes of `count` elements: extreme values and random bits, mixed. */
export function samples(type: ElementType, count: number, random: () => number): Uint8Array {
  const size = bytesOf(type);
  const out = new Uint8Array(count * size);
  const view = new DataView(out.buffer);
  const pick = <T>(list: readonly T[]): T => list[random() % list.length] as T;
  for (let at = 0; at < out.length; at += size) {
    for (let k = 0; k < size; k++) out[at + k] = random();
    const kind = random() % 3;
    if (kind === 0) continue;
    if (type === "f32" || type === "f64") {
      const x = pick(SPECIAL_FLOATS) * (random() % 2 ? 1 : -1);
      const y = kind === 1 ? x : (random() / 2 ** 31 - 1) * 1000;
      if (type === "f32") view.setFloat32(at, y, true);
      else view.setFloat64(at, y, true);
    } else {
      const top = 1n << BigInt(bits(type) - 1);
      writeInteger(type, out, at, pick([0n, 1n, -1n, -2n, 3n, top, top - 1n]));
    }
  }
  return out;
}
