/** Plays a reduction at one PE and checks it, bit for bit, against the order that is documented. */
import * as assert from "uvu/assert";
import type { Op, TypedArray } from "../../../src/index.ts";
import type { Tree } from "../../../trees/model/tree.ts";
import type { Case } from "./cases.ts";
import { chunkOrder, exchangeOrder, rankOrder, ringOrder, treeOrder } from "./orders.ts";
import { inHeap } from "./places.ts";
import {
  combineArrays,
  type Element,
  elements,
  FUNCTIONS,
  firstDifference,
  type Step,
  stepOf,
  type TypeName,
} from "./reference.ts";
import { call, isArrayKind, placeOf, ranksOf, type Scene } from "./scene.ts";

/** How the values of all PEs come together. */
export interface How {
  readonly call: Case["call"];
  readonly algorithm: string;
  /** The tree of reductions; null when it is not known. */
  readonly tree: Tree | null;
  readonly root: number;
  readonly rank: number;
}

/** The algorithm of a call over so many bytes, as explain() tells it. */
export function algorithmOf(explained: string, call: string, bytes: number, wish: string | null): string {
  if (wish !== null) return wish;
  const told = new RegExp(`^${call}: (\\S+) up to (\\d+) bytes, (\\S+) above`, "m").exec(explained);
  if (told === null) return "";
  return bytes <= Number(told[2]) ? told[1] : told[3];
}

/** What a call makes of the values of all PEs, in the documented order; not for arrays in chunks. */
export function combined<T>(how: How, values: readonly T[], combine: (a: T, b: T) => T): T {
  const { call, algorithm, tree, root, rank } = how;
  if (call === "scan") return rankOrder(values, rank, combine);
  if (call === "exscan") return rankOrder(values, rank - 1, combine);
  if (algorithm === "exchange") return exchangeOrder(values, combine);
  // less than a line has one chunk, the last PE's
  if (algorithm === "scatter") return ringOrder(values, call === "reduce" ? root : values.length - 1, combine);
  // without the tree the caller has seen to it that any order gives the same
  if (tree === null) return rankOrder(values, values.length - 1, combine);
  return treeOrder(tree, call === "reduce" ? root : tree.root, values, combine);
}

/** As {@link combined}, for arrays; `allInHeap`: those of all PEs lie in the heap. */
export function combinedArrays(how: How, values: readonly TypedArray[], step: Step, allInHeap: boolean): TypedArray {
  if (how.call === "allreduce" && how.algorithm === "scatter") return chunkOrder(values, allInHeap, step);
  return combined(how, values, (a, b) => combineArrays(a, b, step));
}

/** Plays a case of reduce, allreduce, scan or exscan. */
export async function playReduction(scene: Scene): Promise<void> {
  const { pe, group, one, root } = scene;
  const bytes = isArrayKind(one.kind)
    ? new (globalThis[one.kind] as Float64ArrayConstructor)(0).BYTES_PER_ELEMENT * one.length
    : 8;
  const chosen = algorithmOf(group.explain(), one.call, bytes, one.algorithm);
  // numbers have no chunks: what is no exchange goes over the tree
  const isTree = one.kind === "number" && (one.call === "reduce" || chosen !== "exchange");
  const overNodes = pe.nodes > 1;
  const algorithm = overNodes ? "exchange" : isTree ? "tree" : chosen;
  // the tree of a group is its own business, and so is the way over nodes; there the order must not matter
  const isScan = one.call === "scan" || one.call === "exscan";
  const tame = (overNodes && !isScan) || (group !== pe && algorithm === "tree");
  const op = tame && one.op === "order" ? "smaller" : one.op;
  const how = {
    call: one.call,
    algorithm,
    tree: group === pe ? pe.trees.reduce : null,
    root,
    rank: group.rank,
  };
  if (isArrayKind(one.kind)) await playArray(scene, one.kind, op, how, tame);
  else await playSingle(scene, op, how, tame);
}

/** The op to hand over: a name, or the function itself. */
export const opOf = (op: string, numbers: "number" | "bigint"): Op => (FUNCTIONS[op]?.[numbers] ?? op) as Op;

/** The result is wanted here. */
const answered = ({ call, root, rank }: How): boolean =>
  call === "reduce" ? rank === root : call !== "exscan" || rank > 0;

const argsOf = ({ one, root }: Scene, op: Op): unknown[] => (one.call === "reduce" ? [op, root] : [op]);

async function playArray(scene: Scene, type: TypeName, op: string, how: How, tame: boolean): Promise<void> {
  const { arena, group, one, seed } = scene;
  const values = ranksOf(scene).map((rank) => elements(type, one.length, seed + 64 * rank, tame));
  const { array, untouched } = arena.place(type, one.length, placeOf(scene, group.rank));
  (array as Float64Array).set(values[group.rank] as Float64Array);
  const handed = opOf(op, type.startsWith("Big") ? "bigint" : "number");
  const got = await call(scene, array, ...argsOf(scene, handed));
  assert.is(got, answered(how) ? array : undefined);
  const allInHeap = ranksOf(scene).every((rank) => inHeap(placeOf(scene, rank)));
  const expected = answered(how) ? combinedArrays(how, values, stepOf(type, op), allInHeap) : values[group.rank];
  const at = firstDifference(array, expected);
  assert.is(at, -1, `element ${at} is ${array[at]}, not ${expected[at]} (${how.algorithm})`);
  assert.ok(untouched(), "the surroundings are as they were");
}

async function playSingle(scene: Scene, op: string, how: How, tame: boolean): Promise<void> {
  const { group, one, seed } = scene;
  const big = one.kind === "bigint";
  const bitwise = ["and", "or", "xor"].includes(op);
  const type = big ? "BigInt64Array" : bitwise ? "Int32Array" : "Float64Array";
  const values = ranksOf(scene).map((rank) => elements(type, 1, seed + 64 * rank, tame)[0]);
  const got = await call(scene, values[group.rank], ...argsOf(scene, opOf(op, big ? "bigint" : "number")));
  const step = stepOf(big ? type : "Float64Array", op) as unknown as (a: Element, b: Element) => Element;
  const wrap = (x: Element): Element => (big ? BigInt.asIntN(64, x as bigint) : x);
  const expected = answered(how) ? combined(how, values, (a, b) => wrap(step(a, b))) : undefined;
  assert.ok(Object.is(got, expected), `expected ${expected}, got ${got} (${how.algorithm})`);
}
