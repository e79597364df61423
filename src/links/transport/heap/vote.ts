/**
 * A vote on a tree of the node: the bits of all PEs travel up the tree, combined by OR, and the result travels down.
 * 2(n-1) words. No call blocks, so a PE can continue its work until the result is there.
 *
 * A word contains bits and the round's number, modulo 256. No PE is more than one round ahead: a PE casts again only
 * after it has the result, which arrives after its parent has read its last cast; and a parent writes the next result
 * only after its children have cast again, and so have read this one.
 *
 * If PEs of other nodes vote as well, the root does not know the result yet. It casts its node's bits in a vote of the
 * nodes, and continues when that has a result.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", "Barriers"; to its callers it works
 * like MPI_Iallreduce.
 */
import type { Tree } from "../../../../trees/model/tree.ts";
import type { Wakers } from "../../../ground/wait/wakers.ts";
import type { Vote } from "../contract.ts";
import { DOWN, tallyAt, UP } from "./layout.ts";

const ROUND_BITS = 8;
const ROUND_MASK = (1 << ROUND_BITS) - 1;

/** The state of a PE in a round. */
const IDLE = 0;
const GATHERING = 1;
const WAITING = 2;
const ABOVE = 3;

/** The parent of a PE in a tree; -1 for the root. */
function parentOf({ children }: Pick<Tree, "children">, rank: number): number {
  const found = Object.entries(children).find(([, ranks]) => ranks.includes(rank));
  return found === undefined ? -1 : Number(found[0]);
}

/** The place of a PE in the votes of a conveyor. */
export interface VotePlace {
  /** Of the conveyor's block. */
  readonly offset: number;
  /** The PEs' ranks in the world, by rank. */
  readonly members: readonly number[];
  readonly rank: number;
  readonly tree: Pick<Tree, "root" | "children">;
  /** The vote of the nodes. @default none */
  readonly above?: Vote | null;
}

/** The votes of a conveyor, at one PE. */
export class TreeVote implements Vote {
  readonly #i32: Int32Array;
  readonly #wakers: Wakers;
  /** Of the children: the words that they cast in, the words of their results, and their wakers. */
  readonly #up: readonly number[];
  readonly #down: readonly number[];
  readonly #childWakers: readonly number[];
  /** The words of this PE; its parent's waker. -1 at the root. */
  readonly #ownUp: number;
  readonly #ownDown: number;
  readonly #parentWaker: number;
  /** The vote of the nodes, at the root; null if there is none. */
  readonly #above: Vote | null;
  #round = 0;
  #bits = 0;
  #state = IDLE;
  /** Number of children that have cast in this round. */
  #heard = 0;

  constructor(i32: Int32Array, wakers: Wakers, { offset, members, rank, tree, above = null }: VotePlace) {
    const tally = (pe: number) => (offset + tallyAt(pe)) / 4;
    const children = tree.children[rank] ?? [];
    const parent = parentOf(tree, rank);
    this.#i32 = i32;
    this.#wakers = wakers;
    this.#up = children.map((child) => tally(child) + UP);
    this.#down = children.map((child) => tally(child) + DOWN);
    this.#childWakers = children.map((child) => wakers.word(members[child]));
    this.#ownUp = tally(rank) + UP;
    this.#ownDown = tally(rank) + DOWN;
    this.#parentWaker = parent < 0 ? -1 : wakers.word(members[parent]);
    this.#above = above;
  }

  cast(bits: number): void {
    this.#round = (this.#round + 1) & ROUND_MASK;
    this.#bits = bits;
    this.#heard = 0;
    this.#state = GATHERING;
    this.poll();
  }

  poll(): number {
    if (this.#state === GATHERING) this.#gather();
    if (this.#state === WAITING) {
      // pairs with the post in #finish() of the parent
      const word = Atomics.load(this.#i32, this.#ownDown);
      if ((word & ROUND_MASK) === this.#round) this.#finish(word >>> ROUND_BITS);
    }
    if (this.#state === ABOVE) {
      const result = (this.#above as Vote).poll();
      if (result >= 0) this.#finish(result);
    }
    return this.#state === IDLE ? this.#bits : -1;
  }

  #gather(): void {
    const up = this.#up;
    for (; this.#heard < up.length; this.#heard++) {
      // pairs with the post below at the child
      const word = Atomics.load(this.#i32, up[this.#heard]);
      if ((word & ROUND_MASK) !== this.#round) return;
      this.#bits |= word >>> ROUND_BITS;
    }
    if (this.#parentWaker < 0) {
      if (this.#above === null) {
        this.#finish(this.#bits);
      } else {
        this.#state = ABOVE;
        this.#above.cast(this.#bits);
      }
      return;
    }
    this.#state = WAITING;
    this.#wakers.post(this.#ownUp, this.#word(), this.#parentWaker);
  }

  #finish(bits: number): void {
    this.#bits = bits;
    this.#state = IDLE;
    const down = this.#down;
    for (let child = 0; child < down.length; child++) {
      this.#wakers.post(down[child], this.#word(), this.#childWakers[child]);
    }
  }

  #word(): number {
    return (this.#bits << ROUND_BITS) | this.#round;
  }
}
