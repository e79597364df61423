/**
 * Distributed dynamic scheduling with tokens in place of barriers: senders book receivers for rounds to come, as in
 * dynamic.ts, but nobody waits for those with whom it has nothing to do. A receiver gives its token to the sender of
 * its next granted round, and tells it the one after, to which it passes the token when its chunk has left. A sender
 * takes its rounds in order.
 *
 * No deadlock: of all granted rounds that are not over, take the lowest one. Its sender has no lower one left, and its
 * receiver neither, so it has the token, or gets it. For that a receiver grants only rounds behind that of its token,
 * and a sender begins none while a lower one may still be granted to it.
 *
 * A receiver that denies tells the sender when to ask again. One whose rounds are far behind goes on to those of the
 * receiver, as rounds that nobody has booked take no time.
 *
 * With `every` k there is a barrier after every k rounds, so that PEs do not drift apart.
 *
 * Limits: a receiver waits for the sender of its round while that one is not done with earlier ones.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 4.3; tokens in
 * place of its barriers are section 3.1's, barriers every few rounds section 5.1's.
 *
 * Example: PEs 1 and 2 book PE 0 for rounds 1 and 2. PE 0 gives its token to PE 1, which passes it to PE 2, while PEs 3
 * and 4, which send to each other, are in round 7.
 */
import { Bookings } from "./bookings.ts";
import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

/** Numbers: the sender's round, and the bitmap of its free rounds from the one after it on. */
const REQUEST = 1;
/** Numbers: the round; 0 for a denial, with the round from which on to ask again, or {@link LATER}. */
const ANSWER = 2;
/** Numbers: the round whose token it is, and its {@link successor}. From the receiver, or the sender before. */
const TOKEN = 3;
/** Numbers: a round, and its successor, which was not known when the token was given. */
const NEXT = 4;
/** Numbers: the round that is over, and the one to which its token was passed; 0 if it comes back. */
const RETURN = 5;
/** Who was denied may ask again. */
const AGAIN = 6;

/** When the receiver says so. */
const LATER = 2 ** 31 - 1;

/** More rounds than there are from one to its successor. */
const ROUNDS = 64;
/** The sender and the round to which a token is passed, in one number; 0 for none. */
const successor = (lane: number, roundsOn: number): number => lane * ROUNDS + roundsOn;

