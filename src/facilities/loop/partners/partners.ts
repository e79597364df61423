/**
 * The PEs of other nodes that a PE exchanges messages with in loops. Each PE has one on each other node: that of the
 * same place among the PEs of its node; where a node has fewer PEs, several of the larger one share one there.
 *
 *     node A   0  1  2  3
 *              │  │  │  │      B's PE 0 has two partners on A: 0 and 2
 *     node B   0  1  0  1
 *
 * So a PE looks at few queues, however many PEs there are. A message (message.ts) is sent at once if there is room,
 * else as side work.
 */
import { Fifo } from "../../../ground/base/fifo.ts";
import type { SideTask } from "../../../ground/wait/side-work.ts";
import type { OpenChannel } from "../../../pe/kept.ts";
import { pairOf } from "../../../pe/pair-of.ts";
import type { Pair } from "../../../pe/pairs/parts.ts";
import type { Seat } from "../../../pe/seat.ts";
import { WORDS } from "./message.ts";

const SHAPE = { slots: 16, blockBytes: 0 };

/** One of them. */
export class Partner {
  /** Its rank in the group, and its node. */
  readonly rank: number;
  readonly node: number;
  /** Whether it is the first of this PE's partners on that node. */
  readonly isFirst: boolean;
  readonly pair: Pair;
  readonly #i32: Int32Array;
  readonly #unsent = new Fifo<readonly number[]>();

  constructor(seat: Seat, rank: number, isFirst: boolean) {
    this.rank = rank;
    this.node = seat.nodeOf[rank] as number;
    this.isFirst = isFirst;
    this.#i32 = seat.heap.i32;
    this.pair = pairOf(seat, rank, SHAPE, undefined, "loops over nodes");
  }

  /** @param words WORDS of them @returns as {@link flush} */
  post(words: readonly number[]): boolean {
    this.#unsent.add(words);
    return this.flush();
  }

  /** @returns whether nothing waits for room any more */
  flush(): boolean {
    const { sender } = this.pair;
    for (let words = this.#unsent.first; words !== undefined; words = this.#unsent.first) {
      if (!sender.isClosed) {
        const at = sender.tryClaim(4 * WORDS);
        if (at < 0) return false;
        this.#i32.set(words, at / 4);
        sender.publish(4 * WORDS, true);
      }
      this.#unsent.leave();
    }
    return true;
  }

  /** Index in `heap.i32` of the oldest message; -1 while there is none. It stays until it is released. */
  look(): number {
    const at = this.pair.receiver.tryWait();
    return at < 0 ? -1 : at / 4;
  }

  release(): void {
    this.pair.receiver.release();
  }
}

/** Those of a PE in a group: made at its first loop over nodes, for as long as its program runs. */
export class Partners implements OpenChannel, SideTask {
  /** Nobody wakes this PE for room that another node has made. */
  readonly pollMs = 1;
  readonly all: readonly Partner[];
  /** Nodes of the group but this one. */
  readonly nodes: number;
  readonly #seat: Seat;
  #isServed = false;
  #isEnded = false;

  /** @throws HeapError */
  constructor(seat: Seat) {
    const { here, nodeOf, rank } = seat;
    const place = here.indexOf(rank);
    const own = nodeOf[rank] as number;
    const order = [...new Set(nodeOf)];
    const nodes = order.length;
    const after = order.indexOf(own);
    // those that follow it first, so that not all ask the same node
    const others = Array.from({ length: nodes - 1 }, (_, i) => order[(after + 1 + i) % nodes] as number);
    this.#seat = seat;
    this.nodes = others.length;
    this.all = others.flatMap((node) => {
      const there = nodeOf.flatMap((one, pe) => (one === node ? pe : []));
      const ranks =
        there.length <= here.length
          ? [there[place % there.length] as number]
          : there.filter((_, pe) => pe % here.length === place);
      return ranks.map((one, i) => new Partner(seat, one, i === 0));
    });
    seat.kept.channels.add(this);
  }

  post(partner: Partner, words: readonly number[]): void {
    if (partner.post(words) || this.#isServed) return;
    this.#isServed = true;
    this.#seat.sideWork.add(this);
  }

  serve(): boolean {
    try {
      this.#flush();
    } catch (error) {
      this.#seat.fail(error);
    }
    return false;
  }

  /** Sends what has found no room, as far as there is some. @returns whether that is all */
  #flush(): boolean {
    let isAll = true;
    for (const partner of this.all) isAll = partner.flush() && isAll;
    if (isAll) this.abandon();
    return isAll;
  }

  end(): void {
    this.#isEnded = true;
    this.isOver();
  }

  abandon(): void {
    if (this.#isServed) this.#seat.sideWork.delete(this);
    this.#isServed = false;
  }

  /** What was posted is still sent. */
  isOver(): boolean {
    if (!this.#isEnded || !this.#flush()) return false;
    for (const { pair } of this.all) pair.close(true);
    const isOver = this.all.every(({ pair }) => pair.isOver);
    if (isOver) this.#seat.kept.channels.delete(this);
    return isOver;
  }

  isAlone(): boolean {
    return this.all.every(({ rank }) => this.#seat.hasReturned(rank));
  }
}
