/**
 * The decisions of a group that goes on without the PEs that it loses: at the end of each call, whether it counts, or
 * is made once more without one of them.
 *
 * What: time is divided into epochs, each with its members, and into steps. A step is a call of all members of an
 * epoch, and ends with one decision: DONE, by a member that finds that all have come to its end, or LOST p, by one that
 * finds that member p is lost. The word of the epoch goes from one decision to the next by compare-exchange, so there
 * is one for all. After LOST p the epoch is over, and the next one has the members without p.
 *
 * Why all members get every decision that concerns them: a member waits until its step is decided. The next step of the
 * epoch is not done before it has come to that, too; but a faster member may find it lost. So a word is at most one
 * step ahead, and LOST says of which of two steps it is: by the last bit of the step.
 *
 * Limits: each member looks at all others. PEs are ranks in the group; a lost one is never taken back.
 *
 * Source: the agreement of ULFM (Bland et al., "Post-failure recovery of MPI communication capability", 2013), where
 * memory is shared: consensus by compare-exchange (Herlihy, "Wait-free synchronization", 1991).
 *
 * Example, members 0, 1, 2, step 4: 0 and 1 have come, 2 is killed. 0 finds the loss first: the word goes from DONE 3
 * to LOST 2 (step 4). 1 finds that, and both make the call again in step 5, among 0 and 1.
 */
import { cameWord, decidedWord, estimateWord } from "./layout.ts";

/** Steps with different decisions: more than a PE can lag behind. 0 is none. */
const STEPS = 2 ** 30;

/** In place of a member: the step is done, and nobody is lost. */
export const DONE = -1;

/** What a node says in the agreement about a step: the member that it takes for lost, or DONE, and in which round. */
export interface Estimate {
  readonly round: number;
  readonly lost: number;
}

/** The member that a decision says to be lost, and the step that it ends. */
const lostAt = (pe: number, step: number): number => -1 - (2 * pe + (step & 1));
const doneAt = (step: number): number => 1 + (step % STEPS);

/** Those of one PE's group, as it sees them. */
export class StepDecisions {
  readonly #i32: Int32Array;
  readonly #base: number;
  readonly #own: number;
  readonly #size: number;
  #epoch = 0;
  #step = 0;
  /** The last decision of the epoch that this PE has seen. */
  #seen = 0;
  /** By epoch that is over: its last step, and who was lost. */
  readonly #ended: { readonly step: number; readonly lost: number }[] = [];
  #isClosed = false;

  /** @param offset of the block (layout.ts), bytes @param own rank of this PE, of `size` */
  constructor(i32: Int32Array, offset: number, own: number, size: number) {
    this.#i32 = i32;
    this.#base = offset / 4;
    this.#own = own;
    this.#size = size;
  }

  /** This PE has come to the end of its step. @returns whether it was the last one, and the step is done */
  come(members: readonly number[]): boolean {
    // pairs with the loads in hasCome() of the others: the last one to store sees that all have
    Atomics.store(this.#i32, this.#base + cameWord(this.#own), doneAt(this.#step));
    if (!members.every((pe) => this.hasCome(pe))) return false;
    return this.#decide(doneAt(this.#step));
  }

  /** Whether a member has come to the end of the step. */
  hasCome(pe: number): boolean {
    // pairs with the store in come()
    return Atomics.load(this.#i32, this.#base + cameWord(pe)) === doneAt(this.#step);
  }

  /** A member is lost: the step is made again without it, unless another decision was first. */
  lose(pe: number): void {
    this.#decide(lostAt(pe, this.#step));
  }

  /** The epoch and the step that this PE is in: steps are numbered on from epoch to epoch. */
  get epoch(): number {
    return this.#epoch;
  }
  get step(): number {
    return this.#step;
  }

  /** Decides the step, unless that is done. @param lost a member, or DONE */
  settle(lost: number): void {
    this.#decide(lost === DONE ? doneAt(this.#step) : lostAt(lost, this.#step));
  }

  /** Whether the step is decided. */
  get isDecided(): boolean {
    // pairs with the exchange in #decide()
    return Atomics.load(this.#i32, this.#word) !== this.#seen;
  }

  /** Begins the next step. @returns the member that the last one was made in vain for; -1 if it is done */
  next(): number {
    const decision = Atomics.load(this.#i32, this.#word);
    const step = this.#step++;
    if (decision >= 0) this.#seen = decision;
    // a loss in the next step: this one is done
    if (decision >= 0 || ((-1 - decision) & 1) !== (step & 1)) return -1;
    const lost = (-1 - decision) >> 1;
    this.#ended.push({ step, lost });
    this.#epoch++;
    this.#seen = 0;
    return lost;
  }

  /** What was decided about a step, by a member or DONE; undefined if that is not known here. */
  outcomeOf(epoch: number, step: number): number | undefined {
    const ended = this.#ended[epoch];
    if (ended !== undefined) return step < ended.step ? DONE : ended.lost;
    if (epoch > this.#epoch) return undefined;
    if (step < this.#step) return DONE;
    if (this.#isClosed) return undefined;
    // pairs with the exchange in #decide()
    const decision = Atomics.load(this.#i32, this.#word);
    if (decision >= 0) return step === this.#step && decision === doneAt(step) ? DONE : undefined;
    // it ends this step or the next one
    const last = this.#step + (((-1 - decision) & 1) === (this.#step & 1) ? 0 : 1);
    return step < last ? DONE : (-1 - decision) >> 1;
  }

  /** This node's estimate of this step or the next one, if it has one. */
  estimateOf(epoch: number, step: number): Estimate | undefined {
    if (this.#isClosed || epoch !== this.#epoch || step < this.#step || step > this.#step + 1) return undefined;
    // pairs with the exchanges of propose() and revise() at any member on this node
    const word = Atomics.load(this.#i32, this.#estimate(step));
    if (word === 0) return undefined;
    return { round: Math.floor((word - 1) / (this.#size + 1)), lost: ((word - 1) % (this.#size + 1)) - 1 };
  }

  /** The first estimate of this step, unless the node has one. */
  propose(lost: number): void {
    // the first of the node's members wins: pairs with the same exchange by the others
    Atomics.compareExchange(this.#i32, this.#estimate(this.#step), 0, this.#coded({ round: 0, lost }));
  }

  /** The next one of this step, unless the node has another one by now. */
  revise(before: Estimate, after: Estimate): void {
    // one PE at a time does that, but the one before it may be lost in the middle: pairs with its exchange
    Atomics.compareExchange(this.#i32, this.#estimate(this.#step), this.#coded(before), this.#coded(after));
  }

  /** From now on the shared memory may be another's. */
  close(): void {
    this.#isClosed = true;
  }

  #coded({ round, lost }: Estimate): number {
    return 1 + round * (this.#size + 1) + (lost + 1);
  }

  #estimate(step: number): number {
    return this.#base + estimateWord(this.#size, this.#epoch, step);
  }

  #decide(decision: number): boolean {
    if (this.#isClosed) return false;
    // one decision for each step: pairs with the same exchange by other members
    return Atomics.compareExchange(this.#i32, this.#word, this.#seen, decision) === this.#seen;
  }

  get #word(): number {
    return this.#base + decidedWord(this.#size, this.#epoch);
  }
}
