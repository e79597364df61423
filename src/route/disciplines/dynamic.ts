/**
 * Distributed dynamic scheduling: senders book receivers for rounds to come, while the chunks of the current round are
 * sent. In a round each PE sends to one PE at most, and gets from one at most. Rounds are separated by barriers, which
 * also say whether anybody has work left.
 *
 * A request has the bitmap of the rounds in which its sender is free. The receiver grants the first round in which it
 * is free, too, or denies. A sender has one request under way at most, so the bitmap is still true when the grant
 * comes.
 *
 * Denials are rare for two reasons. A sender books a few chunks ahead only, and the window of receivers is much longer:
 * so it is hardly ever full, and others get their rounds. And a receiver that denies says in which round to ask again,
 * to each sender another: as many may come as rounds become free.
 *
 * A PE does not leave a round while its request is under way and its next round is not booked. So no grant comes too
 * late, and no round passes without a transfer because an answer was slow.
 *
 * Limits: useless for small chunks, as each takes a request, an answer and its part of a barrier.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 4.3, figure 9.
 *
 * Example: PEs 1 and 2 both have a chunk for PE 0. Both ask with all rounds free. PE 0 grants round 1 to PE 1 and round
 * 2 to PE 2, which meanwhile books PE 3 for round 1.
 */
import type { Discipline, Lanes } from "./discipline.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

/** Numbers: the sender's round, and the bitmap of its free rounds from the one after it on. */
const REQUEST = 1;
/** Numbers: the round; 0 for a denial, with the round in which to ask again. */
const ANSWER = 2;

/** Chunks for which a sender has booked rounds, at most. Fewer leave rounds empty, more fill windows. */
const MOST_BOOKED = 4;

/** Rounds that a bitmap has. */
export const MOST_WINDOW = 31;

export class Dynamic implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #rounds: Rounds;
  readonly #turn: Turn;
  readonly #window: number;
  /** By round modulo the window: the booked receiver, and the sender that was granted it; -1 for none. */
  readonly #booked: Int32Array;
  readonly #granted: Int32Array;
  /** By lane: chunks for which a round is booked. */
  readonly #bookings: Int32Array;
  /** By lane: the round from which on it may be asked. */
  readonly #asksFrom: Int32Array;
  /** Of all lanes: chunks for which a round is booked. */
  #ahead = 0;
  /** The round in which the last sender that was denied is to ask again. */
  #again = 0;
  #isAsking = false;
  /** The lane that was asked last: the next one asked is behind it. */
  #asked: number;
  #requests = 0;
  #denials = 0;
  #idle = 0;

  /** @param window rounds ahead that can be booked, 1 to {@link MOST_WINDOW} */
  constructor(lanes: Lanes, window: number) {
    this.#lanes = lanes;
    this.#window = window;
    this.#rounds = new Rounds(lanes);
    this.#turn = new Turn(lanes);
    this.#booked = new Int32Array(window + 1);
    this.#granted = new Int32Array(window + 2);
    this.#bookings = new Int32Array(lanes.size);
    this.#asksFrom = new Int32Array(lanes.size);
    this.#asked = lanes.self;
  }

  get counts(): {
    readonly requests: number;
    readonly denials: number;
    readonly rounds: number;
    readonly "rounds without a booking": number;
  } {
    return {
      requests: this.#requests,
      denials: this.#denials,
      rounds: this.#rounds.barriers,
      "rounds without a booking": this.#idle,
    };
  }

  begin(): void {
    this.#rounds.begin();
    this.#turn.reset();
    this.#booked.fill(-1);
    this.#granted.fill(-1);
    this.#bookings.fill(0);
    this.#asksFrom.fill(0);
    this.#ahead = 0;
    this.#again = 0;
    this.#isAsking = false;
  }

  get isOver(): boolean {
    return this.#rounds.isOver;
  }

  next(): number {
    const rounds = this.#rounds;
    this.moved = rounds.step();
    if (rounds.isOver) return -1;
    if (this.moved) this.#enterRound();
    if (rounds.isWaiting) return -1;
    if (!this.#isAsking && this.#ask()) this.moved = true;
    if (!this.#turn.isDone) return this.#turn.sends;
    if (this.#isAsking && this.#bookedIn(rounds.round + 1) < 0) return -1;
    if (rounds.leave()) this.moved = true;
    return -1;
  }

  #bookedIn(round: number): number {
    return this.#booked[round % this.#booked.length];
  }

  #enterRound(): void {
    const { round } = this.#rounds;
    const at = round % this.#booked.length;
    const lane = this.#booked[at];
    this.#booked[at] = -1;
    this.#granted[(round - 1) % this.#granted.length] = -1;
    if (lane < 0) {
      if (this.#lanes.backlog > 0) this.#idle++;
      return;
    }
    this.#bookings[lane]--;
    this.#ahead--;
    this.#turn.begin(lane);
  }

  /** Asks for a round, if one is free and a chunk has none. @returns whether it has */
  #ask(): boolean {
    if (this.#ahead >= MOST_BOOKED) return false;
    const free = this.#freeRounds();
    if (free === 0) return false;
    const lane = this.#unbooked();
    if (lane < 0) return false;
    this.#asked = lane;
    this.#isAsking = true;
    this.#requests++;
    this.#lanes.tell(lane, REQUEST, this.#rounds.round, free);
    return true;
  }

  /** Bit i: whether round + 1 + i is free. */
  #freeRounds(): number {
    let bits = 0;
    for (let i = 0; i < this.#window; i++) {
      if (this.#bookedIn(this.#rounds.round + 1 + i) < 0) bits |= 1 << i;
    }
    return bits;
  }

  /** The next lane with a chunk that has no round; -1 if there is none. */
  #unbooked(): number {
    const { size, backlog } = this.#lanes;
    if (backlog === 0) return -1;
    for (let step = 1; step <= size; step++) {
      const lane = (this.#asked + step) % size;
      if (this.#asksFrom[lane] > this.#rounds.round) continue;
      const sending = this.#turn.lane === lane && this.#turn.isSending ? 1 : 0;
      if (this.#lanes.waiting(lane) - sending > this.#bookings[lane]) return lane;
    }
    return -1;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(lane: number, kind: number, a: number, b: number): void {
    if (kind === REQUEST) {
      const granted = this.#grant(lane, a, b);
      if (granted === 0) this.#again = Math.max(this.#again, this.#rounds.round) + 1;
      this.#lanes.tell(lane, ANSWER, granted, this.#again);
      return;
    }
    this.#isAsking = false;
    if (a === 0) {
      this.#denials++;
      this.#asksFrom[lane] = b;
      return;
    }
    this.#booked[a % this.#booked.length] = lane;
    this.#bookings[lane]++;
    this.#ahead++;
  }

  /**
   * The first round that is free at both ends; 0 if there is none. The sender may be one round behind, or ahead.
   * @param round of the sender @param free bit i: whether it is free in round + 1 + i
   */
  #grant(lane: number, round: number, free: number): number {
    const own = this.#rounds.round;
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
}
