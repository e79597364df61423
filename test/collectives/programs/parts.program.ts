/** Lists and arrays that are odd, each after a call whose leftovers in the heap would be found out. */
import { isDeepStrictEqual } from "node:util";
import * as assert from "uvu/assert";
import { type PE, type Spmd, spmd, type TypedArray } from "../../../src/index.ts";

export type Part = "holes" | "refused" | "gone" | "kept";

/** A list of one value for each PE in which the entry of the last PE is a hole. */
function holed<T>(pe: PE, value: T): T[] {
  const list = new Array<T>(pe.size);
  for (let to = 0; to < pe.size - 1; to++) list[to] = value;
  return list;
}

/** What a call throws. */
async function thrown(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return "nothing";
}

const parts: Record<Part, (pe: PE) => unknown> = {
  /** A hole is undefined, whatever lay in its place before. */
  async holes(pe) {
    const { rank, size } = pe;
    const last = rank === size - 1;
    const values = Array.from({ length: size }, (_, i) => `value ${i}`);
    const expected = Array.from({ length: size }, (_, from) => (last ? undefined : from));
    for (let root = 0; root < size; root++) {
      pe.scatter(values, root);
      assert.is(pe.scatter(holed(pe, "x"), root), last ? undefined : "x");
      pe.scatter(values, root);
      assert.is(await pe.scatterAsync(holed(pe, "x"), root), last ? undefined : "x");
    }
    pe.alltoall(values);
    assert.ok(isDeepStrictEqual(pe.alltoall(holed(pe, rank)), expected));
    pe.alltoall(values);
    assert.ok(isDeepStrictEqual(await pe.alltoallAsync(holed(pe, rank)), expected));
    assert.ok(isDeepStrictEqual(pe.allgather(holed(pe, 1))[0], holed(pe, 1)));
  },

  /** Calls that are kept: the same x with other results, with other content, and its memory in another array. */
  kept(pe) {
    const { size, rank } = pe;
    const ranks = [...Array(size).keys()];
    const made = () => pe.alloc(Int32Array, size);
    const [x, one, other] = [made(), made(), made()];
    for (let round = 0; round < 20; round++) {
      const into = [one, other, undefined][round % 3];
      const root = round % size;
      x.fill(100 * round + rank);
      const expected = ranks.map((from) => 100 * round + from);
      const results = [
        pe.alltoall(x, { into }),
        pe.allgather(x.subarray(0, 1), { into }),
        pe.gather(x.subarray(0, 1), root, { into }),
      ];
      for (const [i, result] of results.entries()) {
        assert.is(result === undefined, i === 2 && rank !== root);
        if (result === undefined) continue;
        assert.equal([...result], expected);
        if (into !== undefined) assert.is(result, into);
      }
    }
    pe.free(x);
    const again = made();
    again.fill(rank);
    assert.equal([...pe.alltoall(again, { into: one })], ranks);
    assert.throws(() => pe.alltoall(x, { into: one }), /given back with free/);
  },

  /** Lists that alltoallv cannot take; what they give, and that nobody else has been told. */
  async refused(pe) {
    const { rank, size } = pe;
    const whole = (): TypedArray[] => Array.from({ length: size }, () => Float64Array.of(rank));
    const told: string[] = [];
    for (const list of [
      holed(pe, Float64Array.of(1)),
      whole().with(-1, BigInt64Array.of(1n)),
      whole().with(-1, new Int32Array(0)),
      whole().with(-1, 5 as never),
    ]) {
      told.push(await thrown(() => pe.alltoallv(list)), await thrown(() => pe.alltoallvAsync(list)));
      assert.equal(pe.alltoallv(whole()).map(Number), [...Array(size).keys()]);
    }
    return told;
  },

  /** Arrays without their memory in every collective; empty ones are none of them. */
  async gone(pe) {
    const list = (x: TypedArray): TypedArray[] => Array.from({ length: pe.size }, () => x);
    const calls = (x: TypedArray): [string, ...args: unknown[]][] => [
      ...["reduce", "allreduce", "reduceScatter", "scan", "exscan"].map((name): [string, ...unknown[]] => [
        name,
        x,
        "sum",
      ]),
      ["reduce", x, (a: number) => a],
      ["broadcast", x, 0],
      // at the root only its x counts
      ...(pe.rank === 0
        ? ([
            ["scatter", x],
            ["scatter", list(x)],
          ] as [string, unknown][])
        : []),
      ...["gather", "allgather", "alltoall"].map((name): [string, unknown] => [name, x]),
      ["alltoall", list(x)],
      ["alltoallv", list(x)],
    ];
    const methods = pe as unknown as Record<string, (...args: unknown[]) => unknown>;
    const told: string[] = [];
    const moved = new Float64Array(8);
    structuredClone(moved, { transfer: [moved.buffer] });
    const buffer = new (ArrayBuffer as unknown as ResizableConstructor)(64, { maxByteLength: 64 });
    const outside = new Float64Array(buffer, 32);
    buffer.resize(16);
    for (const x of [moved, outside]) {
      for (const [name, ...args] of calls(x)) {
        for (const form of [name, `${name}Async`]) told.push(await thrown(() => methods[form](...args)));
      }
      assert.is(pe.allreduce(1, "sum"), pe.size);
    }
    for (const x of [new Float64Array(0), new Float64Array(new SharedArrayBuffer(0)), pe.alloc(Float64Array, 0)]) {
      for (const [name, ...args] of calls(x)) {
        // all make the same calls
        if (name === "scatter") continue;
        methods[name](...args);
        await methods[`${name}Async`](...args);
      }
    }
    return told;
  },
};

/** ES2024, which Node 20 has already. */
type ResizableConstructor = new (
  length: number,
  options: { maxByteLength: number },
) => ArrayBuffer & { resize(length: number): void };

const program: Spmd = spmd((pe, part) => parts[part as Part](pe));

export default program;
