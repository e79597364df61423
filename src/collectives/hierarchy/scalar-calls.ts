/**
 * Barrier, and broadcast, reduce and allreduce of a number over nodes: blocking, with nothing allocated, and as calls
 * that can be begun. Both run the same schedule, so some PEs may make a call in one form, and others the same one in
 * the other.
 */
import type { Task } from "../../ground/wait/task.ts";
import type { CheckedCall } from "../calls/call.ts";
import type { Choice } from "../calls/mpi-choice.ts";
import {
  ALLREDUCE_NUMBER_TREE,
  BARRIER,
  BARRIER_MPI,
  BROADCAST_NUMBER,
  BROADCAST_NUMBER_MPI,
  type CollectiveAlgorithm,
  opName,
  REDUCE_NUMBER,
  SUM_NUMBER_MPI,
} from "../team/call-words.ts";
import type { Combine, Op } from "../team/payload.ts";
import { HierarchyCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import type { Messages } from "./messages.ts";
import type { MpiCollectives } from "./mpi-collectives.ts";
import type { ScalarExecutor } from "./scalar-executor.ts";
import type { Schedule } from "./schedule.ts";
import type { Schedules } from "./schedules.ts";
import { withinOf } from "./within.ts";

/** One PE's calls without arrays in a group over several nodes. */
export class ScalarCalls {
  readonly #engine: HierarchyEngine;
  readonly #executor: ScalarExecutor;
  readonly #messages: Messages;
  readonly #schedules: Schedules;
  readonly #mpi: MpiCollectives;
  readonly #choice: Choice;
  /** The words of the blocking calls; a sum's is another one than that of other ops. */
  readonly barrierWord: number;
  readonly broadcastWord: number;
  readonly sumWord: number;

  constructor(engine: HierarchyEngine) {
    const { mpi, choice } = engine.hierarchy;
    this.#mpi = mpi;
    this.#choice = choice;
    this.barrierWord = choice.barrier ? BARRIER_MPI : BARRIER;
    this.broadcastWord = choice.broadcast(8) ? BROADCAST_NUMBER_MPI : BROADCAST_NUMBER;
    this.sumWord = choice.allreduce("sum", true, 8) ? SUM_NUMBER_MPI : ALLREDUCE_NUMBER_TREE.sum;
    this.#engine = engine;
    this.#executor = engine.scalars;
    this.#messages = engine.hierarchy.messages;
    this.#schedules = engine.hierarchy.schedules;
  }

  // --- blocking ------------------------------------------------------------------------------------

  barrier(tag: number): void {
    const word = this.barrierWord;
    this.#messages.begin(tag, word, 0, -1);
    if (word === BARRIER) this.#executor.run(this.#schedules.barrier, 0, Math.max);
    else this.#byMpi(this.#schedules.mpiBarrier, 0, Math.max);
  }

  #byMpi(schedule: Schedule, x: number, combine: Combine<number>): number {
    const mpi = this.#mpi;
    if (!mpi.isMade) mpi.know(this.#executor.run(this.#schedules.making, 0, Math.max));
    return this.#executor.run(schedule, x, combine);
  }

  /** The number of the root, at each. */
  broadcast(tag: number, x: number, root: number): number {
    const word = this.broadcastWord;
    this.#messages.begin(tag, word, 1, root);
    if (word !== BROADCAST_NUMBER) return this.#byMpi(this.#schedules.mpiBroadcast(root), x, Math.max);
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
    if (word === SUM_NUMBER_MPI) return this.#byMpi(this.#schedules.mpiSum, x, combine);
    return this.#executor.run(this.#schedules.allreduce, x, combine);
  }

  // --- to be begun ---------------------------------------------------------------------------------

  barrierCall(): CheckedCall<void> {
    const word = this.barrierWord;
    const { barrier, mpiBarrier } = this.#schedules;
    const begin = this.#beginOf(word === BARRIER_MPI, word === BARRIER_MPI ? mpiBarrier : barrier, 0, Math.max);
    return new HierarchyCall(this.#engine, word, 0, -1, begin, () => {});
  }

  broadcastCall(x: number, root: number, wish?: CollectiveAlgorithm): CheckedCall<number> {
    const isMpi = this.#choice.broadcast(8, wish);
    // there is one for numbers, whatever is wished
    this.#engine.within.decisions.choose("broadcast", 8, withinOf(wish));
    const schedules = this.#schedules;
    const schedule = isMpi ? schedules.mpiBroadcast(root) : schedules.broadcast(root);
    const begin = this.#beginOf(isMpi, schedule, x, Math.max);
    const word = isMpi ? BROADCAST_NUMBER_MPI : BROADCAST_NUMBER;
    return new HierarchyCall(this.#engine, word, 1, root, begin, (result) => result as number);
  }

  #beginOf(isMpi: boolean, schedule: Schedule, x: number, combine: Combine<number>): () => Task<unknown> {
    const begin = () => this.#executor.begin(schedule, x, combine);
    return isMpi ? () => this.#engine.byMpi(begin) : begin;
  }

  reduceCall(x: number, op: Op, root: number, wish?: CollectiveAlgorithm): CheckedCall<number | undefined> {
    const { within, hierarchy } = this.#engine;
    const combine = within.ops.numbers(op);
    within.decisions.choose("reduce", 8, wish);
    const atRoot = hierarchy.subgroups.rank === root;
    const begin = () => this.#executor.begin(this.#schedules.reduce(root), x, combine);
    const finish = (result: unknown) => (atRoot ? (result as number) : undefined);
    return new HierarchyCall(this.#engine, REDUCE_NUMBER[opName(op)], 1, root, begin, finish);
  }

  /** @param wish of the steps within a node */
  allreduceCall(x: number, op: Op, wish?: CollectiveAlgorithm): CheckedCall<number> {
    const { within } = this.#engine;
    const combine = within.ops.numbers(op);
    const isMpi = this.#choice.allreduce(op, true, 8, wish);
    within.decisions.choose("reduce", 8, withinOf(wish));
    const { allreduce, mpiSum } = this.#schedules;
    const begin = this.#beginOf(isMpi, isMpi ? mpiSum : allreduce, x, combine);
    const word = isMpi ? SUM_NUMBER_MPI : ALLREDUCE_NUMBER_TREE[opName(op)];
    return new HierarchyCall(this.#engine, word, 1, -1, begin, (result) => result as number);
  }
}
