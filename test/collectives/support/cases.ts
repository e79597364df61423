/** Calls of collectives as data: what the launcher makes up and every PE plays. */
import fc from "fast-check";
import { FUNCTIONS, makeOf, opsOf, TYPE_NAMES, type TypeName } from "./reference.ts";

export const REDUCTIONS = ["reduce", "allreduce", "reduceScatter", "scan", "exscan"] as const;
export const MOVES = ["gather", "allgather", "scatter", "alltoall", "alltoallv"] as const;
export type CallName = "barrier" | "broadcast" | (typeof REDUCTIONS)[number] | (typeof MOVES)[number];
export const CALLS: readonly CallName[] = ["barrier", "broadcast", ...REDUCTIONS, ...MOVES];

/** What x is: a typed array, or one of the others. A pair is a value with its index. */
export type Kind = TypeName | "number" | "bigint" | "value" | "pair";

/** Blocking calls, Async ones, or one sort at some PEs and the other sort at the others. */
export const FORMS = ["blocking", "async", "some async"] as const;

export const INTOS = ["nothing", "fits", "longer", "list"] as const;

/** One call. */
export interface Case {
  readonly call: CallName;
  readonly kind: Kind;
  /** Of reductions: an operator, one of LOC_OPS, or the name of one of FUNCTIONS. */
  readonly op: string;
  /** Taken modulo the size of the group. */
  readonly root: number;
  /** Elements (pairs under LOC_OPS), or those of one part where x has a part for each PE. */
  readonly length: number;
  /** Each PE has another length, where that is allowed. */
  readonly ragged: boolean;
  /** Groups that make the call at the same time, by rank; none: the world. PEs in none do nothing. */
  readonly groups: readonly (readonly number[])[];
  /** Where the arrays lie: index in PLACES, the same at each PE or not. */
  readonly place: number;
  readonly apart: boolean;
  readonly form: (typeof FORMS)[number];
  /** What is given for the result, where that is an array: nothing, what it fits into, what is longer, or an array for each part. */
  readonly into: (typeof INTOS)[number];
  /** The algorithm to force. */
  readonly algorithm: string | null;
  readonly seed: number;
}

const CHOICES: Readonly<Record<string, string[]>> = {
  broadcast: ["tree", "single-copy"],
  reduce: ["tree", "scatter"],
  allreduce: ["exchange", "tree", "scatter"],
};

/** Operators over pairs. */
export const LOC_OPS: readonly string[] = ["minloc", "maxloc"];

/** Algorithms that a call can be told to use; values have no choice, and pairs have one algorithm. */
function algorithmsOf(call: CallName, kind: string, op: string): string[] {
  const all = kind === "value" ? [] : (CHOICES[call] ?? []);
  return LOC_OPS.includes(op) ? all.filter((one) => one === "scatter") : all;
}

const isReduction = (call: CallName): boolean => (REDUCTIONS as readonly string[]).includes(call);

/** What a call takes. */
export function kindsOf(call: CallName): Kind[] {
  if (call === "barrier") return ["number"];
  if (call === "alltoallv") return [...TYPE_NAMES];
  const kinds: Kind[] = [...TYPE_NAMES, "number", "bigint"];
  return [...kinds, isReduction(call) ? "pair" : "value"];
}

/** The ops of a reduction of a kind, the functions above among them; one that means nothing elsewhere. */
export function opsFor(call: CallName, kind: Kind): string[] {
  if (!isReduction(call)) return ["sum"];
  if (kind === "pair") return [...LOC_OPS];
  const type: TypeName = kind === "number" ? "Int32Array" : kind === "bigint" ? "BigInt64Array" : (kind as TypeName);
  return [...opsOf(type), ...Object.keys(FUNCTIONS), ...(kind.endsWith("Array") ? LOC_OPS : [])];
}

