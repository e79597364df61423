/**
 * Interleaved: packets of several destinations in turn, so that no receiver gets all of what its senders can send.
 *
 * Limits: as eager; and each chunk arrives later, as it shares the way out with the others.
 *
 * Source: Brewer et al., "Software Techniques for Improving MPP Bulk-Transfer Performance", section 2 ("Random
 * Interleaved").
 *
 * Example: two chunks of three packets for PEs 1 and 2 leave as 1, 2, 1, 2, 1, 2.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";

export class Interleaved implements Discipline {
  moved = false;
  readonly counts = {};
  readonly #lanes: Lanes;
  readonly #ending: PhaseEnding;
  #lane: number;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#ending = new PhaseEnding(lanes, true);
    this.#lane = lanes.self;
  }

  begin(): void {
    this.#ending.begin();
  }

  get isOver(): boolean {
    return this.#ending.isOver;
  }

  next(): number {
    this.moved = this.#ending.step();
    const lanes = this.#lanes;
    if (lanes.backlog === 0) return -1;
    for (let step = 1; step <= lanes.size; step++) {
      const lane = (this.#lane + step) % lanes.size;
      if (lanes.waiting(lane) === 0 || !lanes.hasRoom(lane)) continue;
      this.#lane = lane;
      return lane;
    }
    return -1;
  }

  sent(): void {}

  hear(): void {}
}
