/** Arrays in the heap: given, taken back, refused. Each part ends with a proof that the world still works. */
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd, type TypedArray } from "../../../src/index.ts";
import { makeOf, random, TYPE_NAMES } from "../support/reference.ts";

export type Part =
  | "symmetric"
  | "reuse"
  | "sizes"
  | "lengths"
  | "full"
  | "foreign"
  | "apart"
  | "arguments"
  | "many"
  | "freed"
  | "refused";

/** Name and message of what a call throws. */
function thrown(body: () => unknown): string {
  try {
    body();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return "nothing";
}

function goOn(pe: PE): void {
  const x = new Float64Array(20_000).fill(pe.rank);
  const sum = (pe.size * (pe.size - 1)) / 2;
  assert.ok(pe.allreduce(x, "sum").every((value) => value === sum));
  assert.is(pe.allreduce(new Int32Array(2).fill(1), "sum")[1], pe.size);
  pe.barrier();
}

const zero = (x: TypedArray): boolean => (x as Uint8Array).every((value) => Number(value) === 0);

const parts: Record<Part, (pe: PE) => unknown> = {
  /** Where each array begins and ends, for the launcher to compare. */
  symmetric(pe) {
    const arrays = TYPE_NAMES.flatMap((type) => [0, 1, 13, 1000].map((n) => pe.alloc(makeOf(type), n)));
    for (const [i, x] of arrays.entries()) {
      assert.is(x[Symbol.toStringTag], TYPE_NAMES[i >> 2]);
      assert.ok(x.buffer instanceof SharedArrayBuffer && x.buffer === arrays[0].buffer);
      assert.is(x.byteOffset % 128, 0);
      assert.ok(zero(x));
    }
    // what one PE writes, no other finds in its own
    const mine = arrays[15] as Float64Array;
    (mine as unknown as Uint8Array).fill(pe.rank + 1);
    pe.barrier();
    assert.ok((mine as unknown as Uint8Array).every((value) => value === pe.rank + 1));
    goOn(pe);
    return arrays.map((x) => [x.byteOffset, x.byteLength]);
  },

  reuse(pe) {
    for (const length of [1, 100, 50_000]) {
      const first = pe.alloc(Uint8Array, length);
      first.fill(0xff);
      pe.free(first);
      const again = pe.alloc(Uint8Array, length);
      assert.is(again.byteOffset, first.byteOffset, "the block is used again");
      assert.ok(zero(again));
      pe.free(again);
    }
    // the same block in another type: only the number of bytes counts
    const bytes = pe.alloc(Uint8Array, 80);
    pe.free(bytes);
    assert.is(pe.alloc(Float64Array, 10).byteOffset, bytes.byteOffset);
    goOn(pe);
  },

  /** The last PE asks for more, or all for the same number of bytes in arrays of two types. */
  sizes(pe) {
    const same = pe.rank === 0 ? pe.alloc(Float64Array, 10) : pe.alloc(Int32Array, 20);
    assert.is(same.byteLength, 80);
    goOn(pe);
    pe.alloc(Float64Array, pe.rank === pe.size - 1 ? 17 : 16);
    goOn(pe);
  },

  /** That have as many lines. */
  lengths(pe) {
    pe.alloc(Float64Array, pe.rank === pe.size - 1 ? 11 : 10);
    goOn(pe);
  },

  full(pe) {
    const told = [thrown(() => pe.alloc(Uint8Array, 1e9)), thrown(() => pe.alloc(Float64Array, 2 ** 50))];
    const arrays: Uint8Array[] = [];
    for (const bytes of [100_000, 1000, 1]) {
      while (thrown(() => arrays.push(pe.alloc(Uint8Array, bytes))) === "nothing");
    }
    // collectives need no room of their own, first ones of a kind included
    goOn(pe);
    told.push(thrown(() => pe.alloc(Uint8Array, 1)));
    for (const x of arrays) pe.free(x);
    assert.is(pe.alloc(Uint8Array, 200_000).length, 200_000);
    goOn(pe);
    return told;
  },

  foreign(pe) {
    const x = pe.alloc(Float64Array, 10);
    const told = [x.subarray(1), x.subarray(), new Float64Array(10), new Float64Array(x.buffer, x.byteOffset, 10)]
      .map((other): unknown => other)
      .concat([undefined, null, 5, "x", {}, new DataView(x.buffer)])
      .map((other) => thrown(() => pe.free(other as Float64Array)));
    goOn(pe);
    pe.free(x);
    told.push(thrown(() => pe.free(x)));
    goOn(pe);
    return told;
  },

  /** What was given back is refused by every collective of the PE, remembered calls included. */
  freed(pe) {
    const group = pe.group([...Array(pe.size).keys()]);
    const told: string[] = [];
    for (const length of [3, 3000]) {
      const x = pe.alloc(Float64Array, length).fill(1);
      const calls = [pe, group].flatMap((one) => [
        () => one.allreduce(x, "max"),
        () => one.reduce(x, "max"),
        () => one.broadcast(x),
        () => one.scan(x, "max"),
        () => one.exscan(x, "max"),
        () => one.gather(x),
        () => one.allgather(x),
        () => one.alltoallv(Array(pe.size).fill(x)),
      ]);
      for (const call of calls) call();
      pe.free(x);
      const next = pe.alloc(Float64Array, length).fill(7);
      told.push(...calls.map(thrown));
      assert.ok(next.every((value) => value === 7));
      // what was not given back works as before
      assert.ok(pe.allreduce(next, "max").every((value) => value === 7));
      pe.free(next);
    }
    goOn(pe);
    return told;
  },

  /** An array that could not be given back is as it was. */
  async refused(pe) {
    const x = pe.alloc(Float64Array, 10).fill(1);
    // the others' part of it comes when PE 0 has tried
    const group = pe.group([...Array(pe.size).keys()]);
    const underWay = pe.rank === 0 ? pe.barrierAsync() : undefined;
    const told = pe.rank === 0 ? [thrown(() => pe.free(x))] : [];
    group.barrier();
    await (underWay ?? pe.barrierAsync());
    assert.is(pe.allreduce(x, "sum")[0], pe.size);
    await pe.freeAsync(x);
    told.push(thrown(() => pe.allreduce(x, "sum")));
    goOn(pe);
    return told;
  },

  apart(pe) {
    const [x, y] = [pe.alloc(Float64Array, 10), pe.alloc(Float64Array, 10)];
    pe.free(pe.rank === 0 ? x : y);
    goOn(pe);
  },

  arguments(pe) {
    const told = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", undefined, null, {}, Symbol("n"), 1n].map((n) =>
      thrown(() => pe.alloc(Float64Array, n as number)),
    );
    for (const make of [undefined, null, {}, "Float64Array", Array, DataView, Object.create(null)]) {
      told.push(thrown(() => pe.alloc(make as unknown as Float64ArrayConstructor, 3)));
    }
    goOn(pe);
    return told;
  },

  /** Takes and gives back at random; the heap must not fill up. */
  many(pe) {
    const next = random(7);
    const arrays: Uint8Array[] = [];
    for (let i = 0; i < 2000; i++) {
      if (arrays.length > 8 || (arrays.length > 0 && next() < 0.5)) {
        const [x] = arrays.splice(Math.floor(next() * arrays.length), 1);
        assert.ok(x.every((value) => value === pe.rank + 1));
        pe.free(x);
      } else {
        const x = pe.alloc(Uint8Array, Math.floor(next() * 5000));
        assert.ok(zero(x));
        arrays.push(x.fill(pe.rank + 1));
      }
    }
    for (const x of arrays) pe.free(x);
    goOn(pe);
  },
};

const program: Spmd = spmd((pe, part) => parts[part as Part](pe));

export default program;