/** Every call with every kind and op once; the rest of each case varies from one to the next. */
export function everyKindAndOp(lengths: readonly number[]): Case[] {
  const cases: Case[] = [];
  for (const call of CALLS) {
    for (const kind of kindsOf(call)) {
      for (const op of opsFor(call, kind)) {
        const i = cases.length;
        const algorithms = [null, ...algorithmsOf(call, kind, op)];
        cases.push({
          ...{
            call,
            kind,
            op,
            root: i,
            length: lengths[i % lengths.length],
            ragged: i % 3 === 0,
            groups: [],
          },
          ...{ place: i % 5, apart: i % 2 === 0, form: FORMS[i % 3], into: INTOS[i % 4], seed: 10 * i },
          algorithm: algorithms[Math.floor(i / 3) % algorithms.length],
        });
      }
    }
  }
  return cases;
}

/** Numbers of bytes at which something changes: messages, short copies, crossovers, segments, staging. */
export const EDGES: readonly number[] = [0, 8, 56, 64, 112, 120, 896, 65_536, 131_072];

/** Every call and algorithm with arrays whose bytes are at an edge, one element below and one above. */
export function everyEdge(types: readonly TypeName[], edges: readonly number[]): Case[] {
  const cases: Case[] = [];
  for (const type of types) {
    for (const call of CALLS) {
      if (call === "barrier") continue;
      for (const algorithm of [null, ...algorithmsOf(call, type, "")]) {
        for (const edge of edges) {
          for (const off of [-1, 0, 1]) {
            const length = edge / makeOf(type).BYTES_PER_ELEMENT + off;
            if (length < 0) continue;
            const i = cases.length;
            const ops = ["sum", "order", "max"];
            cases.push({
              ...{ call, kind: type, op: ops[i % 3], root: i, length, ragged: i % 4 === 0, groups: [] },
              ...{ place: (i * 2 + (i >> 3)) % 5, apart: i % 2 === 0, form: FORMS[(i >> 1) % 3] },
              ...{ algorithm, into: INTOS[(i >> 1) % 4], seed: 10 * i },
            });
          }
        }
      }
    }
  }
  return cases;
}

/** Some of the ranks, shuffled, cut into groups. */
function someGroups(pes: number): fc.Arbitrary<number[][]> {
  const ranks = Array.from({ length: pes }, (_, rank) => rank);
  return fc
    .tuple(fc.shuffledSubarray(ranks, { minLength: 1 }), fc.array(fc.integer({ min: 1, max: pes }), { minLength: pes }))
    .map(([members, sizes]) => {
      const groups: number[][] = [];
      for (let from = 0, i = 0; from < members.length; i++) {
        groups.push(members.slice(from, from + sizes[i]));
        from += sizes[i];
      }
      return groups;
    });
}

/** Calls that are given a block for each PE. */
const IN_BLOCKS: readonly Case["call"][] = ["reduceScatter", "alltoall", "alltoallv"];

/** Any case for `pes` PEs, long arrays now and then. */
export function anyCase(pes: number): fc.Arbitrary<Case> {
  return fc
    .record({
      call: fc.constantFrom(...CALLS),
      kind: fc.nat(),
      op: fc.nat(),
      algorithm: fc.nat(),
      root: fc.nat(7),
      length: fc.oneof(
        { weight: 12, arbitrary: fc.nat(200) },
        { weight: 2, arbitrary: fc.nat(3000) },
        { weight: 1, arbitrary: fc.nat(40_000) },
      ),
      ragged: fc.boolean(),
      groups: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: someGroups(pes) }),
      place: fc.nat(4),
      apart: fc.boolean(),
      form: fc.constantFrom(...FORMS),
      into: fc.constantFrom(...INTOS),
      seed: fc.nat(1_000_000),
    })
    .map((one) => {
      const pick = <T>(list: readonly T[], i: number): T => list[i % list.length];
      const kind = pick(kindsOf(one.call), one.kind);
      const op = pick(opsFor(one.call, kind), one.op);
      return {
        ...one,
        kind,
        op,
        // with a block for each of 8 PEs, of pairs too, given and into which the result goes, it fits into the room that there is
        length: IN_BLOCKS.includes(one.call) ? one.length % 16_384 : one.length,
        algorithm: pick([null, ...algorithmsOf(one.call, kind, op)], one.algorithm),
      };
    });
}
