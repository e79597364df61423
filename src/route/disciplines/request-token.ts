/**
 * Tokens on request: each PE hands out its own token, to one sender after another, in the order in which they asked.
 *
 * Limits: a sender waits for the one token that it has asked for, while other receivers are idle (head-of-line
 * blocking), so the network is not used fully. The paper rejects it; it is here to compare with.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 3.2 (receive queue
 * tokens), figure 8.
 *
 * Example: PEs 1 and 2 ask PE 0. PE 1 gets the token, sends, and gives it back; then PE 2 gets it, even if PE 3 has
 * been idle.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";
import { Turn } from "./turn.ts";

const REQUEST = 1;
const GRANT = 2;
const RETURN = 3;

export class RequestToken implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #ending: PhaseEnding;
  readonly #turn: Turn;
  /** The lane whose token was asked for, or is held; -1 for none. */
  #asked = -1;
  #isHolding = false;
  /** Of the own token: who has it, -1 for nobody; who has asked for it. */
  #holder = -1;
  readonly #queue: number[] = [];
  #requests = 0;
  #queued = 0;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#ending = new PhaseEnding(lanes);
    this.#turn = new Turn(lanes);
  }

  get counts(): { readonly requests: number; readonly "requests queued": number } {
    return { requests: this.#requests, "requests queued": this.#queued };
  }

  begin(): void {
    this.#ending.begin();
    this.#turn.reset();
    this.#asked = -1;
    this.#isHolding = false;
    this.#holder = -1;
    this.#queue.length = 0;
  }

  get isOver(): boolean {
    return this.#ending.isOver;
  }

  next(): number {
    this.moved = this.#asked < 0 && this.#ending.step();
    if (this.#isHolding && this.#turn.isDone) {
      this.#lanes.tell(this.#asked, RETURN);
      this.#isHolding = false;
      this.#asked = -1;
      this.moved = true;
    }
    if (this.#asked < 0) {
      const { oldest } = this.#lanes;
      if (oldest < 0) return -1;
      this.#asked = oldest;
      this.#requests++;
      this.#lanes.tell(oldest, REQUEST);
      this.moved = true;
    }
    return this.#isHolding ? this.#turn.sends : -1;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(lane: number, kind: number): void {
    if (kind === GRANT) {
      this.#isHolding = true;
      this.#turn.begin(lane);
      return;
    }
    if (kind === REQUEST) {
      this.#queue.push(lane);
      if (this.#holder >= 0) this.#queued++;
    } else {
      this.#holder = -1;
    }
    if (this.#holder < 0) this.#grant();
  }

  /** Gives the own token to whoever has asked first. */
  #grant(): void {
    const first = this.#queue.shift();
    if (first === undefined) return;
    this.#holder = first;
    this.#lanes.tell(first, GRANT);
  }
}
