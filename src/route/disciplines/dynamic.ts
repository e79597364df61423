/**
 * Distributed dynamic scheduling: senders book receivers for rounds to come, while the chunks of the current round are
 * sent. In a round each PE sends to one PE at most, and gets from one at most. Rounds are separated by barriers, which
 * also say whether anybody has work left.
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
import { Bookings } from "./bookings.ts";
import type { Discipline, Lanes } from "./discipline.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

/** Numbers: the sender's round, and the bitmap of its free rounds from the one after it on. */
const REQUEST = 1;
/** Numbers: the round; 0 for a denial, with the round in which to ask again. */
const ANSWER = 2;

export class Dynamic implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #rounds: Rounds;
  readonly #turn: Turn;
  readonly #bookings: Bookings;
  /** The round in which the last sender that was denied is to ask again. */
  #again = 0;
  #idle = 0;

  /** @param window rounds ahead that can be booked, 1 to {@link MOST_WINDOW} */
  constructor(lanes: Lanes, window: number) {
    this.#lanes = lanes;
    this.#rounds = new Rounds(lanes);
    this.#turn = new Turn(lanes);
    this.#bookings = new Bookings(lanes, window);
  }

  get counts(): {
    readonly requests: number;
    readonly denials: number;
    readonly rounds: number;
    readonly "rounds without a booking": number;
  } {
    const { requests, denials } = this.#bookings;
    return { requests, denials, rounds: this.#rounds.barriers, "rounds without a booking": this.#idle };
  }

  begin(): void {
    this.#rounds.begin();
    this.#turn.reset();
    this.#bookings.begin();
    this.#again = 0;
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
    if (this.#ask()) this.moved = true;
    if (!this.#turn.isDone) return this.#turn.sends;
    if (this.#bookings.isAsking && this.#bookings.bookedIn(rounds.round + 1) < 0) return -1;
    if (rounds.leave()) this.moved = true;
    return -1;
  }

  #enterRound(): void {
    const { round } = this.#rounds;
    const lane = this.#bookings.use(round);
    this.#bookings.pass(round - 1);
    if (lane >= 0) this.#turn.begin(lane);
    else if (this.#lanes.backlog > 0) this.#idle++;
  }

  /** Asks for a round, if one is free and a chunk has none. @returns whether it has */
  #ask(): boolean {
    const { round } = this.#rounds;
    const lane = this.#bookings.toAsk(round, this.#turn.isSending ? this.#turn.lane : -1);
    const free = lane < 0 ? 0 : this.#bookings.freeRounds(round);
    if (free === 0) return false;
    this.#bookings.ask(lane, REQUEST, round, free);
    return true;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(lane: number, kind: number, a: number, b: number): void {
    if (kind === REQUEST) {
      // the sender may be one round behind, or ahead
      const granted = this.#bookings.grant(lane, this.#rounds.round, a, b);
      if (granted === 0) this.#again = Math.max(this.#again, this.#rounds.round) + 1;
      this.#lanes.tell(lane, ANSWER, granted, this.#again);
    } else if (a === 0) {
      this.#bookings.deny(lane, b);
    } else {
      this.#bookings.book(lane, a);
    }
  }
}
