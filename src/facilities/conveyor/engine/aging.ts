/**
 * The option `maxDelay`: a buffer is sent when its oldest item has waited for so long. Each hop has an equal share of
 * it. With `adapt` each hop has the delay that it has come to, if that is less (adapting.ts).
 *
 * Buffers are looked at once in each advance. No clock is read when an item is pushed: it counts as pushed right after
 * the advance before. So an item waits no longer than its share and the time between two advances, and where buffers
 * fill up earlier nothing is ever sent by its age.
 *
 * Example: 1 ms, two hops, advances at 0, 0.3, 0.6, 0.9 …: what is pushed at 0.1 leaves at 0.6, when it counts as 0.6
 * old.
 *
 * Source: the periodic flush of TRAM (NDMeshStreamer), which sends what was not sent since the last tick.
 */
import type { Adapting } from "./adapting.ts";
import type { Outbox } from "./outbox.ts";

/** The clock, ms, and what wakes the PE at a time. */
export interface Clock {
  now(): number;
  alarm(at: number): void;
}

export class Aging {
  readonly #clock: Clock;
  readonly #outboxes: readonly Outbox[];
  readonly #adapting: Adapting | null;
  /** Of a hop, ms. */
  readonly #most: number;
  /** When buffers were looked at last. */
  #before = 0;
  #alarm = Number.POSITIVE_INFINITY;

  /** @param maxDelay of all hops, ms; Infinity for none @param adapting null without `adapt` */
  constructor(clock: Clock, outboxes: readonly Outbox[], maxDelay: number, adapting: Adapting | null = null) {
    this.#clock = clock;
    this.#outboxes = outboxes;
    this.#most = maxDelay / outboxes.length;
    this.#adapting = adapting;
  }

  begin(): void {
    this.#before = this.#clock.now();
    this.#alarm = Number.POSITIVE_INFINITY;
    this.#adapting?.begin(this.#before);
  }

  /** Sends what is old; returns whether anything was sent. */
  look(): boolean {
    const now = this.#clock.now();
    const adapting = this.#adapting;
    adapting?.look(now);
    let due = Number.POSITIVE_INFINITY;
    let sent = 0;
    for (let hop = 0; hop < this.#outboxes.length; hop++) {
      const outbox = this.#outboxes[hop];
      const most = this.#most;
      const soon = adapting?.delayOf(hop) ?? most;
      sent -= outbox.buffers;
      due = Math.min(due, outbox.sendOld(now, this.#before, most, soon));
      sent += outbox.buffers;
    }
    this.#before = now;
    if (due !== this.#alarm && due !== Number.POSITIVE_INFINITY) this.#clock.alarm(due);
    this.#alarm = due;
    return sent > 0;
  }
}
