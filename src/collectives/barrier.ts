/**
 * Barrier: nobody leaves before the last has entered.
 *
 * Two algorithms; the machine model has decided between them (trees/generate.ts).
 *
 * - tree: signals run up the reduce tree and then down the broadcast tree. 2(n-1) signals.
 *   Source: papers/smelt.txt, "Barriers" (reduce and broadcast without payload).
 * - dissemination: in round k, PE i signals PE i + 2^k and waits for PE i - 2^k, modulo n. All PEs work
 *   at once: ceil(log2 n) rounds, n signals each.
 *   Source: Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988.
 *
 * A PE raises a signal only after those before it in its list have come with its own tag, so whoever has
 * left the barrier knows that all were in the same call. That is why a signal whose writer is already in
 * the next barrier, and whose tag of this one is gone, is as good as one with the right tag.
 *
 * Both are a list of steps, each raising a signal, or waiting for one, or both; so they share one machine.
 *
 * Example, dissemination with 3 PEs: round 0: 0>1 1>2 2>0; round 1: 0>2 1>0 2>1; each PE has then heard,
 * directly or not, from both others.
 */
import type { SignalReceiver, SignalSender } from "../channel/signal.ts";
import { block, type Condition } from "../wait/condition.ts";
import { BARRIER } from "./calls.ts";
import { disseminationPeers, edges } from "./links.ts";
import type { Operation } from "./operation.ts";
import type { Team } from "./team.ts";

/** A signal to raise or none, then one to wait for or none, then the next step. */
interface Step {
  readonly to: SignalSender | null;
  readonly from: SignalReceiver | null;
  /** The PE that `from` comes from. */
  readonly fromRank: number;
  readonly next: Step | null;
}

/** The barrier of one PE of a team. */
export class Barrier implements Operation<void> {
  readonly result: undefined = undefined;
  readonly #team: Team;
  readonly #first: Step | null;
  #tag = 0;
  /** Where {@link advance} is: the step, and whether its signal has been raised. */
  #step: Step | null = null;
  #raised = false;

  constructor(team: Team) {
    this.#team = team;
    const { barrier } = team.plan;
    this.#first =
      barrier.kind === "tree" ? treeSteps(team, barrier) : disseminationSteps(team, barrier.order);
  }

  /** Blocks until all PEs have called it. */
  run(tag: number): void {
    const team = this.#team;
    // its own loop rather than advance(), which would look twice
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

  begin(tag: number): void {
    this.#tag = tag;
    this.#step = this.#first;
    this.#raised = false;
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

/** Puts signals in their order: from the last to the first, as each step knows the next. */
function stepsOf({ links }: Team, order: readonly { to?: number; from?: number }[]): Step | null {
  return order.reduceRight<Step | null>(
    (next, { to, from }) => ({
      to: to === undefined ? null : links.signalTo(to),
      from: from === undefined ? null : links.signalFrom(from),
      fromRank: from ?? -1,
      next,
    }),
    null,
  );
}

/** Everything from below, then up; everything from above, then down. */
function treeSteps(team: Team, barrier: Extract<Team["plan"]["barrier"], { kind: "tree" }>): Step | null {
  const { rank } = team;
  const reduce = edges(barrier.reduce);
  const broadcast = edges(barrier.broadcast);
  const parentsIn = (tree: [number, number][]): number[] =>
    tree.filter(([, child]) => child === rank).map(([parent]) => parent);
  const childrenIn = (tree: [number, number][]): number[] =>
    tree.filter(([parent]) => parent === rank).map(([, child]) => child);
  return stepsOf(team, [
    // a reduction arrives from the back of the list to the front (trees/types.ts)
    ...childrenIn(reduce)
      .reverse()
      .map((from) => ({ from })),
    ...parentsIn(reduce).map((to) => ({ to })),
    ...parentsIn(broadcast).map((from) => ({ from })),
    ...childrenIn(broadcast).map((to) => ({ to })),
  ]);
}

/** Round by round: raise, wait. */
function disseminationSteps(team: Team, order: readonly number[]): Step | null {
  const { to, from } = disseminationPeers(order, team.rank);
  return stepsOf(
    team,
    to.map((peer, round) => ({ to: peer, from: from[round] })),
  );
}
