/**
 * The option `adapt`: how full a buffer becomes before it is sent, and how long an item waits in it, follow the
 * traffic, within the memory that the conveyor was made with.
 *
 * A buffer costs alpha, whatever is in it; in a session that is awaited alpha and a turn of the event loop. So a hop
 * with `links` links that sends each of them one buffer in a time D spends `links alpha / D` of its time on buffers. D
 * is chosen, and the size follows from it and from the bytes that come in a ns:
 *
 *     D = links alpha / SHARE      bytes of a buffer = rate D / links
 *
 * - All buffers together take SHARE of a PE's time: larger ones would save less than that.
 * - A buffer is not sent before its link has another one: while all others are under way it goes on being filled
 *   (outbox.ts). So where round trips take longer than that buffers are fuller, and nobody who pushes waits for them.
 * - Until there is an estimate of the rate, buffers are filled whole: a short session has no use of small ones.
 *
 * A buffer that has not become full is sent after 2 D, or after 4 D if its link has no other one. So a timer fires only
 * where a link gets less than half of its share.
 *
 * Example: alpha 500 ns, 4 links, a gigabyte a second for all. D = 4 x 500 / 0.005 = 400 us, buffers are sent with 100
 * KB. At a hundredth of that rate they are sent with 1000 bytes, and at a hundred thousandth each item by itself, at
 * once.
 *
 * Limits: alpha is that of the machine's model (plan/model/buffer-cost.ts), and a turn that of an event loop with
 * nothing else to do: neither is measured by the conveyor. A program whose order of items decides how many follow may
 * spend more on buffers. The rate is that of the items of all links, so that one link with all the traffic has buffers
 * of the right size, and links with little have the delay.
 *
 * Source: our own, from (4.1) to (4.9) of TRAM's thesis (docs/papers.md), chapter 4, which leaves adapting for
 * future work.
 */
import type { Outbox } from "./outbox.ts";

/** Part of a PE's time that buffers may take. */
const SHARE = 0.005;
/** A buffer that is not full by then is sent, in D. */
const PATIENCE = 2;
/** A change by a smaller part is none. */
const LEAST_CHANGE = 1 / 8;
/** Before there is an estimate: as many as there is room for. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** The state that one hop of a conveyor has come to. */
export interface Adapted {
  /** Bytes of items with which a buffer is sent if its link has another one; at most those that it has room for. */
  readonly bytes: number;
  /**
   * Time after which it is sent so, ms, at most its share of `maxDelay`; after twice that, or the share, in any case.
   */
  readonly delay: number;
  /** Bytes of items that come in a second, for all links; 0 before there is an estimate. */
  readonly rate: number;
  /** How often the rate has changed the bytes. */
  readonly changed: number;
}

class AdaptedHop {
  readonly #outbox: Outbox;
  readonly #alpha: number;
  /** The D of the head, ms. */
  #delay = 0;
  /** Of the option `maxDelay`, ms. */
  readonly #most: number;
  /** Bytes per ms; 0 before there is an estimate. */
  #rate = 0;
  #bytes = WHOLE;
  /** Where the estimate has begun: the time, and the bytes that had come. */
  #since = 0;
  #before = 0;
  #changed = 0;

  /** @param alpha ns @param most its share of `maxDelay`, ms */
  constructor(outbox: Outbox, alpha: number, most: number) {
    this.#outbox = outbox;
    this.#alpha = alpha;
    this.costs(0);
    this.#most = most;
  }

  /** A buffer takes so much beside alpha, ns. */
  costs(turn: number): void {
    this.#delay = Math.max(1, this.#outbox.links * (this.#alpha + turn)) / SHARE / 1e6;
  }

  /** ms */
  get delay(): number {
    return Math.min(PATIENCE * this.#delay, this.#most);
  }

  get bytes(): number {
    return this.#bytes;
  }

  begin(now: number): void {
    this.#since = now;
    this.#before = 0;
  }

  /** Whether something was decided anew. */
  look(now: number): boolean {
    const elapsed = now - this.#since;
    if (elapsed < this.#delay) return false;
    const bytes = this.#outbox.pushed();
    // a pause is no rate
    if (bytes === this.#before) return false;
    const rate = (bytes - this.#before) / elapsed;
    this.#rate = this.#rate === 0 ? rate : (this.#rate + rate) / 2;
    this.#since = now;
    this.#before = bytes;
    const wanted = Math.round((this.#rate * this.#delay) / this.#outbox.links);
    if (Math.abs(wanted - this.#bytes) <= LEAST_CHANGE * this.#bytes) return false;
    this.#bytes = wanted;
    this.#changed++;
    return true;
  }

  read(): Adapted {
    return {
      bytes: Math.min(this.#outbox.whole, this.#bytes),
      delay: this.delay,
      rate: this.#rate * 1000,
      changed: this.#changed,
    };
  }
}

/** Of one conveyor at one PE. */
export class Adapting {
  readonly #outboxes: readonly Outbox[];
  readonly #hops: readonly AdaptedHop[];
  /** Whether all hops have the same size: items enter at any of them. */
  readonly #isJoint: boolean;

  /** @param alphas by hop, ns @param most share of `maxDelay` of a hop, ms */
  constructor(outboxes: readonly Outbox[], alphas: readonly number[], most: number, isJoint: boolean) {
    this.#outboxes = outboxes;
    this.#hops = outboxes.map((outbox, hop) => new AdaptedHop(outbox, alphas[hop], most));
    this.#isJoint = isJoint;
  }

  /** Before a session. @param turn what a buffer takes beside alpha in it, ns */
  costs(turn: number): void {
    for (const hop of this.#hops) hop.costs(turn);
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
    return this.#hops[hop].delay;
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
