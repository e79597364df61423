/**
 * Cyclic shift: in round a PE i sends one chunk to PE i + a (mod N). With a barrier after each round no two PEs ever
 * send to one. Without, each PE goes on to its next round by itself, and PEs that fall behind get several senders.
 *
 * Limits: with a barrier each round takes as long as its largest chunk, and as a barrier; without, nothing is promised.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 2: CSHIFT, and
 * CSHIFT+Barriers.
 *
 * Example: PE 1 of 4 sends to 2, 3, 0, then to itself (nothing), then to 2 again, until no PE has anything left.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

/** Cyclic shift without barriers. */
export class CyclicShift implements Discipline {
  moved = false;
  readonly counts = {};
  readonly #lanes: Lanes;
  readonly #ending: PhaseEnding;
  readonly #turn: Turn;
  #shift = 0;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#ending = new PhaseEnding(lanes, true);
    this.#turn = new Turn(lanes);
  }

  begin(): void {
    this.#ending.begin();
    this.#turn.reset();
    this.#shift = 0;
  }

  get isOver(): boolean {
    return this.#ending.isOver;
  }

  next(): number {
    this.moved = this.#ending.step();
    const { size, self, backlog } = this.#lanes;
    if (this.#turn.isDone) {
      if (backlog === 0) return -1;
      do this.#shift = (this.#shift + 1) % size;
      while (this.#lanes.waiting((self + this.#shift) % size) === 0);
      this.#turn.begin((self + this.#shift) % size);
    }
    return this.#turn.sends;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(): void {}
}

/** Cyclic shift with a barrier after each round. */
export class Barriers implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #rounds: Rounds;
  readonly #turn: Turn;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#rounds = new Rounds(lanes);
    this.#turn = new Turn(lanes);
  }

  get counts(): { readonly barriers: number } {
    return { barriers: this.#rounds.barriers };
  }

  begin(): void {
    this.#rounds.begin();
    this.#turn.reset();
    this.#turn.begin(this.#target);
  }

  get isOver(): boolean {
    return this.#rounds.isOver;
  }

  /** The PE that this one sends to in the current round. */
  get #target(): number {
    const { size, self } = this.#lanes;
    return (self + 1 + (this.#rounds.round % Math.max(1, size - 1))) % size;
  }

  next(): number {
    const rounds = this.#rounds;
    this.moved = rounds.step();
    if (rounds.isOver) return -1;
    if (this.moved) this.#turn.begin(this.#target);
    if (!rounds.isWaiting && this.#turn.isDone && rounds.leave()) this.moved = true;
    return this.#turn.sends;
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(): void {}
}
