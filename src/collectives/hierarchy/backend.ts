/**
 * The calls of a group that spans nodes: within each subgroup as on one node, between the subgroups by messages, and
 * within each subgroup again.
 *
 * Results are those of one node. Sums of floating-point numbers may differ in their last bits, as they do between two
 * plans of one node; a scan never does. Which algorithm runs within a subgroup is the subgroup's own decision.
 */

import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { CollectivesBackend } from "../calls/backend.ts";
import { type CheckedCall, checkRoot } from "../calls/call.ts";
import { numberElement, type Operand, resultOf } from "../calls/elements.ts";
import type { CallEngine } from "../calls/engine.ts";
import { operandOf } from "../calls/operands.ts";
import type { Scatterable } from "../calls/parts.ts";
import type { Value } from "../node/exposed-values.ts";
import { regionOf } from "../node/region.ts";
import type { Into } from "../node/result-array.ts";
import { type CollectiveAlgorithm, callWord, opName } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import type { AllocName, AllocUse } from "../team/refusals.ts";
import { allreduceArray, broadcastArray, reduceArray } from "./array-calls.ts";
import { taskCall } from "./call.ts";
import { HierarchyEngine } from "./engine.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { allocOnNodes, freeOnNodes } from "./memory-calls.ts";
import {
  packedAlltoall,
  packedAlltoallv,
  packedGather,
  packedScatter,
  packedSplit,
  valueBroadcast,
} from "./packed-calls.ts";
import { reduceScatterArray } from "./reduce-scatter.ts";
import { ScalarCalls } from "./scalar-calls.ts";
import { scanElements } from "./scans.ts";
import { withinOf } from "./within.ts";

/** Operands of reductions beside numbers. */
type Others = Exclude<Operand, number>;

/** Of PEs of several nodes. */
export class HierarchyBackend implements CollectivesBackend {
  readonly rank: number;
  readonly size: number;
  /** Barrier and numbers; blocking as well. */
  readonly scalars: ScalarCalls;
  readonly #engine: HierarchyEngine;

  /** @param within the algorithms of this PE's subgroup */
  constructor(within: CallEngine, hierarchy: Hierarchy) {
    within.team.open();
    this.rank = hierarchy.subgroups.rank;
    this.size = hierarchy.subgroups.size;
    this.#engine = new HierarchyEngine(hierarchy, within);
    this.scalars = new ScalarCalls(this.#engine);
  }

  barrier(): CheckedCall<void> {
    return this.scalars.barrierCall();
  }

  broadcast<T>(x: T, root: number, wish?: CollectiveAlgorithm): CheckedCall<T> {
    checkRoot(root, this.size);
    if (typeof x === "number") return this.scalars.broadcastCall(x, root, wish) as CheckedCall<T & number>;
    if (typeof x === "bigint" || isTypedArray(x)) {
      return broadcastArray(this.#engine, x as T & (bigint | TypedArray), root, wish);
    }
    return valueBroadcast(this.#engine, x, root, wish);
  }

  reduce<T extends Operand>(x: T, op: Op, root: number, wish?: CollectiveAlgorithm): CheckedCall<T | undefined> {
    checkRoot(root, this.size);
    if (typeof x === "number")
      return this.scalars.reduceCall(x, op, root, wish) as CheckedCall<(T & number) | undefined>;
    return reduceArray(this.#engine, x as T & Others, op, root, wish);
  }

  allreduce<T extends Operand>(x: T, op: Op, wish?: CollectiveAlgorithm): CheckedCall<T> {
    this.#engine.within.decisions.choose("allreduce", 8, withinOf(wish)); // that there is such a one
    const within = wish === "exchange" ? "tree" : wish;
    if (typeof x === "number") return this.scalars.allreduceCall(x, op, within) as CheckedCall<T & number>;
    return allreduceArray(this.#engine, x as T & Others, op, within);
  }

  reduceScatter(x: Scatterable, op: Op, into?: TypedArray): CheckedCall<unknown> {
    return reduceScatterArray(this.#engine, x, op, into);
  }

  scan<T extends Operand>(x: T, op: Op, inclusive: boolean): CheckedCall<T | undefined> {
    const { within, hierarchy } = this.#engine;
    const { team } = hierarchy;
    const { array, type, kind, reducer } =
      typeof x === "number"
        ? { ...numberElement(x), reducer: within.data.ops.lifted(op) }
        : operandOf(team, within.data.ops, x, op);
    const scan = { array, region: regionOf(team, array, type), reducer, inclusive };
    const word = callWord(inclusive ? "scan" : "exscan", opName(op), kind);
    const { rank } = this;
    const engine = this.#engine;
    return taskCall(engine, word, array.length, -1, function* (tag) {
      yield* scanElements(engine, tag, scan);
      return inclusive || rank > 0 ? resultOf(x, array) : undefined;
    });
  }

  gather(x: Value, root: number, into?: Into): CheckedCall<Value> {
    checkRoot(root, this.size);
    return packedGather(this.#engine, x, root, into);
  }

  allgather(x: Value, into?: Into): CheckedCall<Value> {
    return packedGather(this.#engine, x, null, into);
  }

  scatter(x: Value, root: number, into?: TypedArray): CheckedCall<Value> {
    checkRoot(root, this.size);
    return packedScatter(this.#engine, x, root, into);
  }

  alltoall(x: Value, into?: Into): CheckedCall<Value> {
    return packedAlltoall(this.#engine, x, into);
  }

  alltoallv(parts: readonly TypedArray[], into?: Into): CheckedCall<Value> {
    return packedAlltoallv(this.#engine, parts, into);
  }

  split(colour: number | undefined | null, key: number): CheckedCall<number[]> {
    return packedSplit(this.#engine, colour, key);
  }

  alloc(bytes: number, name: AllocName, use: AllocUse): CheckedCall<number> {
    return allocOnNodes(this.#engine, bytes, name, use);
  }

  free(offset: number): CheckedCall<void> {
    return freeOnNodes(this.#engine, offset);
  }

  explain(): string {
    const { hierarchy, within } = this.#engine;
    const { all, own } = hierarchy.subgroups;
    const lines = [
      `between ${all.length} nodes: allreduce by recursive doubling, barrier by dissemination, broadcast and reduce by a tree, reduceScatter in pairs, the others in lists`,
      ...hierarchy.choice.explain(),
      `within this node's ${all[own].ranks.length} PEs:`,
    ];
    return `${lines.join("\n")}\n${within.explain()}`;
  }

  leave(): void {
    this.#engine.within.team.leave();
    this.#engine.hierarchy.leave();
  }
}

/** The makers of the collectives of a group over several nodes. */
export const overNodes = (
  hierarchy: Hierarchy,
): { readonly hierarchy: Hierarchy; backend(within: CallEngine): HierarchyBackend } => ({
  hierarchy,
  backend: (within) => new HierarchyBackend(within, hierarchy),
});
