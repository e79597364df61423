/** Types of loops outside the PEs. */
import { expectTypeOf } from "expect-type";
import { type OpenWorld, type PE, spmd } from "tundish";
import {
  forEach,
  forRange,
  functionsOf,
  type ModuleFunction,
  mapEach,
  reduceEach,
  scanEach,
  share,
} from "tundish/loop";

/** A module of bodies. */
interface Bodies {
  row(y: number, args: { readonly width: number }): Float64Array;
  square(i: number): number;
  size(name: string, i: number, args: { readonly folder: string }): number;
  chunk(begin: number, end: number, step: number, x: Float64Array): void;
  later(i: number): Promise<number>;
  readonly version: string;
}

const bodies = functionsOf<Bodies>("./bodies.js");
expectTypeOf(bodies.square).toEqualTypeOf<ModuleFunction<(i: number) => number>>();
// @ts-expect-error it is no function
bodies.version;

expectTypeOf(share(Float32Array, 5)).toExtend<Float32Array>();
expectTypeOf(share(new Uint8Array(2))).toExtend<Uint8Array>();

/** Compiled only. */
export async function looping(world: OpenWorld): Promise<void> {
  expectTypeOf(await mapEach(world, 10, bodies.row, { args: { width: 3 } })).toEqualTypeOf<Float64Array[]>();
  expectTypeOf(await mapEach(10, bodies.row, { args: { width: 3 }, schedule: "steal" })).toEqualTypeOf<
    Float64Array[]
  >();
  expectTypeOf(await mapEach(world, ["a"], bodies.size, { args: { folder: "b" } })).toEqualTypeOf<number[]>();
  expectTypeOf(await mapEach(world, 10, bodies.square, { into: new Float64Array(10) })).toExtend<Float64Array>();
  expectTypeOf(await forEach(world, 10, bodies.square, { reduce: "sum" })).toEqualTypeOf<number>();
  expectTypeOf(await forEach(world, { end: 5 }, bodies.square)).toEqualTypeOf<void>();
  expectTypeOf(await forEach(10, bodies.square, { timeout: 5 })).toEqualTypeOf<void>();
  expectTypeOf(await reduceEach(world, 10, bodies.square, "max")).toEqualTypeOf<number>();
  expectTypeOf(await reduceEach(10, bodies.square, "max", { reproducible: true })).toEqualTypeOf<number>();
  expectTypeOf(await forRange(world, 10, bodies.chunk, { args: new Float64Array(2) })).toEqualTypeOf<void>();
  const into = share(Float64Array, 10);
  expectTypeOf(await scanEach(world, 10, bodies.square, "sum", { into, exclusive: true })).toExtend<Float64Array>();
  expectTypeOf(await scanEach(10, bodies.square, "max", { into: share(Int8Array, 10) })).toExtend<Int8Array>();

  // @ts-expect-error the array for the result is missing
  scanEach(world, 10, bodies.square, "sum");
  // @ts-expect-error numbers are no bigints
  scanEach(world, 10, bodies.square, "sum", { into: share(BigInt64Array, 10) });
  // @ts-expect-error args are missing
  mapEach(world, 10, bodies.row);
  // @ts-expect-error args are missing in the options
  mapEach(10, bodies.row, { chunk: 2 });
  // @ts-expect-error args lack the width
  mapEach(world, 10, bodies.row, { args: {} });
  // @ts-expect-error it takes elements that are texts
  mapEach(world, [1], bodies.size, { args: { folder: "b" } });
  // @ts-expect-error a closure
  forEach(world, 10, (i: number) => i);
  // @ts-expect-error its values are no numbers
  reduceEach(world, 10, bodies.row, "sum", { args: { width: 3 } });
  // @ts-expect-error the body must not await
  forEach(world, 10, bodies.later);
  // @ts-expect-error PEs cannot get a function
  reduceEach(world, 10, bodies.square, (a: number, b: number) => a + b);
  // @ts-expect-error no such function
  forEach(world, 10, bodies.nothing);
}

// a PE's loops block
expectTypeOf(spmd((pe: PE) => mapEach(pe, 3, (i) => i)).main).returns.toEqualTypeOf<number[]>();

// what the ordered part gets is what the body returns, and has got
spmd((pe: PE) => {
  forEach(pe, 3, (i) => `${i}`, {
    ordered(text, index) {
      expectTypeOf(text).toExtend<string>();
      expectTypeOf(index).toEqualTypeOf<number>();
    },
  });
  forEach(pe, ["a"], (element) => ({ element }), {
    ordered(value, element) {
      expectTypeOf(value).toEqualTypeOf<{ element: string }>();
      expectTypeOf(element).toEqualTypeOf<string>();
    },
  });
  forRange(pe, 3, (begin, end) => end - begin, { ordered: (length: number, begin) => length + begin });
  // @ts-expect-error it must not await
  forEach(pe, 3, (i) => i, { ordered: async () => {} });
  // @ts-expect-error both take what the body returns
  forEach(pe, 3, (i) => i, { reduce: "sum", ordered: () => {} });
});
