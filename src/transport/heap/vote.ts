/**
 * A vote on a tree of the node: what all have cast runs up the tree, ORed on the way, and the result down.
 * 2(n-1) words. Nobody waits in here, so a PE can go on with its work until the result is there.
 *
 * A word carries bits and the round's number, modulo 256. Nobody is more than one round ahead: a PE casts
 * again only when it has the result, which came after its parent had read what it cast before; and a parent
 * writes the next result only after its children have cast again, and so have read this one.
 *
 * Where PEs of other nodes vote as well, the root does not know the result yet: it casts what its node has cast in
 * a vote of the nodes, and goes on when that has one.
 *
 * Source: papers/smelt.txt, "Barriers"; MPI_Iallreduce is the same to its callers.
 */
import type { Tree } from "../../../trees/model/types.ts";
import type { Wakers } from "../../wait/wakers.ts";
import type { Vote } from "../contract.ts";
import { DOWN, tallyAt, UP } from "./layout.ts";

const ROUND_BITS = 8;
const ROUND_MASK = (1 << ROUND_BITS) - 1;

/** Where a PE is in a round. */
const IDLE = 0;
const GATHERING = 1;
const WAITING = 2;
const ABOVE = 3;

/** One PE's part of the votes of a conveyor. */
export class TreeVote implements Vote {
  readonly #i32: Int32Array;
  readonly #wakers: Wakers;
  /** Of the children: the words that they cast in, those that they get the result in, and their wakers. */
  readonly #up: readonly number[];
  readonly #down: readonly number[];
  readonly #childWakers: readonly number[];
  /** Words of this PE; its parent's waker. -1 at the root. */
  readonly #ownUp: number;
  readonly #ownDown: number;
  readonly #parentWaker: number;
  /** The vote of the nodes, at the root; null where there is none. */
  readonly #above: Vote | null;
  #round = 0;
  #bits = 0;
  #state = IDLE;
  /** Children that have cast in this round. */
  #heard = 0;

  /**
   * @param offset of the conveyor's block
   * @param members the PEs as the world numbers them, by rank
   * @param above the vote of the nodes
   */
  constructor(
    i32: Int32Array,
    wakers: Wakers,
    offset: number,
    members: readonly number[],
    rank: number,
    tree: Pick<Tree, "root" | "children">,
    above: Vote | null = null,
  ) {
    const tally = (pe: number) => (offset + tallyAt(pe)) / 4;
    const children = tree.children[rank] ?? [];
    const parent = Object.entries(tree.children).find(([, list]) => list.includes(rank))?.[0];
    this.#i32 = i32;
    this.#wakers = wakers;
    this.#up = children.map((child) => tally(child) + UP);
    this.#down = children.map((child) => tally(child) + DOWN);
    this.#childWakers = children.map((child) => wakers.word(members[child]));
    this.#ownUp = tally(rank) + UP;
    this.#ownDown = tally(rank) + DOWN;
    this.#parentWaker = parent === undefined ? -1 : wakers.word(members[Number(parent)]);
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
