/**
 * The simple engine: bulk synchronous, over one hop or two. All PEs exchange their buffers at the same time. Over a hop
 * they do so when any PE has a full buffer, or is done or steady and has items to send, and no PE has items left to
 * take.
 *
 *     push ─▶ outbox 0 ═exchange═▶ pivot ─▶ outbox 1 ═exchange═▶ inbox ─▶ pull
 *
 * The engine runs votes, one after another. For each hop each PE casts two bits: it CANNOT exchange (items that came
 * over the hop are left to pull or to forward, or are in transit), and it WANTS to (a buffer is full, old or flushed,
 * or it is done or steady and has items to send); and one more: it goes ON (it is not done). All PEs see the same
 * result, so all exchange in the same round, or none: they exchange over a hop when no PE CANNOT, and some PE WANTS or
 * nothing more can come into the hop. Nothing comes into the first when none goes ON, and into the second when the
 * first is over. That exchange is the hop's last one; one more vote without CANNOT then confirms that everything was
 * taken, and the hop is over.
 *
 * advance does not wait for a vote; it tests whether the result is there. Votes continue while there is nothing to do,
 * but a vote alone is not progress: a PE that waits for a PE which is never done reaches its timeout.
 *
 * Source: Maley and DeVinney, "Conveyors" (docs/papers.md), sections 4.1 and 4.2; bale's simple.c and twohop.c. There
 * both exchanges of two hops follow each other; here each is made when its buffers are full, so that they are fuller.
 */
import type { Site } from "../../../links/transport/contract.ts";
import type { Aging } from "./aging.ts";
import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";
import type { Engine, Mover } from "./tensor.ts";

const ON = 1;
/** Bits of hop 0; those of the next hop are {@link BITS} higher. */
const CANNOT = 2;
const WANTS = 4;
const BITS = 2;

/** The parts of the engine. */
export interface SimpleParts {
  readonly site: Site;
  readonly outboxes: readonly Outbox[];
  /** The movers between the hops, one fewer than hops. */
  readonly movers: readonly Mover[];
  readonly inbox: Inbox;
  readonly steady: boolean;
  /** The judge of old buffers, which wants them sent; null if they may become as old as they like. */
  readonly aging: Aging | null;
}

export class Simple implements Engine {
  moved = false;
  votes = 0;
  readonly #parts: SimpleParts;
  readonly #hops: number;
  #voting = false;
  /** Number of hops that are over. */
  #over = 0;
  /** The last exchange of the next one has been made. */
  #last = false;

  constructor(parts: SimpleParts) {
    this.#parts = parts;
    this.#hops = parts.outboxes.length;
    for (const outbox of parts.outboxes) outbox.hold = true;
  }

  begin(): void {
    this.votes = 0;
    this.#voting = false;
    this.#over = 0;
    this.#last = false;
    this.#parts.aging?.begin();
  }

  advance(done: boolean): 0 | 1 | 2 {
    const { outboxes, movers, inbox, site } = this.#parts;
    inbox.serve();
    this.moved = outboxes[0].sendFull() || inbox.fetched;
    inbox.fetched = false;
    if (inbox.finish()) this.moved = true;
    for (const mover of movers) while (mover.step()) this.moved = true;
    this.#parts.aging?.look();
    if (this.#voting) {
      const result = site.vote.poll();
      if (result >= 0) this.#decide(result);
    }
    if (!this.#voting && this.#over < this.#hops) {
      site.vote.cast(this.#bits(done));
      this.votes++;
      this.#voting = true;
    }
    if (this.#over === this.#hops) return 0;
    return this.#last && this.#over === this.#hops - 1 ? 2 : 1;
  }

  #bits(done: boolean): number {
    const { outboxes, movers, inbox, site, steady } = this.#parts;
    let bits = done ? 0 : ON;
    for (let hop = this.#over; hop < this.#hops; hop++) {
      const { overflow, pending } = outboxes[hop];
      const isTaken = hop + 1 === this.#hops ? inbox.next === inbox.limit : movers[hop].isIdle;
      const sendsAll = steady || (hop === 0 ? done : this.#over === hop);
      if (!isTaken || !site.porters[hop].settled()) bits |= CANNOT << (BITS * hop);
      if (overflow || (sendsAll && pending > 0)) bits |= WANTS << (BITS * hop);
    }
    return bits;
  }

  #decide(result: number): void {
    this.#voting = false;
    for (let hop = this.#over; hop < this.#hops; hop++) {
      const bits = result >>> (BITS * hop);
      const isClosing = hop === this.#over && (hop > 0 || (result & ON) === 0);
      if ((bits & CANNOT) !== 0 || !(isClosing || (bits & WANTS) !== 0)) continue;
      if (isClosing && this.#last) {
        this.#over++;
        this.#last = false;
        this.moved = true;
      } else this.#exchange(hop, isClosing);
    }
  }

  #exchange(hop: number, isLast: boolean): void {
    const outbox = this.#parts.outboxes[hop];
    const sent = outbox.buffers;
    outbox.flush();
    if (isLast) this.#last = true;
    if (isLast || outbox.buffers !== sent) this.moved = true;
  }
}
