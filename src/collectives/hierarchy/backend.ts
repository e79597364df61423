/**
 * The calls of a group that spans nodes: within each part as on one node, between the parts by messages, and within
 * each part again.
 *
 * Results are those of one node. Sums of floating-point numbers may differ in their last bits, as they do between
 * two plans of one node; a scan never does. Which algorithm runs within a part is the part's own decision.
 */

import { UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { TypedArray } from "../../memory/kernels/elements.ts";
import type { CollectivesBackend } from "../calls/backend.ts";
import { type Call, HeapRefusal } from "../calls/call.ts";
import { reduceCall } from "../calls/computing.ts";
import { elementsOf, numberElement, opName, type Reducible, resultOf } from "../calls/elements.ts";
import type { Engine } from "../calls/engine.ts";
import { broadcastCall } from "../calls/moving.ts";
import { checkAlltoallv } from "../node/alltoall.ts";
import { checkParts, isTypedArray, join, kindOfValue, pack, type Value } from "../node/exposed-values.ts";
import { regionOf } from "../node/region.ts";
import {
  ALLREDUCE_NUMBER_TREE,
  type Algorithm,
  BARRIER,
  BROADCAST_NUMBER,
  callWord,
  REDUCE_NUMBER,
} from "../team/call-words.ts";
import type { Routine } from "../team/operation.ts";
import type { Op } from "../team/payload.ts";
import { type ArrayGround, allreduceArray, broadcastArray, reduceArray } from "./array-calls.ts";
import { HotArrays } from "./blocking-arrays.ts";
import { HotNumbers } from "./blocking-scalars.ts";
import { ClusterCall, type Course } from "./call.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { through, within } from "./local.ts";
import { arrivingNumber, exchangeNumbers, meet, passNumber, reduceNumbers } from "./numbers.ts";
import { allgatherBoxes, alltoallBoxes, gatherBoxes, scatterBoxes } from "./packed.ts";
import { boxesOf, boxOf, unbox } from "./packing.ts";
import { scanElements } from "./scans.ts";

function* barrierSteps({ hierarchy, engine, tag }: Course): Routine<void> {
  const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
  // not a barrier within: up to the leader is enough
  engine.reduce.beginNumber(tag, 0, Math.max, leader);
  yield* through(engine.reduce);
  if (hierarchy.leads(-1)) yield* meet(hierarchy);
  yield* within(broadcastCall(engine, 0, leader, undefined), tag);
}

/** Of PEs of several nodes. */
export class HierarchyBackend implements CollectivesBackend {
  readonly rank: number;
  readonly size: number;
  readonly #ground: ArrayGround;
  /** Barrier and numbers, blocking. */
  readonly hot: HotNumbers;

  constructor(engine: Engine, hierarchy: Hierarchy) {
    this.rank = hierarchy.rank;
    this.size = hierarchy.size;
    this.hot = new HotNumbers(engine, hierarchy);
    this.#ground = { engine, hierarchy, hotArrays: new HotArrays(hierarchy) };
  }

  barrier(): Call<void> {
    return new ClusterCall(this.#ground, BARRIER, 0, -1, barrierSteps);
  }

  broadcast<T>(x: T, root: number, wish?: Algorithm): Call<T> {
    this.checkRoot(root);
    const { engine, hierarchy } = this.#ground;
    const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own, root));
    const leads = hierarchy.leads(root);
    if (typeof x === "number") {
      engine.decisions.choose("broadcast", 8, wish);
      return new ClusterCall(this.#ground, BROADCAST_NUMBER, 1, root, function* ({ tag }) {
        let value = x as number;
        if (leads) {
          value = yield* arrivingNumber(hierarchy, x, root);
          yield* passNumber(hierarchy, value, root);
        }
        value = yield* within(broadcastCall(engine, value, leader, undefined), tag);
        if (!leads) yield* passNumber(hierarchy, value, root);
        return value as T;
      });
    }
    if (typeof x === "bigint" || isTypedArray(x)) return broadcastArray(this.#ground, x, root, wish);
    if (wish !== undefined) {
      throw new UsageError(
        `algorithm: a broadcast of a value has no choice, got ${shortText(wish)}. Leave it out, or broadcast a typed array.`,
      );
    }
    const bytes = hierarchy.rank === root ? (pack(engine.team.payload, x).content as Uint8Array) : null;
    return new ClusterCall(this.#ground, callWord("broadcast", "", "value"), 0, root, function* ({ tag }) {
      const content = leads ? [yield* hierarchy.relay(bytes, root)] : undefined;
      const [all] = (yield* within(broadcastCall(engine, content, leader, undefined), tag)) as [Uint8Array];
      return hierarchy.rank === root ? x : (unbox(["value", false, all]) as T);
    });
  }

  reduce<T extends Reducible>(x: T, op: Op, root: number, wish?: Algorithm): Call<T | undefined> {
    this.checkRoot(root);
    const { engine, hierarchy } = this.#ground;
    const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own, root));
    const leads = hierarchy.leads(root);
    const atRoot = hierarchy.rank === root;
    if (typeof x === "number") {
      const combine = engine.ops.numbers(op);
      const local = reduceCall<number>(engine, x, op, leader, wish);
      return new ClusterCall(this.#ground, REDUCE_NUMBER[opName(op)], 1, root, function* ({ tag }) {
        const value = yield* within(local, tag);
        if (!leads) return undefined;
        const result = yield* reduceNumbers(hierarchy, value as number, combine, root);
        return (atRoot ? result : undefined) as T | undefined;
      });
    }
    return reduceArray(this.#ground, x, op, root, wish);
  }

  allreduce<T extends Reducible>(x: T, op: Op, wish?: Algorithm): Call<T> {
    const { engine, hierarchy } = this.#ground;
    const leads = hierarchy.leads(-1);
    engine.decisions.choose("allreduce", 8, wish); // that there is such a one
    const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
    const locally = wish === "exchange" ? "tree" : wish;
    if (typeof x === "number") {
      const combine = engine.ops.numbers(op);
      const local = reduceCall<number>(engine, x, op, leader, locally);
      return new ClusterCall(this.#ground, ALLREDUCE_NUMBER_TREE[opName(op)], 1, -1, function* ({ tag }) {
        const value = (yield* within(local, tag)) ?? 0;
        const result = leads ? yield* exchangeNumbers(hierarchy, value, combine) : 0;
        return (yield* within(broadcastCall(engine, result, leader, undefined), tag)) as T;
      });
    }
    return allreduceArray(this.#ground, x, op, locally);
  }

  scan<T extends Reducible>(x: T, op: Op, inclusive: boolean): Call<T | undefined> {
    const { engine, hierarchy } = this.#ground;
    const isNumber = typeof x === "number";
    const { array, type, kind } = isNumber ? numberElement(x) : elementsOf(engine.team.payload, x);
    const reducer = isNumber ? engine.ops.lifted(op) : engine.ops.elements(op, type);
    const region = regionOf(engine.team, array, type);
    const word = callWord(inclusive ? "scan" : "exscan", opName(op), kind);
    return new ClusterCall(this.#ground, word, array.length, -1, function* (course) {
      yield* scanElements(course, array, region, reducer, inclusive);
      return inclusive || hierarchy.rank > 0 ? resultOf(x, array) : undefined;
    });
  }

  gather(x: Value, root: number): Call<Value> {
    this.checkRoot(root);
    const { engine } = this.#ground;
    const box = boxOf(pack(engine.team.payload, x));
    return new ClusterCall(this.#ground, callWord("gather", "", kindOfValue(x)), 0, root, function* (course) {
      const boxes = yield* gatherBoxes(course, box, root);
      return boxes === null ? undefined : join(engine.team, boxes.map(unbox));
    });
  }

  allgather(x: Value): Call<Value> {
    const { engine } = this.#ground;
    const box = boxOf(pack(engine.team.payload, x));
    return new ClusterCall(
      this.#ground,
      callWord("allgather", "", kindOfValue(x)),
      0,
      -1,
      function* (course) {
        const boxes = yield* allgatherBoxes(course, box);
        return join(engine.team, boxes.map(unbox));
      },
    );
  }

  scatter(x: Value, root: number): Call<Value> {
    this.checkRoot(root);
    const { engine, hierarchy } = this.#ground;
    const atRoot = hierarchy.rank === root;
    if (atRoot) checkParts("scatter: expected at the root", x, hierarchy.size);
    const boxes = atRoot ? boxesOf(engine.team.payload, x, hierarchy.size) : null;
    return new ClusterCall(this.#ground, callWord("scatter", "", ""), 0, root, function* (course) {
      return unbox(yield* scatterBoxes(course, boxes, root));
    });
  }

  alltoall(x: Value): Call<Value> {
    const { engine, hierarchy } = this.#ground;
    checkParts("alltoall: expected", x, hierarchy.size);
    const boxes = boxesOf(engine.team.payload, x, hierarchy.size);
    const [kind, count] = isTypedArray(x) ? [kindOfValue(x), x.length] : ["value" as const, 0];
    return new ClusterCall(this.#ground, callWord("alltoall", "", kind), count, -1, function* (course) {
      const values = (yield* alltoallBoxes(course, boxes)).map(unbox);
      return isTypedArray(x) ? join(engine.team, values) : values;
    });
  }

  alltoallv(parts: readonly TypedArray[]): Call<Value> {
    const { engine, hierarchy } = this.#ground;
    checkAlltoallv(parts, hierarchy.size);
    const boxes = parts.map((part) => boxOf(pack(engine.team.payload, part)));
    return new ClusterCall(this.#ground, callWord("alltoallv", "", boxes[0][0]), 0, -1, function* (course) {
      return (yield* alltoallBoxes(course, boxes)).map(unbox);
    });
  }

  alloc(bytes: number): Call<number> {
    const { engine, hierarchy } = this.#ground;
    const { team } = engine;
    return new ClusterCall(this.#ground, callWord("alloc", "", ""), bytes, -1, function* ({ tag }) {
      let offset = -1;
      if (hierarchy.leads(-1)) {
        try {
          offset = team.heap.allocate(bytes * team.size);
        } catch {
          // told to all below, so that nobody waits for a block that does not come
        }
        // all nodes have one, or none
        const all = yield* exchangeNumbers(hierarchy, offset < 0 ? 0 : 1, Math.min);
        if (all === 0 && offset >= 0) team.heap.free(offset);
        if (all === 0) offset = -1;
      }
      const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
      const found = yield* within(broadcastCall(engine, offset, leader, undefined), tag);
      if (found < 0) throw new HeapRefusal(bytes * team.size, team.heap);
      return found;
    });
  }

  free(offset: number): Call<void> {
    const { team } = this.#ground.engine;
    // the heaps of two nodes need not look alike
    return new ClusterCall(this.#ground, callWord("free", "", ""), 0, -1, function* (course) {
      yield* barrierSteps(course);
      if (team.rank === 0) team.heap.free(offset);
    });
  }

  explain(): string {
    const { parts } = this.#ground.hierarchy;
    const lines = [
      `between ${parts.length} nodes: allreduce by recursive doubling, barrier by dissemination, broadcast and reduce by a tree, the others in lists`,
      `within this node's ${parts[this.#ground.hierarchy.own].ranks.length} PEs:`,
    ];
    return `${lines.join("\n")}\n${this.#ground.engine.decisions.explain()}`;
  }

  leave(): void {
    this.#ground.engine.team.leave();
    this.#ground.hierarchy.leave();
  }

  /** @throws UsageError for what is no rank */
  checkRoot(root: number): void {
    if (Number.isInteger(root) && root >= 0 && root < this.size) return;
    throw new UsageError(`root: expected a rank from 0 to ${this.size - 1}, got ${shortText(root)}`);
  }
}
