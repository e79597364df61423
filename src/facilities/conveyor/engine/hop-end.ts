/**
 * How the end of a hop is found: no more items come over it, at this PE.
 *
 * Last messages: when nothing more can enter its outbox, a PE sends on each link a last buffer that says so, with what
 * is left in it. A hop is over at a PE that has the last buffers of all links to it. That takes one message for each
 * link, which most often carries items anyway, and no vote.
 *
 * Votes: when nothing more can enter its outbox, a PE sends what is in it, and votes when all of it was read. When all
 * PEs have voted the hop is over, at all of them. That takes one vote on the tree, however many links there are.
 *
 * Source: Maley and DeVinney, "Conveyors" (docs/papers.md), section 4.3, and bale's porter.c for last messages;
 * votes are ours.
 */
import type { Oversized, Vote } from "../../../links/transport/contract.ts";
import { END } from "./causes.ts";
import type { Outbox } from "./outbox.ts";
import type { HopReceiver } from "./receiver.ts";

/** The end of one hop at one PE. */
export interface HopEnd {
  /** Before a session. */
  begin(): void;
  /** Called again and again when nothing more can enter the outbox. Returns whether there was progress. */
  close(): boolean;
  /** Whether this PE sends no more over the hop: all it had was handed to the porter. */
  readonly isClosed: boolean;
  /** Whether no more buffers come over the hop. */
  readonly isOver: boolean;
  /** Whether this PE sends no more over the hop, and has nothing more to do for what it has sent. */
  readonly isSettled: boolean;
  /** Votes cast in this session. */
  readonly votes: number;
}

export class LastMessages implements HopEnd {
  readonly votes = 0;
  readonly #outbox: Outbox;
  readonly #receiver: HopReceiver;
  readonly #oversized: Oversized;
  #isSent = false;

  constructor(outbox: Outbox, receiver: HopReceiver, oversized: Oversized) {
    this.#outbox = outbox;
    this.#receiver = receiver;
    this.#oversized = oversized;
  }

  begin(): void {
    this.#isSent = false;
  }

  close(): boolean {
    if (this.#isSent) return false;
    const before = this.#outbox.unended;
    this.#isSent = this.#outbox.finish();
    return this.#outbox.unended !== before;
  }

  get isClosed(): boolean {
    return this.#isSent;
  }

  get isOver(): boolean {
    return this.#receiver.isOver;
  }

  get isSettled(): boolean {
    if (!this.#isSent) return false;
    const { porter } = this.#receiver;
    // oversized items occupy the heap: their memory would be missing after the session, where nobody waits for it
    return porter.handedOver() && (this.#oversized.isEmpty || porter.settled());
  }
}

export class HopVote implements HopEnd {
  votes = 0;
  isOver = false;
  readonly #outbox: Outbox;
  readonly #receiver: HopReceiver;
  readonly #vote: Vote;
  #flushed = false;
  #cast = false;

  constructor(outbox: Outbox, receiver: HopReceiver, vote: Vote) {
    this.#outbox = outbox;
    this.#receiver = receiver;
    this.#vote = vote;
  }

  begin(): void {
    this.votes = 0;
    this.isOver = false;
    this.#flushed = false;
    this.#cast = false;
  }

  close(): boolean {
    if (this.isOver) return false;
    let moved = false;
    if (!this.#flushed) {
      this.#outbox.flush(END);
      this.#flushed = true;
      moved = true;
    }
    if (!this.#cast) {
      if (!this.#receiver.porter.settled()) return moved;
      this.#vote.cast(0);
      this.votes++;
      this.#cast = true;
      moved = true;
    }
    if (this.#vote.poll() < 0) return moved;
    this.isOver = true;
    return true;
  }

  get isClosed(): boolean {
    return this.#flushed;
  }

  get isSettled(): boolean {
    return this.isOver;
  }
}
