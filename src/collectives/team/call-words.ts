/**
 * Collective calls encoded as numbers: a PE records its own calls and compares them with those of others.
 *
 *     word  30 29       24 23        16 15         8 7          0
 *           ┌─┬──────────┬────────────┬────────────┬────────────┐
 *           │R│ algorithm│ kind of x  │     op     │    call    │
 *           └─┴──────────┴────────────┴────────────┴────────────┘
 *
 * R is {@link RESILIENT}.
 */
import { ELEMENT_TYPES, type ElementType, type LocOp, type ReduceOp } from "../../ground/memory/kernels/elements.ts";
import type { Op } from "./payload.ts";

/** The calls of groups. */
export const COLLECTIVES = [
  "barrier",
  "broadcast",
  "reduce",
  "allreduce",
  "reduceScatter",
  "scan",
  "exscan",
  "gather",
  "allgather",
  "scatter",
  "alltoall",
  "alltoallv",
  "split",
  "alloc",
  "allocShared",
  "free",
] as const;
/** Iterations that PEs divide; their terms stand in place of a root (facilities/loop/terms.ts). */
const LOOPS: readonly string[] = ["forEach", "forRange", "reduceEach", "mapEach", "scanEach", "single"];
const OTHERS = ["leave", "forEach", "forRange", "reduceEach", "mapEach", "scanEach", "tasks", "single"] as const;
const CALLS: readonly ["nothing", ...typeof COLLECTIVES, ...typeof OTHERS] = ["nothing", ...COLLECTIVES, ...OTHERS];
const OPS = ["", "sum", "prod", "min", "max", "and", "or", "xor", "function", "minloc", "maxloc"] as const;
const KINDS = ["", "number", "bigint", "value", ...ELEMENT_TYPES, "pair"] as const;

/** The name of a collective. */
export type CallName = Exclude<(typeof CALLS)[number], "nothing">;
/** The kind of x: a number, a bigint, a cloneable value, an array with an element type, or a value with its index. */
export type OperandKind = "" | "number" | "bigint" | "value" | ElementType | "pair";
/** The kind of what PEs show or send each other. */
export type PlainKind = Exclude<OperandKind, "" | "pair">;
/** An op in a word. */
export type OpName = ReduceOp | LocOp | "function" | "";

/** The name of an op. */
export const opName = (op: Op): OpName => (typeof op === "string" ? op : "function");

export const SCHEDULES = ["static", "dynamic", "guided", "steal", "auto"] as const;
/** In place of an algorithm: the result is in an array that all share; on one node its byte offset is the count. */
export const SHARED_RESULT = "into an array that all share";
/** The name of an algorithm; see decide.ts for each. */
export type CollectiveAlgorithm = "tree" | "exchange" | "single-copy" | "scatter" | "mpi";
type Choice = "" | CollectiveAlgorithm | typeof SHARED_RESULT | (typeof SCHEDULES)[number];
const MOVING = ["", "tree", "exchange", "single-copy", "scatter", "mpi"] as const;
/** The algorithms of calls. The number is part of the call, so that a disagreement about it is a mismatch. */
const ALGORITHMS: readonly Choice[] = [...MOVING, SHARED_RESULT, ...SCHEDULES];

const codes = <T extends string>(names: readonly T[]): Readonly<Record<T, number>> =>
  Object.fromEntries(names.map((name, code) => [name, code])) as Record<T, number>;
const CALL_CODES = codes(CALLS);
const OP_CODES = codes(OPS);
const KIND_CODES = codes(KINDS);
const ALGORITHM_CODES = codes(ALGORITHMS);

/** Numbers of kinds, for use in the heap. */
export const kindCode = (kind: OperandKind): number => KIND_CODES[kind];
export const kindOf = (code: number): OperandKind => KINDS[code] ?? "";

/** The word of a call. */
export function callWord(call: CallName, op: OpName, kind: OperandKind, algorithm: Choice = ""): number {
  return CALL_CODES[call] | (OP_CODES[op] << 8) | (KIND_CODES[kind] << 16) | (ALGORITHM_CODES[algorithm] << 24);
}

/** In the word of a call that a resilient group makes in the group that it was made of: a plain one is another. */
export const RESILIENT: number = 1 << 30;

/** The name of the call that a word encodes. */
export const callName = (word: number): string => CALLS[word & 255] ?? "an unknown call";

/** One record of the call log. */
export interface CallRecord {
  readonly word: number;
  /** Elements; 0 if PEs may differ. */
  readonly count: number;
  /** The root; -1 if there is none. */
  readonly root: number;
}

const loopTerms = (terms: number, chunk = terms >>> 19, hash = terms & 0x3ffff): string =>
  `${chunk > 0 ? `, chunk ${chunk < 2048 ? chunk : "> 2047"}` : ""}${terms & 0x40000 ? ", wait: false" : ""}` +
  (hash > 0 ? `, range, array, body or ordered part #${hash.toString(16)}` : "");

/** A description of a call: `reduce sum of f64[1000] at root 2`. */
export function describeCall({ word, count, root }: CallRecord): string {
  const op = OPS[(word >>> 8) & 255];
  const kind = kindOf((word >>> 16) & 255);
  const algorithm = ALGORITHMS[(word & ~RESILIENT) >>> 24];
  const call = callName(word);
  // where PEs may differ in their lengths, none is recorded
  const length = call === "gather" || call === "allgather" || call === "alltoallv" ? "" : count;
  const isOne = kind === "number" || kind === "bigint" || kind === "value" || kind === "pair";
  const article = isOne ? `a ${kind}` : `${kind}[${length}]`;
  const bytes = `of ${count} bytes`;
  const memory = { alloc: bytes, allocShared: bytes, free: `of the array at byte ${count}` };
  const isLoop = LOOPS.includes(call);
  const heap = memory[call as "alloc"] ?? (isLoop && call !== "single" ? `of ${count >>> 0} iterations` : "");
  const place = isLoop ? loopTerms(-2 - root) : algorithm === SHARED_RESULT && count > 0 ? `, at byte ${count}` : "";
  return [
    call,
    op,
    kind ? `of ${article}` : heap,
    root >= 0 ? `at root ${root}` : "",
    algorithm ? `(${algorithm}${place})` : "",
    word & RESILIENT ? "of a resilient group" : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The word of a PE's last call in a group. */
export const LEAVE: number = callWord("leave", "", "");
/** The words of the most frequent calls, precomputed; the same with steps between nodes by the MPI library. */
export const BARRIER: number = callWord("barrier", "", "");
export const BROADCAST_NUMBER: number = callWord("broadcast", "", "number", "tree");
export const BARRIER_MPI: number = callWord("barrier", "", "", "mpi");
export const BROADCAST_NUMBER_MPI: number = callWord("broadcast", "", "number", "mpi");
export const SUM_NUMBER_MPI: number = callWord("allreduce", "sum", "number", "mpi");

const byOp = (call: CallName, algorithm: CollectiveAlgorithm): Readonly<Record<OpName, number>> =>
  Object.fromEntries(OPS.map((op) => [op, callWord(call, op, "number", algorithm)])) as Record<OpName, number>;

/** The same, by op. */
export const REDUCE_NUMBER: Readonly<Record<OpName, number>> = byOp("reduce", "tree");
export const ALLREDUCE_NUMBER_TREE: Readonly<Record<OpName, number>> = byOp("allreduce", "tree");
export const ALLREDUCE_NUMBER_EXCHANGE: Readonly<Record<OpName, number>> = byOp("allreduce", "exchange");
