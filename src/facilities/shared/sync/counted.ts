/** Waits for what a word counts: of semaphores and latches. */
import { NamedCondition } from "../../../ground/wait/named-condition.ts";
import type { Seat } from "../../../pe/seat.ts";
import { isGone, type WaitingSet } from "./waiting-set.ts";

/** One wait of a PE. */
export class CountedWait extends NamedCondition {
  readonly call: string;
  readonly peers: readonly number[];
  readonly #seat: Seat;
  readonly #holds: (isLast: boolean) => boolean;
  readonly #waiting: WaitingSet;
  readonly #text: () => string;
  readonly #isStuck: (one: number) => boolean;

  /**
   * @param waiting with this PE in it @param holds whether it is over; `isLast`: nothing may be left out
   * @param text how it stands, as a sentence @param isStuck whether a PE that is there cannot end it. @default none
   */
  constructor(
    seat: Seat,
    call: string,
    waiting: WaitingSet,
    holds: (isLast: boolean) => boolean,
    text: () => string,
    isStuck: (one: number) => boolean = () => false,
  ) {
    super();
    this.#isStuck = isStuck;
    this.#seat = seat;
    this.call = call;
    this.#waiting = waiting;
    this.#holds = holds;
    this.#text = text;
    this.peers = seat.members.filter((_, one) => one !== seat.rank);
  }

  get whom(): string {
    return `the ${this.call}`;
  }

  get awaited(): readonly number[] {
    return this.peers;
  }

  get needsOne(): boolean {
    return true;
  }

  ready(): boolean {
    // before the look: what comes later tells anew
    this.#waiting.isTold();
    return this.#holds(false);
  }

  /** Whether nobody can end it any more. */
  isInVain(): boolean {
    const { size, rank } = this.#seat;
    for (let one = 0; one < size; one++) {
      if (one !== rank && !isGone(this.#seat, one) && !this.#isStuck(one)) return false;
    }
    return !this.#holds(true);
  }

  override absent(): string {
    return this.#text();
  }
}
