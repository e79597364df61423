/** The PE: one member of a run. */

import type { Trees } from "../../trees/model/tree.ts";
import type { Diagnosis } from "../links/diagnose/diagnose.ts";
import { Group } from "./group.ts";
import type { GroupOptions } from "./group-options.ts";
import type { Seat } from "./seat.ts";
import { checkWork } from "./work.ts";

/** The world as one of its PEs has it: a thread (thread-world.ts), or a virtual PE (running/virtual/own-world.ts). */
export interface OwnWorld {
  /** Its seat in the world. */
  readonly seat: Seat;
  readonly node: number;
  readonly nodes: number;
  readonly nodeRank: number;
  readonly nodeSize: number;
  readonly cpu: number | null;
  readonly trees: Trees;
  readonly now: number;
  readonly lost: readonly number[];
  group(ranks: readonly number[], options?: GroupOptions): Group;
  work(ns: number): void;
  post(value: unknown): void;
  random(): number;
  /** The used parts of the world's plan, in lines. */
  explain(): readonly string[];
  diagnose(patience?: number): Diagnosis;
  /** @param pe as programs see it */
  leave(pe: object): void;
}

/** Makes the face of a world: see launch and join. */
export let newPE: (world: OwnWorld) => PE;

/**
 * One processing element: the world as a {@link Group}, and what concerns the PE itself. A worker started by `launch`
 * gets its PE as the first argument of its `spmd` main. Any thread gets one from `join`.
 */
export class PE extends Group {
  static {
    newPE = (world) => new PE(world);
  }

  /** Number of the node this PE runs on. */
  readonly node: number;
  /** Number of nodes in the world. */
  readonly nodes: number;
  /** This PE's rank within its node. */
  readonly nodeRank: number;
  /** Number of PEs on its node. */
  readonly nodeSize: number;
  /** The CPU that it is bound to; null if it is not bound. */
  readonly cpu: number | null;
  /** The trees of its collectives within its node. */
  readonly trees: Trees;
  readonly #world: OwnWorld;

  private constructor(world: OwnWorld) {
    super(world.seat);
    this.#world = world;
    this.node = world.node;
    this.nodes = world.nodes;
    this.nodeRank = world.nodeRank;
    this.nodeSize = world.nodeSize;
    this.cpu = world.cpu;
    this.trees = world.trees;
  }

  /**
   * Makes a group of some PEs, including this one, for collectives among them. Collective: all PEs of the group call it
   * with the same ranks in the same order. The n-th calls with the same ranks belong together; if a PE makes one call
   * more than the others, it gets a group in which nobody answers. It waits for PEs of its own node only if the heap is
   * full, until they free memory. It waits for one PE of each other node in the group. Groups may overlap, and disjoint
   * groups work at the same time. A group uses heap memory (280 KB for two PEs) until all its PEs have left it:
   * `using group = pe.group(ranks)`, or {@link Group.leave}.
   * @throws UsageError for invalid or repeated ranks, for ranks without this PE, and for trees that do not reach each
   *   rank of the group once; HeapError at all its PEs if the heap of a node is full (the world continues);
   *   MismatchError if another PE made the group with the ranks in another order; any error that ends a wait
   */
  group(ranks: readonly number[], options: GroupOptions = {}): Group {
    return this.#world.group(ranks, options);
  }

  /** The time of this PE, ns: that of its thread, or the virtual time of a PE in the simulator. */
  get now(): number {
    return this.#world.now;
  }

  /**
   * Declares that what the program does next takes `ns` of computation. A virtual PE's time goes on by it; a real one
   * takes the time that it takes. @throws UsageError unless it is a number >= 0
   */
  work(ns: number): void {
    checkWork(ns);
    this.#world.work(ns);
  }

  /**
   * Sends a value to the thread that launched the run, which gets it by `run.on("message", (value, rank) => …)`:
   * progress, partial results. It waits for nobody. Values of a PE arrive in their order, and before the run resolves.
   * @param value anything that can be cloned
   * @throws UsageError for a value that cannot be cloned; StateError for a PE of `join`, whose thread has ports of its
   * own
   */
  post(value: unknown): void {
    this.#world.post(value);
  }

  /** A random number from 0 to 1; in the simulator it is determined by the seed. */
  random(): number {
    return this.#world.random();
  }

  /** The algorithm of each collective and the reason for it, one line each; the world's plan and what of it is used. */
  override explain(): string {
    return [super.explain(), ...this.#world.explain()].join("\n");
  }

  /**
   * The last reported state of each PE of the world, and a sentence that names a broken rule of conveyors
   * (docs/contract.md, K1 to K3). It does not wait.
   * @param patience time without progress after which a rule counts as broken, ms. @default 1000
   */
  diagnose(patience?: number): Diagnosis {
    return this.#world.diagnose(patience);
  }

  /** The lost PEs of the world, by rank: some only in a world that goes on without them (`onLoss: "continue"`). */
  get lost(): readonly number[] {
    return this.#world.lost;
  }

  /**
   * Leaves the world: this PE makes no more calls, including calls in its groups. A PE that waits for it gets a
   * RankLostError. For PEs from `join`; a PE started by `launch` leaves when its main returns. The free functions then
   * act on the PE that the thread joined before, if there is one. A second call has no effect.
   * @throws RankLostError in the middle of a conveyor's session; the PE has then left and the world has ended
   */
  override leave(): void {
    this.#world.leave(this);
  }
}
