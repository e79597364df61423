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
 * Both are a list of steps, each raising some signals and then waiting for some; so they share one
 * machine.
 *
 * Example, dissemination with 3 PEs: round 0: 0>1 1>2 2>0; round 1: 0>2 1>0 2>1; each PE has then heard,
 * directly or not, from both others.
 */
import type { SignalReceiver, SignalSender } from "../channel/signal.ts";
import { block, type Condition } from "../wait/condition.ts";
import { disseminationPeers, edges } from "./links.ts";
import type { Operation } from "./operation.ts";
import type { Team } from "./team.ts";

/** A wait for one signal, and what is raised after it. */
interface Step {
  readonly from: SignalReceiver;
  readonly fromRank: number;
  readonly raises: readonly SignalSender[];
}

/** The barrier of one PE of a team. */
export class Barrier implements Operation<void> {
  readonly result: undefined = undefined;
  readonly #team: Team;
  readonly #first: readonly SignalSender[];
  readonly #steps: readonly Step[];
  #tag = 0;
  #step = 0;

  constructor(team: Team) {
    this.#team = team;
    const { barrier } = team.plan;
    const { first, steps } =
      barrier.kind === "tree" ? treeSteps(team, barrier) : disseminationSteps(team, barrier.order);
    this.#first = first;
    this.#steps = steps;
  }

  /** Blocks until all PEs have called it. */
  run(tag: number): void {
    this.begin(tag);
    const { waiter } = this.#team;
    for (let i = 0; i < this.#steps.length; i++) {
      const step = this.#steps[i];
      // its own loop rather than advance(), which would look twice
      if (!step.from.spin(waiter.looks)) block(waiter, step.from);
      this.#pass(step);
    }
  }

  begin(tag: number): void {
    this.#tag = tag;
    this.#step = 0;
    for (let i = 0; i < this.#first.length; i++) this.#first[i].raise(tag);
  }

  advance(): Condition | null {
    while (this.#step < this.#steps.length) {
      const step = this.#steps[this.#step];
      if (!step.from.ready()) return step.from;
      this.#step++;
      this.#pass(step);
    }
    return null;
  }

  #pass({ from, fromRank, raises }: Step): void {
    if (!from.pass(this.#tag)) throw this.#team.mismatch(fromRank);
    for (let i = 0; i < raises.length; i++) raises[i].raise(this.#tag);
  }
}

type Steps = { first: SignalSender[]; steps: Step[] };

/** Everything from below, then up; everything from above, then down. */
function treeSteps(
  { rank, links }: Team,
  barrier: Extract<Team["plan"]["barrier"], { kind: "tree" }>,
): Steps {
  const reduce = edges(barrier.reduce);
  const broadcast = edges(barrier.broadcast);
  const parentIn = (tree: [number, number][]): number[] =>
    tree.filter(([, child]) => child === rank).map(([parent]) => parent);
  const childrenIn = (tree: [number, number][]): number[] =>
    tree.filter(([parent]) => parent === rank).map(([, child]) => child);
  // a reduction arrives from the back of the list to the front (trees/types.ts)
  const waits = [...childrenIn(reduce).reverse(), ...parentIn(broadcast)];
  const steps = waits.map((peer) => ({
    from: links.signalFrom(peer),
    fromRank: peer,
    raises: [] as SignalSender[],
  }));
  const below = childrenIn(reduce).length;
  const up = parentIn(reduce).map((peer) => links.signalTo(peer));
  const down = childrenIn(broadcast).map((peer) => links.signalTo(peer));
  const first: SignalSender[] = [];
  const after = (waited: number, senders: SignalSender[]) =>
    (waited === 0 ? first : steps[waited - 1].raises).push(...senders);
  after(below, up);
  after(steps.length, down);
  return { first, steps };
}

/** Round by round: raise, wait. */
function disseminationSteps({ rank, links }: Team, order: readonly number[]): Steps {
  const { to, from } = disseminationPeers(order, rank);
  return {
    first: to.slice(0, 1).map((peer) => links.signalTo(peer)),
    steps: from.map((peer, round) => ({
      from: links.signalFrom(peer),
      fromRank: peer,
      raises: to.slice(round + 1, round + 2).map((next) => links.signalTo(next)),
    })),
  };
}
