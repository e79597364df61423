/**
 * Collectives that move arrays, by the number of bytes that each PE gives: ours with the user's arrays for the results, and the same by hand: each
 * PE writes what it has for the others into an array that all share, and all meet at a barrier.
 */
import type { Operations } from "../../src/contest/batches.ts";
import type { PE } from "../../src/index.ts";

const KIB = 1024;
const SIZES: readonly (readonly [name: string, bytes: number])[] = [
  ["8 KiB", 8 * KIB],
  ["128 KiB", 128 * KIB],
  ["1 MiB", 1024 * KIB],
  ["8 MiB", 8192 * KIB],
];
/** The size of the forms that are measured at one size only. */
const ONE = 1024 * KIB;

type Named = Readonly<Record<string, Operations>>;

/** What PE `from` has for PE `to`: numbers that are found nowhere else. */
const first = (pe: PE, from: number, to: number): number => 1000 * (from * pe.size + to) + 1;

/** Fills the parts for all PEs. */
function filled(pe: PE, x: Float64Array): Float64Array {
  const part = x.length / pe.size;
  return x.map((_, i) => first(pe, pe.rank, Math.floor(i / part)) + (i % part) / x.length);
}

/** @throws Error unless a result has what each PE has sent to this one */
function check(pe: PE, result: ArrayLike<number>, call: string): void {
  const part = result.length / pe.size;
  for (let from = 0; from < pe.size; from++) {
    for (const [i, at] of [
      [0, from * part],
      [part - 1, (from + 1) * part - 1],
    ] as const) {
      const expected = first(pe, from, pe.rank) + i / result.length;
      if (result[at] !== expected)
        throw new Error(`${call}: element ${at} is ${result[at]}, not ${expected}`);
    }
  }
}

/** Calls of the library. The arrays are those of all sizes, made once. */
export function moves(pe: PE): Named {
  const longest = SIZES.at(-1)?.[1] as number;
  const [x, into] = [pe.alloc(Float64Array, longest / 8), pe.alloc(Float64Array, longest / 8)];
  const all = pe.alloc(Float64Array, (longest * pe.size) / 8);
  const operations: Record<string, Operations> = {};
  for (const [name, bytes] of SIZES) {
    const length = Math.floor(bytes / 8 / pe.size) * pe.size;
    const given = x.subarray(0, length);
    const result = into.subarray(0, length);
    operations[`alltoall ${name}`] = (count) => {
      given.set(filled(pe, given));
      for (let i = 0; i < count; i++) pe.alltoall(given, { into: result });
      check(pe, result, "alltoall");
    };
    const gathered = all.subarray(0, length * pe.size);
    operations[`gather ${name}`] = (count) => {
      given.fill(pe.rank + 1);
      for (let i = 0; i < count; i++) pe.gather(given, 0, { into: gathered });
      if (pe.rank === 0 && gathered[length * pe.size - 1] !== pe.size) throw new Error("wrong gather");
    };
  }
  const length = Math.floor(ONE / 8 / pe.size) * pe.size;
  const part = length / pe.size;
  const [given, result] = [x.subarray(0, length), into.subarray(0, length)];
  const parts = Array.from({ length: pe.size }, (_, to) => given.subarray(to * part, (to + 1) * part));
  operations["alltoallv 1 MiB"] = (count) => {
    given.set(filled(pe, given));
    for (let i = 0; i < count; i++) pe.alltoallv(parts, { into: result });
    check(pe, result, "alltoallv");
  };
  operations["alltoall 1 MiB, a new result"] = (count) => {
    given.set(filled(pe, given));
    for (let i = 0; i < count; i++) pe.alltoall(given);
  };
  const plain = filled(pe, new Float64Array(length));
  operations["alltoall 1 MiB, of a plain array"] = (count) => {
    for (let i = 0; i < count; i++) pe.alltoall(plain, { into: result });
    check(pe, result, "alltoall");
  };
  return operations;
}

/** The same by hand. Two shared arrays in turn: while one is read, nobody writes it. */
export function movesByHand(pe: PE): Named {
  const longest = SIZES.at(-1)?.[1] as number;
  const x = pe.alloc(Float64Array, longest / 8);
  const shared = [0, 1].map(() => pe.allocShared(Float64Array, (longest * pe.size) / 8));
  const operations: Record<string, Operations> = {};
  for (const [name, bytes] of SIZES) {
    const length = Math.floor(bytes / 8 / pe.size) * pe.size;
    const part = length / pe.size;
    const given = x.subarray(0, length);
    const parts = Array.from({ length: pe.size }, (_, to) => given.subarray(to * part, (to + 1) * part));
    operations[`alltoall ${name}`] = (count) => {
      given.set(filled(pe, given));
      for (let i = 0; i < count; i++) {
        const all = shared[i & 1] as Float64Array;
        for (let to = 0; to < pe.size; to++) all.set(parts[to] as Float64Array, to * length + pe.rank * part);
        pe.barrier();
      }
      const all = shared[(count - 1) & 1] as Float64Array;
      check(pe, all.subarray(pe.rank * length, (pe.rank + 1) * length), "by hand");
    };
    operations[`gather ${name}`] = (count) => {
      for (let i = 0; i < count; i++) {
        (shared[i & 1] as Float64Array).set(given, pe.rank * length);
        pe.barrier();
      }
    };
  }
  return operations;
}
