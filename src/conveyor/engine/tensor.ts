/**
 * The tensor: a chain of one, two or three hops. What comes in over one hop is turned over to the next, item
 * by item, and what comes in over the last is pulled.
 *
 *     push ─▶ outbox 0 ═porter 0═▶ turn over ─▶ outbox 1 ═porter 1═▶ turn over ─▶ … ═▶ inbox ─▶ pull
 *
 * Nothing waits in here: advance goes as far as it can. When a link has no room, what is in front of it
 * stays where it is, and so on back to push, which says false.
 *
 * The end runs hop by hop. When nothing more is put into a hop's outbox, a PE sends what is there; when all
 * it has sent has been read, it casts a vote; when all have, the hop is over, and nothing more comes out of
 * it anywhere. So the whole takes one vote of all PEs per hop, on the tree, instead of a last message on
 * every link. (bale sends those; they are as many as there are pairs.)
 *
 * Source: papers/conveyors.txt, section 4.3; bale's tensor.c.
 */
import type { Site } from "../../transport/contract.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";

/** Buffers that one advance turns over at each hop. Source: bale's tensor.c. */
const ROUNDS = 5;

/** Turns the buffers of one hop over to the next. */
export interface Mover {
  /** Moves what there is to move in one buffer; whether anything moved. */
  step(): boolean;
}

/** What a conveyor's front asks of the machinery behind it. */
export interface Engine {
  /** Goes as far as it can. @param done nothing more is pushed at this PE. @returns DONE, NEAR or OK of state.ts */
  advance(done: boolean): 0 | 1 | 2;
  /** Whether the last advance got anything done. */
  readonly moved: boolean;
  /** Votes cast in this session. */
  readonly votes: number;
  /** Before the first push of a session. */
  begin(): void;
}

/** What a tensor is made from. */
export interface TensorParts {
  readonly site: Site;
  readonly outboxes: readonly Outbox[];
  /** Between the hops: one fewer than there are. */
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
  /** Hops that are over. */
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
    // pushes and pulls are the user's work, and count as well
    this.moved = this.#parts.outboxes[0].touched() || this.#parts.inbox.fetched;
    this.#parts.inbox.fetched = false;
    for (let hop = this.#over; hop < this.#hops; hop++) {
      if (hop + 1 < this.#hops) this.#pivot(hop);
      // what is put into a hop ends with the hop before it, or with the user
      if (hop === this.#over && (done || hop > 0)) this.#close(hop);
      else if (this.#parts.steady) this.#visit(hop);
    }
    return this.#over === this.#hops ? 0 : 1;
  }

  #pivot(hop: number): void {
    const mover = this.#parts.movers[hop];
    for (let round = 0; round < ROUNDS && mover.step(); round++) this.moved = true;
  }

  /** What waits to be sent is something to do: nobody sleeps before it has left. */
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