export class DynamicTokens implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #window: number;
  readonly #every: number;
  readonly #turn: Turn;
  readonly #bookings: Bookings;
  /** The end of the phase: the votes of the barriers, or those of PEs that are empty. */
  readonly #rounds: Rounds | null;
  readonly #ending: PhaseEnding | null;
  /** The last round before the next barrier. */
  #end = 0;
  // as a sender
  /** The last round that was begun or given up. */
  #round = 0;
  /** The lane whose token this PE uses, -1 for none; the round of the last one. */
  #holding = -1;
  #turnRound = 0;
  /** Of the request under way: the lowest round that may be granted. */
  #lowest = 0;
  /** By round modulo their length: whether the token is there; the round's successor. */
  readonly #tokens: Uint8Array;
  readonly #successors: Int32Array;
  // as a receiver
  /** The last round that was given the token, or that was given up. */
  #given = 0;
  #isOut = false;
  /** The lane of the sender that has it, as far as is heard, and its round. */
  #holder = -1;
  #holds = 0;
  /** A round that was heard to be over before the one that passed the token to it; 0 for none. */
  #early = 0;
  /** The successor that this one was told: its round, 0 for none, and its lane. */
  #next = 0;
  #nextLane = -1;
  /** Rounds that are granted and neither given nor next. */
  #pending = 0;
  /** Senders that were denied and wait for {@link AGAIN}. */
  readonly #denied: number[] = [];
  #passed = 0;

  /** @param window rounds ahead that can be booked @param every rounds from barrier to barrier; 0 for none */
  constructor(lanes: Lanes, window: number, every: number) {
    this.#lanes = lanes;
    this.#window = window;
    this.#every = every;
    this.#turn = new Turn(lanes);
    this.#bookings = new Bookings(lanes, window);
    this.#rounds = every > 0 ? new Rounds(lanes) : null;
    this.#ending = every > 0 ? null : new PhaseEnding(lanes);
    this.#tokens = new Uint8Array(window + 1);
    this.#successors = new Int32Array(window + 1);
  }

  get counts(): { readonly requests: number; readonly denials: number; readonly "tokens given": number } {
    const { requests, denials } = this.#bookings;
    return { requests, denials, "tokens given": this.#passed };
  }

  begin(): void {
    this.#rounds?.begin();
    this.#ending?.begin();
    this.#turn.reset();
    this.#bookings.begin();
    this.#end = this.#every > 0 ? this.#every : LATER;
    this.#round = 0;
    this.#holding = -1;
    this.#turnRound = 0;
    this.#tokens.fill(0);
    this.#successors.fill(0);
    this.#given = 0;
    this.#isOut = false;
    this.#early = 0;
    this.#next = 0;
    this.#pending = 0;
    this.#denied.length = 0;
  }

  get isOver(): boolean {
    return this.#rounds?.isOver ?? this.#ending?.isOver ?? true;
  }

  next(): number {
    this.moved = false;
    for (;;) {
      if (!this.#hasBegun()) return -1;
      if (this.#ask()) this.moved = true;
      if (!this.#turn.isDone) return this.#turn.sends;
      this.#return();
      if (this.#take()) continue;
      if (this.#bookings.ahead === 0 && !this.#bookings.isAsking && this.#ending?.step()) this.moved = true;
      this.#leave();
      return -1;
    }
  }

  /** Whether this PE waits for no barrier, and the phase is not over. */
  #hasBegun(): boolean {
    const rounds = this.#rounds;
    if (rounds?.isWaiting) {
      if (!rounds.step()) return false;
      this.moved = true;
      this.#given = Math.max(this.#given, this.#end);
      this.#end += this.#every;
      this.#give();
    }
    return !this.isOver;
  }

  /** Asks for a round, if one is free and a chunk has none. @returns whether it has */
  #ask(): boolean {
    const bookings = this.#bookings;
    // without any booking it may give up rounds
    const from = bookings.ahead === 0 && this.#holding < 0 ? LATER - 1 : this.#round;
    const lane = bookings.toAsk(from, this.#turn.isSending ? this.#turn.lane : -1);
    if (lane < 0) return false;
    this.#round = Math.max(this.#round, bookings.asksFrom(lane));
    const free = bookings.freeRounds(this.#round);
    if (free === 0) return false;
    this.#lowest = this.#round + 32 - Math.clz32(free & -free);
    bookings.ask(lane, REQUEST, this.#round, free);
    return true;
  }

  /** Passes on or returns the token of the turn that is over. */
  #return(): void {
    if (this.#holding < 0) return;
    const at = this.#turnRound % this.#successors.length;
    const next = this.#successors[at];
    const round = next === 0 ? 0 : this.#turnRound + (next % ROUNDS);
    this.#successors[at] = 0;
    const lane = Math.floor(next / ROUNDS);
    if (next > 0 && lane === this.#lanes.self) this.#tokens[round % this.#tokens.length] = 1;
    else if (next > 0) this.#lanes.tell(lane, TOKEN, round, 0);
    this.#lanes.tell(this.#holding, RETURN, this.#turnRound, round);
    this.#holding = -1;
    this.moved = true;
  }

  /** Begins the next booked round, if its token is there. @returns whether it has */
  #take(): boolean {
    const { isAsking, ahead } = this.#bookings;
    if (ahead === 0) return false;
    let round = this.#round + 1;
    while (this.#bookings.bookedIn(round) < 0) round++;
    const at = round % this.#tokens.length;
    if (this.#tokens[at] === 0 || (isAsking && this.#lowest < round)) return false;
    this.#tokens[at] = 0;
    this.#round = round;
    this.#turnRound = round;
    this.#holding = this.#bookings.use(round);
    this.#turn.begin(this.#holding);
    this.moved = true;
    return true;
  }

  /** Goes to the barrier, when no round before it is booked or may be granted. */
  #leave(): void {
    const end = this.#end;
    const { isAsking, ahead } = this.#bookings;
    if (this.#rounds === null || (isAsking && this.#lowest <= end)) return;
    if (ahead > 0) {
      for (let round = this.#round + 1; round <= Math.min(end, this.#round + this.#window); round++)
        if (this.#bookings.bookedIn(round) >= 0) return;
    }
    if (!this.#rounds.leave()) return;
    this.#round = Math.max(this.#round, end);
    this.moved = true;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(lane: number, kind: number, a: number, b: number): void {
    switch (kind) {
      case REQUEST:
        this.#answer(lane, a, b);
        break;
      case ANSWER:
        if (a > 0) this.#bookings.book(lane, a);
        else this.#bookings.deny(lane, b);
        break;
      case TOKEN:
        this.#tokens[a % this.#tokens.length] = 1;
        if (b > 0) this.#successors[a % this.#tokens.length] = b;
        break;
      case NEXT:
        // too late for a token that has come back
        if (this.#isMine(lane, a)) this.#successors[a % this.#tokens.length] = b;
        break;
      case AGAIN:
        this.#bookings.allow(lane);
        break;
      case RETURN:
        if (a !== this.#holds) {
          this.#early = a;
          break;
        }
        this.#takeBack(b);
        if (this.#early > 0 && this.#early === this.#holds) {
          this.#early = 0;
          this.#takeBack(0); // it could not know its successor
        }
        break;
    }
  }

  /** Whether this PE still has to send to a lane in a round. */
  #isMine(lane: number, round: number): boolean {
    if (round <= this.#turnRound) return round === this.#turnRound && this.#holding === lane;
    return this.#bookings.bookedIn(round) === lane;
  }

  /** @param round to which the token was passed; 0 if it came back */
  #takeBack(round: number): void {
    const next = this.#next;
    this.#isOut = next > 0;
    if (next > 0) {
      this.#hand(next, this.#nextLane);
      this.#next = 0;
      // a sender that has not heard of it in time has not passed it
      if (round === 0) this.#lanes.tell(this.#holder, TOKEN, next, this.#foresee());
      else this.#tellNext();
    }
    this.#give();
    // who is told may ask for the round that has become free, or all, as no token will come back
    for (const one of this.#denied.splice(0, this.#isOut ? 1 : this.#denied.length)) this.#lanes.tell(one, AGAIN);
  }

  /** @param round of the sender @param free bit i: whether it is free in round + 1 + i */
  #answer(lane: number, round: number, free: number): void {
    const isIdle = this.#pending === 0 && !this.#isOut;
    if (isIdle) this.#given = Math.max(this.#given, round);
    const own = Math.max(this.#given, this.#next);
    const granted = this.#bookings.grant(lane, own, round, free);
    if (granted > 0) {
      this.#pending++;
      this.#lanes.tell(lane, ANSWER, granted);
      if (this.#isOut) this.#tellNext();
      else this.#give();
    } else if (isIdle || round + this.#window <= own) {
      this.#lanes.tell(lane, ANSWER, 0, own);
    } else {
      this.#denied.push(lane);
      this.#lanes.tell(lane, ANSWER, 0, LATER);
    }
  }

  /** Gives the token to the sender of the next granted round, if it is here and one is granted before the barrier. */
  #give(): void {
    const round = this.#isOut ? 0 : this.#following();
    if (round === 0) return;
    this.#isOut = true;
    this.#hand(round, this.#bookings.grantedIn(round));
    this.#pass(round);
    this.#lanes.tell(this.#holder, TOKEN, round, this.#foresee());
  }

  #hand(round: number, lane: number): void {
    this.#holder = lane;
    this.#holds = round;
    // a barrier may be over before it is heard that all its tokens have come back
    this.#given = Math.max(this.#given, round);
  }

  /** The next granted round, if it is before the barrier; 0 if there is none. */
  #following(): number {
    if (this.#pending === 0) return 0;
    let round = this.#given + 1;
    while (this.#bookings.grantedIn(round) < 0) round++;
    return round > this.#end ? 0 : round;
  }

  #pass(round: number): void {
    this.#bookings.pass(round);
    this.#pending--;
    this.#passed++;
  }

  /** Decides who is to have the token next. @returns that successor; 0 if there is none yet */
  #foresee(): number {
    const round = this.#following();
    if (round === 0 || round - this.#holds >= ROUNDS) return 0;
    this.#next = round;
    this.#nextLane = this.#bookings.grantedIn(round);
    this.#pass(round);
    return successor(this.#nextLane, round - this.#holds);
  }

  /** Tells the sender that has the token who is next, once that is known. */
  #tellNext(): void {
    // who has voted for the end of the phase sends nothing that nobody waits for: it may come after the end
    if (this.#rounds?.isWaiting) return;
    const next = this.#next > 0 ? 0 : this.#foresee();
    if (next > 0) this.#lanes.tell(this.#holder, NEXT, this.#holds, next);
  }
}
