/**
 * Collectives that move arrays, by the number of bytes that each PE gives: ours with the user's arrays for the results,
 * and the same by hand: each PE writes what it has for the others into an array that all share, and all meet at a
 * barrier.
 */

import type { PE } from "../../../../src/index.ts";
import type { Operations } from "../../../../src/running/contest/batches.ts";
import { SHARED } from "../turns/targets.ts";

const KIB = 1024;
const SIZES: readonly (readonly [name: string, bytes: number])[] = [
  ["1 KiB", KIB],
  ["8 KiB", 8 * KIB],
  ["128 KiB", 128 * KIB],
  ["1 MiB", 1024 * KIB],
  ["8 MiB", 8192 * KIB],
];
/** The size of the forms that are measured at one size only. */
const ONE = 1024 * KIB;

type Named = Readonly<Record<string, Operations>>;

/** Elements of a cache line. */
const LINE = 8;

/** The value that PE `from` gives to PE `to` in its i-th call. */
const numberOf = (from: number, to: number, i: number): number => 1000 * i + 10 * from + to;

/** Writes a number into every line of what this PE gives: to each PE a part, or to all the same. */
function write(pe: PE, x: Float64Array, parts: number, i: number): void {
  const part = x.length / parts;
  for (let to = 0; to < parts; to++) {
    const value = numberOf(pe.rank, to, i);
    for (let at = to * part; at < (to + 1) * part; at += LINE) x[at] = value;
  }
}

/** @throws Error unless every line of what has come from each PE has the number that it wrote */
function read(pe: PE, x: Float64Array, start: number, part: number, to: number, i: number): void {
  for (let from = 0; from < pe.size; from++) {
    const value = numberOf(from, to, i);
    const first = start + from * part;
    for (let at = first; at < first + part; at += LINE)
      if (x[at] !== value) throw new Error(`element ${at - start} is ${x[at]}, not ${value}`);
  }
}

/** Operations of one kind, which are timed a batch of each in turn. */
export interface Moves {
  readonly ours: Named;
  readonly byHand: Named;
  /** Bytes that each PE gives. */
  readonly bytes: number;
}

/** All of them, by call and size. */
export function movesInTurn(pe: PE): Moves[] {
  const [ours, byHand] = [Object.entries(moves(pe)), movesByHand(pe)];
  const kindOf = (name: string) => name.replace("alltoallv", "alltoall").replace(/,.*/, "");
  return Object.entries(byHand).map(([what, run]) => ({
    ours: Object.fromEntries(ours.filter(([name]) => kindOf(name) === what)),
    byHand: { [what]: run },
    bytes: SIZES.find(([name]) => what.endsWith(` ${name}`))?.[1] ?? ONE,
  }));
}

/** Calls of the library. Results are in an array of the PE's own, or in two in turn that all share, as by hand. */
function moves(pe: PE): Named {
  const longest = SIZES.at(-1)?.[1] as number;
  const [x, into] = [pe.alloc(Float64Array, longest / 8), pe.alloc(Float64Array, longest / 8)];
  const all = pe.alloc(Float64Array, (longest * pe.size) / 8);
  const operations: Record<string, Operations> = {};
  /** An alltoall in some form: `call` returns the result. */
  const alltoall = (given: Float64Array, call: () => Float64Array): Operations => {
    const part = given.length / pe.size;
    return (count) => {
      for (let i = 0; i < count; i++) {
        write(pe, given, pe.size, i);
        read(pe, call(), 0, part, pe.rank, i);
      }
    };
  };
  for (const [name, bytes] of SIZES) {
    const length = lengthOf(pe, bytes);
    const given = x.subarray(0, length);
    const result = into.subarray(0, length);
    operations[`alltoall ${name}`] = alltoall(given, () => pe.alltoall(given, { into: result }));
    const gathered = all.subarray(0, length * pe.size);
    operations[`gather ${name}`] = (count) => {
      for (let i = 0; i < count; i++) {
        write(pe, given, 1, i);
        pe.gather(given, 0, { into: gathered });
        if (pe.rank === 0) read(pe, gathered, 0, length, 0, i);
      }
    };
    const shared = [0, 1].map(() => pe.allocShared(Float64Array, length * pe.size));
    operations[`gather ${name}${SHARED}`] = (count) => {
      for (let i = 0; i < count; i++) {
        const all = shared[i & 1] as Float64Array;
        write(pe, given, 1, i);
        pe.gather(given, 0, { into: all });
        if (pe.rank === 0) read(pe, all, 0, length, 0, i);
      }
    };
  }
  const length = lengthOf(pe, ONE);
  const part = length / pe.size;
  const [given, result] = [x.subarray(0, length), into.subarray(0, length)];
  const parts = Array.from({ length: pe.size }, (_, to) => given.subarray(to * part, (to + 1) * part));
  const ofParts = alltoall(given, () => {
    pe.alltoallv(parts, { into: result });
    return result;
  });
  const plain = new Float64Array(length);
  return {
    ...operations,
    "alltoallv 1 MiB": ofParts,
    "alltoall 1 MiB, a new result": alltoall(given, () => pe.alltoall(given)),
    "alltoall 1 MiB, of a plain array": alltoall(plain, () => pe.alltoall(plain, { into: result })),
  };
}

/** Elements of so many bytes, with as many for each PE, in whole lines. */
const lengthOf = (pe: PE, bytes: number): number => Math.floor(bytes / 64 / pe.size) * LINE * pe.size;

/** The same by hand. Two shared arrays in turn: while one is read, nobody writes it. */
function movesByHand(pe: PE): Named {
  const longest = SIZES.at(-1)?.[1] as number;
  const x = pe.alloc(Float64Array, longest / 8);
  const shared = [0, 1].map(() => pe.allocShared(Float64Array, (longest * pe.size) / 8));
  const operations: Record<string, Operations> = {};
  for (const [name, bytes] of SIZES) {
    const length = lengthOf(pe, bytes);
    const part = length / pe.size;
    const given = x.subarray(0, length);
    const parts = Array.from({ length: pe.size }, (_, to) => given.subarray(to * part, (to + 1) * part));
    operations[`alltoall ${name}`] = (count) => {
      for (let i = 0; i < count; i++) {
        const all = shared[i & 1] as Float64Array;
        write(pe, given, pe.size, i);
        for (let to = 0; to < pe.size; to++) all.set(parts[to] as Float64Array, to * length + pe.rank * part);
        pe.barrier();
        read(pe, all, pe.rank * length, part, pe.rank, i);
      }
    };
    operations[`gather ${name}`] = (count) => {
      for (let i = 0; i < count; i++) {
        const all = shared[i & 1] as Float64Array;
        write(pe, given, 1, i);
        all.set(given, pe.rank * length);
        pe.barrier();
        if (pe.rank === 0) read(pe, all, 0, length, 0, i);
      }
    };
  }
  return operations;
}
