/** Types of collectives: of what they take, and of their results. */
import { expectTypeOf } from "expect-type";
import {
  allgather,
  allreduce,
  allreduceAsync,
  alltoall,
  alltoallv,
  broadcast,
  broadcastAsync,
  exscan,
  exscanAsync,
  gather,
  gatherAsync,
  type Located,
  type PE,
  reduce,
  reduceAsync,
  reduceScatter,
  reduceScatterAsync,
  scan,
  scanAsync,
  scatter,
  scatterAsync,
} from "tundish";

/** Compiled only. */
export async function collectives(pe: PE, numbers: readonly number[]): Promise<void> {
  const floats = new Float64Array(4);
  const ints = new Int32Array(4);
  const bigs = new BigInt64Array(4);

  expectTypeOf(allreduce(5, "sum")).toEqualTypeOf<number>();
  expectTypeOf(allreduce(5n, "max")).toEqualTypeOf<bigint>();
  expectTypeOf(allreduce(floats, "sum")).toEqualTypeOf<typeof floats>();
  expectTypeOf(reduce(5, "sum")).toEqualTypeOf<number | undefined>();
  expectTypeOf(reduce(bigs, "xor", 1)).toEqualTypeOf<typeof bigs | undefined>();
  expectTypeOf(scan(5, "sum")).toEqualTypeOf<number>();
  expectTypeOf(exscan(5n, "sum")).toEqualTypeOf<bigint | undefined>();
  expectTypeOf(await pe.allreduceAsync(5, (a, b) => a + b)).toEqualTypeOf<number>();
  allreduce(ints, "and");
  allreduce(5, "or");
  allreduce(bigs, (a, b) => a & b);
  expectTypeOf(allreduce({ value: 0.5, index: 1 }, "minloc")).toEqualTypeOf<Located>();
  // @ts-expect-error no such op
  allreduce(5, "sun");
  const halves = new Float32Array(4);
  for (const one of [pe, pe.split(0)].filter((group) => group !== null)) {
    // @ts-expect-error bits of floats
    one.reduce(floats, "and");
    // @ts-expect-error bits of floats
    one.allreduce(halves, "or");
    // @ts-expect-error bits of floats
    one.reduceScatter(halves, "xor");
    // @ts-expect-error bits of floats
    one.scan(floats, "and");
    // @ts-expect-error bits of floats
    one.exscan(halves, "and");
  }
  // @ts-expect-error bits of floats
  reduce(halves, "and", 1);
  // @ts-expect-error bits of floats
  allreduce(floats, "and");
  // @ts-expect-error bits of floats
  reduceScatter(floats, "and");
  // @ts-expect-error bits of floats
  scan(halves, "or");
  // @ts-expect-error bits of floats
  exscan(halves, "xor");
  // @ts-expect-error bits of floats, without blocking
  reduceAsync(floats, "and");
  // @ts-expect-error bits of floats, without blocking
  allreduceAsync(halves, "or");
  // @ts-expect-error bits of floats, without blocking
  reduceScatterAsync(halves, "and");
  // @ts-expect-error bits of floats, without blocking
  scanAsync(floats, "xor");
  // @ts-expect-error bits of floats, without blocking
  exscanAsync(floats, "and");
  // @ts-expect-error a sum of values with their indices
  scan({ value: 0.5, index: 1 }, "sum");
  // @ts-expect-error numbers for bigints
  allreduce(5n, (a: number, b: number) => a + b);
  // @ts-expect-error bigints for numbers
  allreduce(ints, (a: bigint, b: bigint) => a + b);
  // @ts-expect-error the function gives no element
  allreduce(5, (a: number, b: number) => `${a}${b}`);
  // @ts-expect-error a list is no typed array
  allreduce([1, 2], "sum");
  // @ts-expect-error a string
  allreduce("5", "sum");

  expectTypeOf(broadcast(5)).toEqualTypeOf<number>();
  expectTypeOf(broadcast(5n, 1)).toEqualTypeOf<bigint>();
  expectTypeOf(broadcast(numbers)).toEqualTypeOf<readonly number[]>();
  expectTypeOf(broadcast(pe.rank === 0 ? { a: 1 } : undefined)).toEqualTypeOf<{ a: number }>();
  expectTypeOf(await broadcastAsync(floats)).toEqualTypeOf<typeof floats>();

  expectTypeOf(allgather(pe.rank)).toEqualTypeOf<number[]>();
  expectTypeOf(allgather(pe.rank === 0)).toEqualTypeOf<boolean[]>();
  expectTypeOf(allgather(pe.rank === 0 ? "a" : 1)).toEqualTypeOf<(string | number)[]>();
  expectTypeOf(allgather(floats)).toEqualTypeOf<typeof floats>();
  expectTypeOf(allgather(numbers)).toEqualTypeOf<(readonly number[])[]>();
  expectTypeOf(gather("x" as string)).toEqualTypeOf<string[] | undefined>();
  expectTypeOf(await gatherAsync(ints, 1)).toEqualTypeOf<typeof ints | undefined>();

  expectTypeOf(scatter(floats)).toEqualTypeOf<typeof floats>();
  expectTypeOf(scatter(pe.rank === 0 ? ["a", "b"] : undefined)).toEqualTypeOf<string>();
  expectTypeOf(scatter(numbers)).toEqualTypeOf<number>();
  expectTypeOf(scatter(pe.rank === 0 ? floats : null)).toEqualTypeOf<typeof floats>();
  // @ts-expect-error nothing that could be divided
  scatter(5);
  // @ts-expect-error a text is no list
  pe.scatter("text");
  // @ts-expect-error nothing that could be divided
  scatterAsync({ a: 1 });

  expectTypeOf(alltoall(ints)).toEqualTypeOf<typeof ints>();
  expectTypeOf(alltoall(numbers)).toEqualTypeOf<number[]>();
  expectTypeOf(alltoall([1, "a"] as const)).toEqualTypeOf<(1 | "a")[]>();
  // @ts-expect-error neither an array nor a list
  alltoall(5);
  expectTypeOf(alltoallv([floats, floats])).toEqualTypeOf<(typeof floats)[]>();
  // @ts-expect-error lists are no typed arrays
  alltoallv([[1], [2]]);
  expectTypeOf(alltoall(ints, { into: ints })).toEqualTypeOf<typeof ints>();
  expectTypeOf(pe.gather(floats, 0, { into: floats })).toEqualTypeOf<typeof floats | undefined>();
  expectTypeOf(scatter(pe.rank === 0 ? floats : null, 0, { into: floats })).toEqualTypeOf<typeof floats>();
  expectTypeOf(alltoallv([floats], { into: floats })).toEqualTypeOf<(typeof floats)[]>();
  alltoallv([floats, floats], { into: [floats, floats] });
  expectTypeOf(reduceScatter(floats, "sum", { into: floats })).toEqualTypeOf<typeof floats>();
  expectTypeOf(alltoall(ints, { into: [ints, ints] })).toEqualTypeOf<(typeof ints)[]>();
  expectTypeOf(allgather(ints, { into: [ints, ints] })).toEqualTypeOf<(typeof ints)[]>();
  expectTypeOf(pe.gather(ints, 0, { into: [ints, ints] })).toEqualTypeOf<(typeof ints)[] | undefined>();
  // @ts-expect-error the parts have other elements
  allgather(ints, { into: [floats, floats] });
  // @ts-expect-error the result is one part
  scatter(floats, 0, { into: [floats] });
  // @ts-expect-error the result has other elements
  alltoall(ints, { into: floats });
  // @ts-expect-error the result is a list
  allgather(1, { into: floats });
  // @ts-expect-error the result is x
  allreduce(floats, "sum", { into: floats });
  expectTypeOf(pe.alloc(Float64Array, 3)[0]).toEqualTypeOf<number>();
}
