/** The ops on two numbers, and the types of elements. */
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UsageError } from "../../../src/ground/base/errors.ts";
import { ELEMENT_TYPES, elementTypeOf, opsOf, type ReduceOp } from "../../../src/ground/memory/kernels/elements.ts";
import { combineNumbers } from "../../../src/ground/memory/kernels/scalar.ts";
import { PAIRS, TYPES } from "./kernels-reference.ts";

const test = suite("memory/kernels scalar");

const usage = (run: () => unknown, pattern: RegExp): void => {
  assert.throws(run, (error: unknown) => error instanceof UsageError && pattern.test(error.message));
};

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
