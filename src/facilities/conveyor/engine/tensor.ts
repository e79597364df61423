/**
 * The tensor: a chain of hops. Items received over one hop are forwarded to the next, one by one;
 * items received over the last hop are pulled.
 *
 *     push ─▶ outbox 0 ═porter 0═▶ pivot ─▶ outbox 1 ═porter 1═▶ pivot ─▶ … ═▶ inbox ─▶ pull
 *
 * The engine never blocks: advance does as much as is possible now. If a link has no room, the items before it stay
 * where they are, and so on back to push, which returns false.
 *
 * The end of a session proceeds hop by hop (hop-end.ts): when a hop is over at a PE, and what came over it has been
 * forwarded, nothing more enters its outbox of the next hop. A PE is complete when the last hop is over, all was
 * pulled, and what it has sent gets to its receivers without it.
 *
 * Source: Maley and DeVinney, "Conveyors" (docs/papers.md), section 4.3; bale's tensor.c.
 */
import type { Aging } from "./aging.ts";
import type { HopEnd } from "./hop-end.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox, PushEntry } from "./outbox.ts";
import type { HopReceiver } from "./receiver.ts";

/** Buffers that one advance forwards at each hop. Source: bale's tensor.c. */
const ROUNDS = 5;

/** Forwards the buffers of one hop to the next. */
export interface Mover {
  /** Forwards as many items of one buffer as possible; returns whether any item moved. */
  step(): boolean;
  /** Whether it has no buffer of which items are left. */
  readonly isIdle: boolean;
}

/** The machinery of a conveyor, as its front needs it. */
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
  /** Frees what it has beside the conveyor's site. */
  free?(): void;
}

/** The parts of a tensor. */
export interface TensorParts {
  /** The entry for pushes: {@link outboxes} 0, in a mesh all of them. */
  readonly entry: Pick<PushEntry, "sendFull">;
  readonly outboxes: readonly Outbox[];
  /** By hop. */
  readonly receivers: readonly HopReceiver[];
  readonly ends: readonly HopEnd[];
  /** The movers between the hops, one fewer than hops. */
  readonly movers: readonly Mover[];
  readonly inbox: Inbox;
  readonly steady: boolean;
  /** The sender of old buffers; null if they may become as old as they like. */
  readonly aging: Aging | null;
}

/** The tensor engine. */
export class Tensor implements Engine {
  moved = false;
  readonly #parts: TensorParts;
  readonly #hops: number;
  /** Number of hops that are over, with all that came over them forwarded. */
  #over = 0;

  constructor(parts: TensorParts) {
    this.#parts = parts;
    this.#hops = parts.outboxes.length;
  }

  begin(): void {
    this.#over = 0;
    const { receivers, ends } = this.#parts;
    for (let hop = 0; hop < this.#hops; hop++) {
      receivers[hop].begin();
      ends[hop].begin();
    }
    this.#parts.aging?.begin();
  }

  get votes(): number {
    const { ends } = this.#parts;
    let votes = 0;
    for (let hop = 0; hop < this.#hops; hop++) votes += ends[hop].votes;
    return votes;
  }

  advance(done: boolean): 0 | 1 {
    const { entry, inbox, ends, steady, aging } = this.#parts;
    inbox.serve();
    // pushes and pulls of the user count as progress, too
    this.moved = entry.sendFull() || inbox.fetched;
    inbox.fetched = false;
    for (let hop = 0; hop < this.#hops; hop++) {
      if (hop + 1 < this.#hops) this.#pivot(hop);
      // a hop gets no more items once the hop before it is over, or, for hop 0, once the user is done
      if (hop === 0 ? done : this.#over >= hop) {
        if (ends[hop].close()) this.moved = true;
        if (this.#over === hop && this.#isOver(hop)) {
          this.#over++;
          this.moved = true;
        }
      } else if (steady) this.#visit(hop);
    }
    if (aging?.look()) this.moved = true;
    if (this.#over < this.#hops) return 1;
    for (let hop = 0; hop < this.#hops; hop++) if (!ends[hop].isSettled) return 1;
    // a PE that is complete does not wait
    this.moved = true;
    return 0;
  }

  #pivot(hop: number): void {
    const mover = this.#parts.movers[hop];
    for (let round = 0; round < ROUNDS && mover.step(); round++) this.moved = true;
    this.#noticeEnds(hop);
  }

  /** A buffer that says only that it is the last is progress as well. */
  #noticeEnds(hop: number): void {
    const receiver = this.#parts.receivers[hop];
    if (receiver.moved) this.moved = true;
    receiver.moved = false;
  }

  /** Unsent buffers count as work: the PE does not sleep before they are sent. */
  #visit(hop: number): void {
    const outbox = this.#parts.outboxes[hop];
    if (outbox.visit() || (!this.moved && outbox.pending > 0)) this.moved = true;
  }

  /** Whether nothing comes over a hop any more, and all that came was forwarded, or pulled. */
  #isOver(hop: number): boolean {
    const { ends, inbox, movers } = this.#parts;
    if (hop + 1 < this.#hops) return ends[hop].isOver && movers[hop].isIdle;
    if (inbox.finish()) this.moved = true;
    if (inbox.next !== inbox.limit) return false;
    // the last buffers may be empty; nobody has to pull for them, unless it is a pull that ends what is shown now
    if (!ends[hop].isOver && !inbox.isKept && inbox.fetch()) this.moved = true;
    this.#noticeEnds(hop);
    return ends[hop].isOver && inbox.next === inbox.limit;
  }
}
