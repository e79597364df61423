/**
 * Barrier: no PE leaves it before the last one has entered.
 *
 * There are three algorithms; the machine model has chosen between them (trees/generate/generate.ts).
 *
 * - tree: signals travel up the reduce tree and then down the broadcast tree. 2(n-1) signals. Source: Kaestle et al.,
 *   "Machine-Aware Atomic Broadcast Trees for Multicores", "Barriers" (reduce and broadcast without payload).
 * - dissemination: in round k, PE i signals PE i + 2^k and waits for PE i - 2^k, modulo n. All PEs work at once:
 *   ceil(log2 n) rounds, n signals each. Source: Hensgen, Finkel, Manber: Two algorithms for barrier synchronization,
 *   1988.
 * - hybrid: up a tree in each domain, dissemination among their roots, and down a tree in each domain.
 *
 * A PE raises a signal only after the signals before it in its list have arrived with its own tag. So a PE that has
 * left the barrier knows that all PEs were in the same call. Therefore a signal whose writer is already in the next
 * barrier, and whose tag of this one has been overwritten, is as good as one with the right tag.
 *
 * Each algorithm is a list of steps; a step raises a signal, waits for one, or does both. So all share one state
 * machine.
 *
 * Example, dissemination with 3 PEs: round 0: 0>1 1>2 2>0; round 1: 0>2 1>0 2>1; each PE then has signals, directly or
 * indirectly, from both others.
 */

import type { Tree } from "../../../trees/model/tree.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import { ReusableTask } from "../../ground/wait/task.ts";
import { block } from "../../ground/wait/waiter.ts";
import { BARRIER } from "../team/call-words.ts";
import { disseminationPeers } from "../team/link-map.ts";
import type { PassingEnd, RaisingEnd } from "../team/medium.ts";
import { parentsIn } from "../team/route.ts";
import type { Team } from "../team/team.ts";

/** A signal to raise or null, then one to wait for or null, then the next step. */
interface BarrierAction {
  readonly to: RaisingEnd | null;
  readonly from: PassingEnd | null;
  /** The PE that raises `from`. */
  readonly fromRank: number;
  readonly next: BarrierAction | null;
}

/** The barrier of one PE of a team. */
export class Barrier extends ReusableTask<void> {
  readonly result: undefined = undefined;
  readonly #team: Team;
  readonly #first: BarrierAction | null;
  #tag = 0;
  /** The state of {@link advance}: the step, and whether its signal was raised. */
  #step: BarrierAction | null = null;
  #raised = false;

  constructor(team: Team) {
    super();
    this.#team = team;
    this.#first = stepsOf(team, orderOf(team));
  }

  /** Blocks until all PEs have called it. */
  run(tag: number): void {
    const team = this.#team;
    // a loop of its own instead of advance(), which would poll twice
    for (let step = this.#first; step !== null; step = step.next) {
      const { to, from } = step;
      if (to !== null) to.raise(tag);
      if (step === this.#first) team.note(BARRIER, 0, -1);
      if (from === null) continue;
      const { waiter } = team;
      if (!from.spin(waiter.looks)) block(waiter, from);
      if (!from.pass(tag)) throw team.mismatch(step.fromRank);
    }
  }

  begin(tag: number): this {
    this.#tag = tag;
    this.#step = this.#first;
    this.#raised = false;
    return this;
  }

  advance(): Condition | null {
    for (let step = this.#step; step !== null; step = step.next) {
      const { to, from } = step;
      this.#step = step;
      if (to !== null && !this.#raised) to.raise(this.#tag);
      this.#raised = true;
      if (from !== null) {
        if (!from.ready()) return from;
        if (!from.pass(this.#tag)) throw this.#team.mismatch(step.fromRank);
      }
      this.#raised = false;
    }
    this.#step = null;
    return null;
  }
}

/** Links signals in their order, from the last to the first, as each step refers to the next. */
function stepsOf({ links }: Team, order: Order): BarrierAction | null {
  return order.reduceRight<BarrierAction | null>(
    (next, { to, from }) => ({
      to: to === undefined ? null : links.signalTo(to),
      from: from === undefined ? null : links.signalFrom(from),
      fromRank: from ?? -1,
      next,
    }),
    null,
  );
}

type Order = readonly { to?: number; from?: number }[];

/** The signals that a PE raises and waits for. */
function orderOf({ rank, size, plan: { barrier } }: Team): Order {
  switch (barrier.kind) {
    case "tree":
      return [...up([barrier.reduce], rank, size), ...down([barrier.broadcast], rank, size)];
    case "dissemination":
      return rounds(barrier.order, rank);
    case "hybrid":
      return [
        ...up(barrier.reduce, rank, size),
        ...(barrier.leaders.includes(rank) ? rounds(barrier.leaders, rank) : []),
        ...down(barrier.broadcast, rank, size),
      ];
  }
}

/** Waits for all children, from the back of the list to the front (trees/model/tree.ts), then signals the parent. */
function up(trees: readonly BarrierTree[], rank: number, size: number): Order {
  const { parents, children } = neighboursIn(trees, rank, size);
  return [...children.reverse().map((from) => ({ from })), ...parents.map((to) => ({ to }))];
}

/** Waits for the parent, then signals all children. */
function down(trees: readonly BarrierTree[], rank: number, size: number): Order {
  const { parents, children } = neighboursIn(trees, rank, size);
  return [...parents.map((from) => ({ from })), ...children.map((to) => ({ to }))];
}

type BarrierTree = Pick<Tree, "children">;

/** The parent of a PE, if it has one, and its children. */
function neighboursIn(trees: readonly BarrierTree[], rank: number, size: number) {
  const parents = trees.map((tree) => parentsIn(tree, size)[rank]).filter((parent) => parent >= 0);
  return { parents, children: trees.flatMap((tree) => tree.children[rank] ?? []) };
}

/** Round by round: raises a signal, waits for one. */
function rounds(order: readonly number[], rank: number): Order {
  const { to, from } = disseminationPeers(order, rank);
  return to.map((peer, round) => ({ to: peer, from: from[round] as number }));
}
