/**
 * Static scheduling: when all PEs have said what they send to whom, each computes the same schedule, of the fewest
 * rounds in which no two PEs send to one (edge-colouring.ts). A barrier separates the rounds.
 *
 * Limits: nothing is sent before all PEs have closed their lists; N messages of each PE for each list entry; the
 * schedule takes the more time the more chunks there are.
 *
 * Source: static scheduling as in Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance",
 * section 5.3 (Ranka et al.), with barriers.
 *
 * Example: one chunk from PE 0 to 1, 0 to 2 and 1 to 2: round 0 has 0→1 and 1→2, round 1 has 0→2.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { roundsFor } from "./edge-colouring.ts";
import { Rounds } from "./rounds.ts";
import { Turn } from "./turn.ts";

/** Numbers: a receiver, and the chunks for it. */
const ENTRY = 1;
/** The list is complete. */
const END = 2;

export class Static implements Discipline {
  moved = false;
  readonly #lanes: Lanes;
  readonly #rounds: Rounds;
  readonly #turn: Turn;
  readonly #counts: readonly Int32Array[];
  #complete = 0;
  #isSaid = false;
  /** By round, by sender: the receiver. */
  #schedule: readonly Int32Array[] | null = null;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#rounds = new Rounds(lanes);
    this.#turn = new Turn(lanes);
    this.#counts = Array.from({ length: lanes.size }, () => new Int32Array(lanes.size));
  }

  get counts(): { readonly rounds: number } {
    return { rounds: this.#rounds.barriers };
  }

  begin(): void {
    this.#rounds.begin();
    this.#turn.reset();
    for (const row of this.#counts) row.fill(0);
    this.#complete = 0;
    this.#isSaid = false;
    this.#schedule = null;
  }

  get isOver(): boolean {
    return this.#rounds.isOver;
  }

  next(): number {
    this.moved = false;
    const rounds = this.#rounds;
    if (!this.#isSaid) {
      if (!this.#lanes.isClosed) return -1;
      this.#say();
      this.moved = true;
    }
    if (this.#schedule === null) {
      if (this.#complete < this.#lanes.size) return -1;
      this.#schedule = roundsFor(this.#counts);
      this.#begin();
      this.moved = true;
    }
    if (rounds.step()) {
      this.moved = true;
      if (!rounds.isOver) this.#begin();
    }
    if (rounds.isOver) return -1;
    if (!rounds.isWaiting && this.#turn.isDone && rounds.leave()) this.moved = true;
    return this.#turn.sends;
  }

  #begin(): void {
    this.#turn.begin(this.#schedule?.[this.#rounds.round]?.[this.#lanes.self] ?? -1);
  }

  /** Tells everybody what this PE sends. */
  #say(): void {
    this.#isSaid = true;
    const { size, self } = this.#lanes;
    for (let to = 0; to < size; to++) {
      const count = this.#lanes.waiting(to);
      if (count > 0) this.#tellAll(ENTRY, to, count);
      this.#counts[self][to] = count;
    }
    this.#tellAll(END);
    this.#complete++;
  }

  #tellAll(kind: number, a = 0, b = 0): void {
    const { size, self } = this.#lanes;
    for (let step = 1; step < size; step++) this.#lanes.tell((self + step) % size, kind, a, b);
  }

  sent(isLast: boolean): void {
    this.#turn.sent(isLast);
  }

  hear(lane: number, kind: number, to: number, count: number): void {
    if (kind === ENTRY) this.#counts[lane][to] = count;
    else this.#complete++;
  }
}
