/**
 * Bookings of receivers for rounds to come: what is common to dynamic scheduling with barriers (dynamic.ts) and with
 * tokens (dynamic-tokens.ts). In a round a PE sends to one PE at most, and gets from one at most.
 *
 * A request has the bitmap of the rounds in which its sender is free; a receiver grants the first round in which it is
 * free, too, or none. A sender has one request under way at most, so the bitmap is still true when the answer comes.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 4.3.
 */
import type { Lanes } from "./discipline.ts";

/** Chunks for which a sender has booked rounds, at most. Fewer leave rounds empty, more fill windows. */
const MOST_BOOKED = 4;

/** Rounds that a bitmap has. */
export const MOST_WINDOW = 31;

/** Those of one PE, as sender and as receiver. */
export class Bookings {
  /** Whether a request is under way. */
  isAsking = false;
  /** Chunks for which a round is booked. */
  ahead = 0;
  requests = 0;
  denials = 0;
  readonly #lanes: Lanes;
  readonly #window: number;
  /** By round modulo their lengths: the booked receiver, and the sender that was granted it; -1 for none. */
  readonly #booked: Int32Array;
  readonly #granted: Int32Array;
  /** By lane: chunks for which a round is booked. */
  readonly #bookings: Int32Array;
  /** By lane: the round from which on it may be asked. */
  readonly #asksFrom: Int32Array;
  /** The lane that was asked last: the next one asked is behind it. */
  #asked: number;

  /** @param window rounds ahead that can be booked, 1 to {@link MOST_WINDOW} */
  constructor(lanes: Lanes, window: number) {
    this.#lanes = lanes;
    this.#window = window;
    this.#booked = new Int32Array(window + 1);
    this.#granted = new Int32Array(window + 2);
    this.#bookings = new Int32Array(lanes.size);
    this.#asksFrom = new Int32Array(lanes.size);
    this.#asked = lanes.self;
  }

  begin(): void {
    this.#booked.fill(-1);
    this.#granted.fill(-1);
    this.#bookings.fill(0);
    this.#asksFrom.fill(0);
    this.ahead = 0;
    this.isAsking = false;
  }

  /** The receiver that is booked for a round, at most the window ahead; -1 for none. */
  bookedIn(round: number): number {
    return this.#booked[round % this.#booked.length];
  }

  /** The booked round comes. @returns its receiver, -1 for none */
  use(round: number): number {
    const lane = this.bookedIn(round);
    this.#booked[round % this.#booked.length] = -1;
    if (lane < 0) return -1;
    this.#bookings[lane]--;
    this.ahead--;
    return lane;
  }

  /** A request of ours was granted. */
  book(lane: number, round: number): void {
    this.isAsking = false;
    this.#booked[round % this.#booked.length] = lane;
    this.#bookings[lane]++;
    this.ahead++;
  }

  /** A request of ours was denied. @param from the round from which on to ask again */
  deny(lane: number, from: number): void {
    this.isAsking = false;
    this.denials++;
    this.#asksFrom[lane] = from;
  }

  /** It may be asked again. */
  allow(lane: number): void {
    this.#asksFrom[lane] = 0;
  }

  /** From which round on a lane may be asked. */
  asksFrom(lane: number): number {
    return this.#asksFrom[lane];
  }

  /** Bit i: whether round + 1 + i is free. */
  freeRounds(round: number): number {
    let bits = 0;
    for (let i = 0; i < this.#window; i++) if (this.bookedIn(round + 1 + i) < 0) bits |= 1 << i;
    return bits;
  }

  /** The lane to ask: the next one with a chunk that has no round; -1 if there is none, or enough is booked. */
  toAsk(round: number, sending: number): number {
    const { size, backlog } = this.#lanes;
    if (this.isAsking || this.ahead >= MOST_BOOKED || backlog === 0) return -1;
    for (let step = 1; step <= size; step++) {
      const lane = (this.#asked + step) % size;
      if (this.#asksFrom[lane] > round) continue;
      if (this.#lanes.waiting(lane) - (sending === lane ? 1 : 0) > this.#bookings[lane]) return lane;
    }
    return -1;
  }

  /** Sends a request. */
  ask(lane: number, kind: number, round: number, free: number): void {
    this.#asked = lane;
    this.isAsking = true;
    this.requests++;
    this.#lanes.tell(lane, kind, round, free);
  }

  /**
   * Grants a sender the first round that is free at both ends.
   * @param own the last round that is over or begun here
   * @param round of the sender @param free bit i: whether it is free in round + 1 + i
   * @returns the round; 0 if there is none
   */
  grant(lane: number, own: number, round: number, free: number): number {
    for (let i = 0; i < this.#window; i++) {
      const at = round + 1 + i;
      if ((free & (1 << i)) === 0 || at <= own || at > own + this.#window + 1) continue;
      const slot = at % this.#granted.length;
      if (this.#granted[slot] >= 0) continue;
      this.#granted[slot] = lane;
      return at;
    }
    return 0;
  }

  /** The sender that was granted a round; -1 for none. */
  grantedIn(round: number): number {
    return this.#granted[round % this.#granted.length];
  }

  /** A round is over, or given to its sender: later ones may have its place. */
  pass(round: number): void {
    this.#granted[round % this.#granted.length] = -1;
  }
}
