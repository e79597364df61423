/** The reductions in JavaScript: the same bits as the kernels; and the types of elements. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { ELEMENT_TYPES, opsOf, type TypedArray } from "../../../src/ground/memory/kernels/elements.ts";
import {
  type ElementType,
  elementTypeOf,
  loadKernels,
  type ReduceOp,
} from "../../../src/ground/memory/kernels/kernels.ts";
import { combine, combineBigints, combineNumbers } from "../../../src/ground/memory/kernels/scalar.ts";
import { equalBytes, sharedMemory } from "./kernels-common.ts";
import { bytesOf, canonical, PAIRS, randomSource, samples, TYPES } from "./kernels-reference.ts";

const test = suite("memory/kernels scalar");

const ARRAYS: Record<ElementType, new (buffer: ArrayBufferLike, at: number, length: number) => TypedArray> = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  f32: Float32Array,
  f64: Float64Array,
};

const memory = sharedMemory(1);
const heap = new Uint8Array(memory.buffer);
const kernels = loadKernels(memory);

const usage = (run: () => unknown, pattern: RegExp): void => {
  assert.throws(run, (error: unknown) => error instanceof UsageError && pattern.test(error.message));
};

for (const [op, type] of PAIRS) {
  test(`combine ${op} ${type} gives the kernel's bits`, () => {
    const elements = 5000;
    const random = randomSource(op.length + bytesOf(type));
    const [a, b] = [samples(type, elements, random), samples(type, elements, random)];
    const pieces = 4;
    const bytes = a.length / pieces;
    for (let at = 0; at < a.length; at += bytes) {
      const own = Uint8Array.from(a.subarray(at, at + bytes));
      const other = Uint8Array.from(b.subarray(at, at + bytes));
      heap.set(own, 0);
      heap.set(other, 32768);
      kernels.reducer(op, type)(0, 32768, elements / pieces);
      const Elements = ARRAYS[type];
      combine(op, new Elements(own.buffer, 0, elements / pieces), new Elements(other.buffer, 0, elements / pieces));
      equalBytes(canonical(type, own), canonical(type, heap.subarray(0, bytes)), () => `${op} ${type}`);
      equalBytes(other, b.subarray(at, at + bytes), () => "the second array");
    }
  });
}

test("combine wraps a Uint8ClampedArray around, at its place in the buffer", () => {
  const dst = Uint8ClampedArray.of(9, 200, 3, 9);
  combine("sum", dst.subarray(1, 3), Uint8ClampedArray.of(100, 4));
  assert.equal([...dst], [9, 44, 7, 9]);
  combine("prod", dst.subarray(1, 3), Uint8Array.of(100, 40));
  assert.equal([...dst], [9, 48, 24, 9]);
});

test("combine of an array with itself and of empty arrays", () => {
  const array = Float32Array.of(0.1, -3, 2 ** 127);
  combine("sum", array, array);
  assert.equal([...array], [Math.fround(0.1) * 2, -6, Number.POSITIVE_INFINITY]);
  combine("max", new BigInt64Array(0), new BigInt64Array(0));
});

test("combine refuses arrays that do not fit together", () => {
  usage(() => combine("sum", new Int8Array(2), new Int8Array(3)), /2 elements of type i8, got .* 3 elements/);
  usage(() => combine("sum", new Int8Array(2), new Uint8Array(2)), /type i8, got .* type u8/);
  usage(() => combine("xor", new Float32Array(2), new Float32Array(2)), /f32 .* got "xor"/);
  usage(() => combine("sum", [1] as unknown as Int8Array, new Int8Array(1)), /Expected a typed array/);
});

test("combineNumbers is what JavaScript does with two numbers", () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), (a, b) => {
      assert.ok(Object.is(combineNumbers("sum")(a, b), a + b));
      assert.ok(Object.is(combineNumbers("prod")(a, b), a * b));
      assert.ok(Object.is(combineNumbers("min")(a, b), Math.min(a, b)));
      assert.ok(Object.is(combineNumbers("max")(a, b), Math.max(a, b)));
      assert.is(combineNumbers("and")(a, b), a & b);
      assert.is(combineNumbers("or")(a, b), a | b);
      assert.is(combineNumbers("xor")(a, b), a ^ b);
    }),
  );
  assert.ok(Object.is(combineNumbers("min")(0, -0), -0));
  assert.ok(Object.is(combineNumbers("max")(-0, 0), 0));
  assert.is(combineNumbers("or")(2 ** 31, 0), -(2 ** 31));
  usage(() => combineNumbers("mean" as ReduceOp), /got "mean"/);
});

test("combineBigints knows no width", () => {
  const [a, b] = [-(2n ** 80n) + 5n, 2n ** 70n + 3n];
  assert.is(combineBigints("sum")(a, b), a + b);
  assert.is(combineBigints("prod")(a, b), a * b);
  assert.is(combineBigints("min")(a, b), a);
  assert.is(combineBigints("min")(b, a), a);
  assert.is(combineBigints("max")(a, b), b);
  assert.is(combineBigints("max")(b, a), b);
  assert.is(combineBigints("and")(a, b), a & b);
  assert.is(combineBigints("or")(a, b), a | b);
  assert.is(combineBigints("xor")(a, b), a ^ b);
  usage(() => combineBigints("toString" as ReduceOp), /got "toString"/);
});

test("the tables of types and operators", () => {
  assert.equal([...ELEMENT_TYPES].sort(), [...TYPES].sort());
  const pairs = TYPES.flatMap((type) => opsOf(type).map((op) => [op, type]));
  assert.equal(pairs, [...PAIRS]);
});

test("elementTypeOf", () => {
  const typeOf = (Kind: new (length: number) => ArrayBufferView) => elementTypeOf(new Kind(1));
  assert.is(typeOf(Int8Array), "i8");
  assert.is(typeOf(Uint8Array), "u8");
  assert.is(typeOf(Uint8ClampedArray), "u8");
  assert.is(typeOf(Int16Array), "i16");
  assert.is(typeOf(Uint16Array), "u16");
  assert.is(typeOf(Int32Array), "i32");
  assert.is(typeOf(Uint32Array), "u32");
  assert.is(typeOf(BigInt64Array), "i64");
  assert.is(typeOf(BigUint64Array), "u64");
  assert.is(typeOf(Float32Array), "f32");
  assert.is(typeOf(Float64Array), "f64");
  assert.is(elementTypeOf(Buffer.from("x")), "u8");
  assert.is(typeOf(class Mine extends Float64Array {}), "f64");
  for (const other of [new DataView(new ArrayBuffer(8)), [1, 2], undefined, null, 3]) {
    assert.throws(
      () => elementTypeOf(other as ArrayBufferView),
      (error: unknown) => error instanceof UsageError && /Expected a typed array/.test(error.message),
    );
  }
});

test.run();
