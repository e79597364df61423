/**
 * Eager: every chunk as soon as there is room for it, in the order in which it was scheduled. A full lane holds up no
 * other.
 *
 * Limits: nothing keeps several PEs from sending to one. Best where receivers keep up with all of them.
 *
 * Source: the uncoordinated traffic of Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer
 * Performance", section 2 ("Random").
 *
 * Example: chunks for PEs 3, 1, 3 with lane 3 full: 1 is sent first, then both for 3.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";

export class Eager implements Discipline {
  moved = false;
  readonly counts = {};
  readonly #lanes: Lanes;
  readonly #ending: PhaseEnding;
  /** The lane of the last packet: a chunk is sent to its end while there is room. */
  #lane = -1;
  #isWithin = false;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#ending = new PhaseEnding(lanes, true);
  }

  begin(): void {
    this.#ending.begin();
    this.#isWithin = false;
  }

  get isOver(): boolean {
    return this.#ending.isOver;
  }

  next(): number {
    this.moved = this.#ending.step();
    const lanes = this.#lanes;
    if (lanes.backlog === 0) return -1;
    if (this.#isWithin && lanes.hasRoom(this.#lane)) return this.#lane;
    const { oldest } = lanes;
    this.#lane = lanes.hasRoom(oldest) ? oldest : this.#withRoom(oldest);
    return this.#lane;
  }

  /** The first lane after `lane` that has a chunk and room; -1 if there is none. */
  #withRoom(lane: number): number {
    const { size } = this.#lanes;
    for (let step = 1; step < size; step++) {
      const other = (lane + step) % size;
      if (this.#lanes.waiting(other) > 0 && this.#lanes.hasRoom(other)) return other;
    }
    return -1;
  }

  sent(isLast: boolean): void {
    this.#isWithin = !isLast;
  }

  hear(): void {}
}
