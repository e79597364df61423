/**
 * Checks trees and barriers given by the user: read from a file, written by hand, or made for another machine. An
 * invalid one would otherwise cause a hang of the collectives, or an internal error.
 *
 * Example: `{ root: 0, children: { 0: 5 } }` is rejected with `children.0: expected a list of PEs, got 5`.
 */

import { UsageError } from "../../src/ground/base/errors.ts";
import { checkNames } from "../../src/ground/base/names.ts";
import { shortText } from "../../src/ground/base/short-text.ts";
import { algorithms } from "../../src/ground/base/tree-algorithms.ts";
import type { Barrier, Operation, Tree } from "./tree.ts";

const TREE: readonly (keyof Tree)[] = ["algorithm", "from", "root", "children", "latency"];
/** The first missing one is named in the message. */
const NEEDED: readonly (keyof Tree)[] = ["algorithm", "root", "children"];
const BARRIERS: Readonly<Record<Barrier["kind"], readonly string[]>> = {
  tree: ["kind", "latency", "root", "reduce", "broadcast"],
  dissemination: ["kind", "latency", "order"],
  hybrid: ["kind", "latency", "leaders", "reduce", "broadcast"],
};

/**
 * Checks a tree; returns its PEs, every parent before its children.
 * @param what its name in messages, such as `plan.broadcast`
 * @throws UsageError that names the place
 */
export function treeMembers(tree: unknown, what = ""): number[] {
  const at = (place: string): string => (what === "" ? place : `${what}.${place}`);
  const { algorithm, from, root, children, latency } = (tree ?? {}) as Partial<Tree>;
  const missing = isObject(tree) ? NEEDED.find((field) => tree[field as never] === undefined) : undefined;
  if (!isObject(tree) || missing !== undefined) {
    const found = isObject(tree) ? `one without ${missing}` : shortText(tree);
    throw new UsageError(
      `${what === "" ? "Expected" : `${what}: expected`} a tree, an object with ${NEEDED.join(", ")}, got ${found}. generateTrees() makes them.`,
    );
  }
  checkNames(what === "" ? "tree" : what, tree, TREE);
  if (!isObject(children)) {
    throw new UsageError(
      `${at("children")}: expected an object with the children of each PE, got ${shortText(children)}.`,
    );
  }
  if (!algorithms.includes(algorithm as never)) {
    throw new UsageError(`${at("algorithm")}: expected one of ${algorithms.join(", ")}, got ${shortText(algorithm)}.`);
  }
  if (from !== undefined && typeof from !== "string") {
    throw new UsageError(`${at("from")}: expected the name of a finder, got ${shortText(from)}.`);
  }
  // a tree made by the caller, whose latency is to be computed, may lack it
  if (latency !== undefined || what !== "") checkLatency(latency, at("latency"));
  checkPE(root, at("root"));
  const seen = new Set([root]);
  for (const parent of seen) {
    const place = at(`children.${parent}`);
    const { [parent]: list = [] } = children as Record<number, unknown>;
    for (const child of listOf(list, place)) {
      checkPE(child, place);
      if (seen.has(child)) throw new UsageError(`${place}: expected a tree, but PE ${child} is reached twice.`);
      seen.add(child);
    }
  }
  for (const parent of Object.keys(children)) {
    if (seen.has(Number(parent)) && String(Number(parent)) === parent) continue;
    throw new UsageError(`${at("children")}: expected a tree, but PE ${parent} is not reached from the root ${root}.`);
  }
  return [...seen];
}

/** Checks a barrier; its PEs, the same in both directions with the same roots. @throws UsageError with the place */
export function barrierMembers(barrier: unknown, what = "barrier"): number[] {
  const { kind } = (barrier ?? {}) as Partial<Barrier>;
  if (!isObject(barrier) || typeof kind !== "string" || !Object.hasOwn(BARRIERS, kind)) {
    const kinds = Object.keys(BARRIERS).join(", ");
    const found = isObject(barrier) ? `one of kind ${shortText(kind)}` : shortText(barrier);
    throw new UsageError(
      `${what}: expected a barrier, of one of the kinds ${kinds}, got ${found}. generateTrees() makes them.`,
    );
  }
  checkNames(what, barrier, BARRIERS[kind]);
  const known = barrier as unknown as Barrier;
  checkLatency(known.latency, `${what}.latency`);
  if (known.kind === "dissemination") return distinct(known.order, `${what}.order`);
  if (known.kind === "hybrid") {
    const leaders = distinct(known.leaders, `${what}.leaders`);
    const broadcast = forest(known.broadcast, leaders, `${what}.broadcast`);
    sameMembers(forest(known.reduce, leaders, `${what}.reduce`), broadcast, what);
    return broadcast;
  }
  const broadcast = treeMembers(known.broadcast, `${what}.broadcast`);
  sameMembers(treeMembers(known.reduce, `${what}.reduce`), broadcast, what);
  for (const operation of ["reduce", "broadcast"] as const) {
    const { root } = known[operation];
    if (root === known.root) continue;
    throw new UsageError(
      `${what}.${operation}.root: expected the barrier's own root, ${shortText(known.root)}, got ${root}.`,
    );
  }
  return broadcast;
}

/** Checks the name of an operation. @throws UsageError */
export function checkOperation(operation: unknown): asserts operation is Operation {
  if (operation === "broadcast" || operation === "reduce") return;
  throw new UsageError(`operation: expected one of broadcast, reduce, got ${shortText(operation)}.`);
}

/** The PEs of trees, one tree for each leader, without common PEs. */
function forest(trees: unknown, leaders: readonly number[], what: string): number[] {
  const members = listOf(trees, what).flatMap((tree, i) => {
    const own = treeMembers(tree, `${what}.${i}`);
    if (own[0] === leaders[i]) return own;
    throw new UsageError(`${what}.${i}.root: expected the leader ${shortText(leaders[i])}, got ${own[0]}.`);
  });
  if ((trees as unknown[]).length !== leaders.length) {
    throw new UsageError(
      `${what}: expected a tree for each of the ${leaders.length} leaders, got ${shortText(trees)}.`,
    );
  }
  return distinct(members, what);
}

function sameMembers(reduce: readonly number[], broadcast: readonly number[], what: string): void {
  const other = new Set(broadcast);
  const odd = reduce.find((pe) => !other.has(pe));
  if (odd === undefined && reduce.length === other.size) return;
  throw new UsageError(`${what}: expected reduce and broadcast to reach the same PEs.`);
}

function distinct(pes: unknown, what: string): number[] {
  const seen = new Set<number>();
  for (const pe of listOf(pes, what)) {
    checkPE(pe, what);
    if (seen.has(pe)) throw new UsageError(`${what}: expected each PE once, got ${pe} twice.`);
    seen.add(pe);
  }
  if (seen.size === 0) throw new UsageError(`${what}: expected one PE or more, got none.`);
  return [...seen];
}

function listOf(list: unknown, what: string): unknown[] {
  if (Array.isArray(list)) return [...list];
  throw new UsageError(`${what}: expected a list of PEs, got ${shortText(list)}.`);
}

function checkPE(pe: unknown, what: string): asserts pe is number {
  if (Number.isSafeInteger(pe) && (pe as number) >= 0) return;
  throw new UsageError(`${what}: expected a PE number, a whole number >= 0, got ${shortText(pe)}.`);
}

function checkLatency(latency: unknown, what: string): void {
  if (typeof latency === "number" && latency >= 0) return;
  throw new UsageError(`${what}: expected a number >= 0, got ${shortText(latency)}.`);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
