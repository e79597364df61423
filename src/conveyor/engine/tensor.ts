/**
 * The tensor: a chain of one, two or three hops. Items received over one hop are forwarded to the next, one by one;
 * items received over the last hop are pulled.
 *
 *     push ─▶ outbox 0 ═porter 0═▶ pivot ─▶ outbox 1 ═porter 1═▶ pivot ─▶ … ═▶ inbox ─▶ pull
 *
 * The engine never blocks: advance does as much as is possible now. If a link has no room, the items before it stay
 * where they are, and so on back to push, which returns false.
 *
 * The end of a session proceeds hop by hop. When no more items can enter a hop's outbox, a PE sends what is in it; when
 * all that it sent was read, it casts a vote; when all PEs have voted, the hop is over, and no more items leave it at
 * any PE. So the end takes one vote of all PEs per hop, on the tree, instead of a last message on every link. (bale
 * sends such messages, one per pair of PEs.)
 *
 * Source: papers/conveyors.txt, section 4.3; bale's tensor.c.
 */
import type { Site } from "../../transport/contract.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";

/** Buffers that one advance forwards at each hop. Source: bale's tensor.c. */
const ROUNDS = 5;

/** Forwards the buffers of one hop to the next. */
export interface Mover {
  /** Forwards as many items of one buffer as possible; returns whether any item moved. */
  step(): boolean;
}

/** What the front of a conveyor needs of the machinery behind it. */
export interface Engine {
  /**
   * Makes as much progress as possible. @param done this PE pushes nothing more. @returns DONE, NEAR or OK of state.ts
   */
  advance(done: boolean): 0 | 1 | 2;
  /** Whether the last advance made progress. */
  readonly moved: boolean;
  /** Votes cast in this session. */
  readonly votes: number;
  /** Called before the first push of a session. */
  begin(): void;
}

/** The parts of a tensor. */
export interface TensorParts {
  readonly site: Site;
  readonly outboxes: readonly Outbox[];
  /** The movers between the hops, one fewer than hops. */
  readonly movers: readonly Mover[];
  readonly inbox: Inbox;
  readonly steady: boolean;
}

/** The tensor engine. */
export class Tensor implements Engine {
  moved = false;
  votes = 0;
  readonly #parts: TensorParts;
  readonly #hops: number;
  /** Number of hops that are over. */
  #over = 0;
  #flushed = false;
  #cast = false;

  constructor(parts: TensorParts) {
    this.#parts = parts;
    this.#hops = parts.outboxes.length;
  }

  begin(): void {
    this.votes = 0;
    this.#over = 0;
    this.#flushed = false;
    this.#cast = false;
  }

  advance(done: boolean): 0 | 1 {
    // pushes and pulls of the user count as progress, too
    this.moved = this.#parts.outboxes[0].touched() || this.#parts.inbox.fetched;
    this.#parts.inbox.fetched = false;
    for (let hop = this.#over; hop < this.#hops; hop++) {
      if (hop + 1 < this.#hops) this.#pivot(hop);
      // a hop gets no more items once the hop before it is over, or, for hop 0, once the user is done
      if (hop === this.#over && (done || hop > 0)) this.#close(hop);
      else if (this.#parts.steady) this.#visit(hop);
    }
    return this.#over === this.#hops ? 0 : 1;
  }

  #pivot(hop: number): void {
    const mover = this.#parts.movers[hop];
    for (let round = 0; round < ROUNDS && mover.step(); round++) this.moved = true;
  }

  /** Unsent buffers count as work: the PE does not sleep before they are sent. */
  #visit(hop: number): void {
    const outbox = this.#parts.outboxes[hop];
    if (outbox.visit() || (!this.moved && outbox.pending > 0)) this.moved = true;
  }

  #close(hop: number): void {
    const { site, outboxes, inbox } = this.#parts;
    const porter = site.porters[hop];
    if (!this.#flushed) {
      outboxes[hop].flush();
      this.#flushed = true;
      this.moved = true;
    }
    if (hop === this.#hops - 1 && inbox.finish()) this.moved = true;
    if (!this.#cast) {
      if (!porter.settled()) return;
      site.vote.cast(0);
      this.votes++;
      this.#cast = true;
      this.moved = true;
    }
    if (site.vote.poll() < 0) return;
    this.moved = true;
    this.#over++;
    this.#flushed = false;
    this.#cast = false;
  }
}
