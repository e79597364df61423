/**
 * The option `adapt`: how full a buffer becomes before it is sent, and how long an item waits in it, follow the traffic, within the memory
 * that the conveyor was made with.
 *
 * A buffer costs alpha, whatever is in it. So a hop with `links` links that sends each of them one buffer in a time D spends
 * `links alpha / D` of its time on buffers. D is chosen, the size follows from it and from the bytes that come in a ns:
 *
 *     D = min(links alpha / SHARE, sqrt(T links alpha))      bytes of a buffer = rate D / links
 *
 * - By the first term all buffers together take SHARE of a PE's time. Larger ones would save less than that.
 * - The second term is for short sessions, of time T: the last buffers, which are sent when nothing else is left to do, take about D, and the
 *   buffers before them T links alpha / D; the sum of both is least at this D. T is the time of this session so far, or of the session before.
 * - Where a link had no room, though its buffers were not used whole, a round trip takes longer than its buffers are filled: D is doubled.
 *
 * A buffer that has not become full is sent after 2 D. So a timer fires only where a link gets less than half of its share.
 *
 * Example: alpha 500 ns, 4 links, a gigabyte a second for all. D = 4 x 500 / 0.02 = 100 us, buffers are sent with 25 KB. At a hundredth
 * of that rate they are sent with 250 bytes, and at a hundred thousandth each item by itself, at once.
 *
 * Source: our own, from (4.1) to (4.9) of papers/tram-variable-size.txt, chapter 4, which leaves adapting for future work.
 */
import type { Outbox } from "./outbox.ts";

/** Part of a PE's time that buffers may take. */
const SHARE = 0.02;
/** Buffers between two times that a link without room changes something. */
const BUFFERS_APART = 4;
/** Costs of a buffer that an estimate of the rate takes at least. */
const COSTS_APART = 4;

/** What one hop of a conveyor has come to. */
export interface Adapted {
  /** Bytes with which a buffer is sent, at most `bufferBytes`. */
  readonly bytes: number;
  /** Time after which it is sent in any case, ms. */
  readonly delay: number;
  /** Bytes that come in a second, over all links; 0 before there is an estimate. */
  readonly rate: number;
  /** How often a link without room has doubled both, and how often the rate or the time has changed them. */
  readonly doubled: number;
  readonly changed: number;
}

class AdaptedHop {
  /** ms, see the head: D, and what it is at least, by links without room. */
  #delay: number;
  #least = 0;
  /** All links' cost of a buffer, ms. */
  readonly #cost: number;
  readonly #outbox: Outbox;
  /** Bytes per ms; 0 before there is an estimate. */
  #rate = 0;
  #bytes = 2 ** 30;
  /** When this session has begun; the length of the session before, or of this one if it is longer. */
  #begun = 0;
  #length = 0;
  /** Where the estimate has begun. */
  #since = 0;
  #before = 0;
  /** Refusals that were seen, and buffers sent until then. */
  #refusals = 0;
  #sent = 0;
  #doubled = 0;
  #changed = 0;

  /** @param alpha ns */
  constructor(outbox: Outbox, alpha: number) {
    this.#outbox = outbox;
    this.#cost = Math.max(1, outbox.links * alpha) / 1e6;
    this.#delay = this.#cost / SHARE;
  }

  get delay(): number {
    return this.#delay;
  }

  get bytes(): number {
    return this.#bytes;
  }

  begin(now: number): void {
    this.#begun = now;
    this.#since = now;
    this.#before = 0;
    this.#refusals = 0;
    this.#sent = 0;
    this.#least /= 2;
    this.#decide();
  }

  /** Whether something was decided anew. */
  look(now: number): boolean {
    const outbox = this.#outbox;
    this.#length = Math.max(this.#length, now - this.#begun);
    const isFuller = this.#bytes < outbox.room;
    if (isFuller && outbox.refusals !== this.#refusals && outbox.buffers >= this.#sent + BUFFERS_APART) {
      this.#refusals = outbox.refusals;
      this.#sent = outbox.buffers;
      this.#doubled++;
      this.#least = 2 * this.#delay;
      this.#decide();
      return true;
    }
    const elapsed = now - this.#since;
    if (elapsed < Math.max(this.#delay, COSTS_APART * this.#cost)) return false;
    const bytes = outbox.pushed();
    // a pause is no rate
    if (bytes === this.#before) return false;
    const rate = (bytes - this.#before) / elapsed;
    this.#rate = this.#rate === 0 ? rate : (this.#rate + rate) / 2;
    this.#since = now;
    this.#before = bytes;
    return this.#decide();
  }

  #decide(): boolean {
    this.#delay = Math.max(this.#least, this.#cost / SHARE);
    if (this.#rate === 0) return false;
    const bytes = Math.round((this.#rate * this.#delay) / this.#outbox.links);
    if (bytes === this.#bytes) return false;
    this.#bytes = bytes;
    this.#changed++;
    return true;
  }

  read(): Adapted {
    return {
      bytes: Math.min(this.#outbox.room, this.#bytes),
      delay: 2 * this.#delay,
      rate: this.#rate * 1000,
      doubled: this.#doubled,
      changed: this.#changed,
    };
  }
}

export class Adapting {
  readonly #outboxes: readonly Outbox[];
  readonly #hops: readonly AdaptedHop[];
  /** Whether all hops have the same size: items enter at any of them. */
  readonly #isJoint: boolean;

  /** @param alphas by hop, ns */
  constructor(outboxes: readonly Outbox[], alphas: readonly number[], isJoint: boolean) {
    this.#outboxes = outboxes;
    this.#hops = outboxes.map((outbox, hop) => new AdaptedHop(outbox, alphas[hop]));
    this.#isJoint = isJoint;
  }

  begin(now: number): void {
    for (const hop of this.#hops) hop.begin(now);
    this.#apply();
  }

  look(now: number): void {
    let isNew = false;
    for (let hop = 0; hop < this.#hops.length; hop++) if (this.#hops[hop].look(now)) isNew = true;
    if (isNew) this.#apply();
  }

  /** Time for which an item may wait at a hop, ms. */
  delayOf(hop: number): number {
    return 2 * this.#hops[hop].delay;
  }

  #apply(): void {
    let most = 0;
    if (this.#isJoint) for (const { bytes } of this.#hops) most = Math.max(most, bytes);
    for (let hop = 0; hop < this.#hops.length; hop++) {
      this.#outboxes[hop].fillTo(this.#isJoint ? most : this.#hops[hop].bytes);
    }
  }

  /** By hop. */
  read(): Adapted[] {
    return this.#hops.map((hop) => hop.read());
  }
}
