/**
 * Barrier, and broadcast, reduce and allreduce of a number over nodes: blocking, with nothing allocated, and as calls that can be begun. Both
 * run the same schedule, so some PEs may make a call in one form, and others the same one in the other.
 */
import type { Call } from "../calls/call.ts";
import { opName } from "../calls/elements.ts";
import {
  ALLREDUCE_NUMBER_TREE,
  type Algorithm,
  BARRIER,
  BROADCAST_NUMBER,
  REDUCE_NUMBER,
} from "../team/call-words.ts";
import type { Combine, Op } from "../team/payload.ts";
import { HierarchyCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import type { Messages } from "./messages.ts";
import type { ScalarExecutor } from "./scalar-executor.ts";
import type { Schedules } from "./schedules.ts";

/** One PE's calls without arrays in a group over several nodes. */
export class ScalarCalls {
  readonly #engine: HierarchyEngine;
  readonly #executor: ScalarExecutor;
  readonly #messages: Messages;
  readonly #schedules: Schedules;

  constructor(engine: HierarchyEngine) {
    this.#engine = engine;
    this.#executor = engine.scalars;
    this.#messages = engine.hierarchy.messages;
    this.#schedules = engine.hierarchy.schedules;
  }

  // --- blocking ------------------------------------------------------------------------------------

  barrier(tag: number): void {
    this.#messages.begin(tag, BARRIER, 0, -1);
    this.#executor.run(this.#schedules.barrier, 0, Math.max);
  }

  /** The number of the root, at each. */
  broadcast(tag: number, x: number, root: number): number {
    this.#messages.begin(tag, BROADCAST_NUMBER, 1, root);
    return this.#executor.run(this.#schedules.broadcast(root), x, Math.max);
  }

  /** The numbers of all combined, at the root; what the others get may be anything. `word` is the call's. */
  reduce(word: number, tag: number, x: number, combine: Combine<number>, root: number): number {
    this.#messages.begin(tag, word, 1, root);
    return this.#executor.run(this.#schedules.reduce(root), x, combine);
  }

  /** The numbers of all combined, at each. */
  allreduce(word: number, tag: number, x: number, combine: Combine<number>): number {
    this.#messages.begin(tag, word, 1, -1);
    return this.#executor.run(this.#schedules.allreduce, x, combine);
  }

  // --- to be begun ---------------------------------------------------------------------------------

  barrierCall(): Call<void> {
    const begin = () => this.#executor.begin(this.#schedules.barrier, 0, Math.max);
    return new HierarchyCall(this.#engine, BARRIER, 0, -1, begin, () => {});
  }

  broadcastCall(x: number, root: number, wish?: Algorithm): Call<number> {
    this.#engine.within.decisions.choose("broadcast", 8, wish); // there is one for numbers, whatever is wished
    const begin = () => this.#executor.begin(this.#schedules.broadcast(root), x, Math.max);
    return new HierarchyCall(this.#engine, BROADCAST_NUMBER, 1, root, begin, (result) => result as number);
  }

  reduceCall(x: number, op: Op, root: number, wish?: Algorithm): Call<number | undefined> {
    const { within, hierarchy } = this.#engine;
    const combine = within.ops.numbers(op);
    within.decisions.choose("reduce", 8, wish);
    const atRoot = hierarchy.subgroups.rank === root;
    const begin = () => this.#executor.begin(this.#schedules.reduce(root), x, combine);
    const finish = (result: unknown) => (atRoot ? (result as number) : undefined);
    return new HierarchyCall(this.#engine, REDUCE_NUMBER[opName(op)], 1, root, begin, finish);
  }

  /** @param wish of the steps within a node */
  allreduceCall(x: number, op: Op, wish?: Algorithm): Call<number> {
    const { within } = this.#engine;
    const combine = within.ops.numbers(op);
    within.decisions.choose("reduce", 8, wish);
    const begin = () => this.#executor.begin(this.#schedules.allreduce, x, combine);
    const word = ALLREDUCE_NUMBER_TREE[opName(op)];
    return new HierarchyCall(this.#engine, word, 1, -1, begin, (result) => result as number);
  }
}
