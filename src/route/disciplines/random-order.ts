/**
 * Random order: one chunk after another, each to a PE drawn from those that have one.
 *
 * Limits: as eager, but senders meet at a receiver by chance only, and not because all have the same order.
 *
 * Source: Maley, DeVinney, "Conveyors for Streaming Many-To-Many Communication", section 4.1, for the exchanges of
 * simple conveyors.
 */

import type { Discipline, Lanes } from "./discipline.ts";
import { PhaseEnding } from "./ending.ts";

export class RandomOrder implements Discipline {
  moved = false;
  readonly counts = {};
  readonly #lanes: Lanes;
  readonly #ending: PhaseEnding;
  /** The lane whose chunk is being sent; -1 between two. */
  #lane = -1;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.#ending = new PhaseEnding(lanes, true);
  }

  begin(): void {
    this.#ending.begin();
    this.#lane = -1;
  }

  get isOver(): boolean {
    return this.#ending.isOver;
  }

  next(): number {
    this.moved = this.#ending.step();
    const lanes = this.#lanes;
    if (lanes.backlog === 0) return -1;
    if (this.#lane < 0) this.#lane = this.#draw();
    return this.#lane >= 0 && lanes.hasRoom(this.#lane) ? this.#lane : -1;
  }

  /** A lane that has a chunk and room, each as likely as the others; -1 if there is none. */
  #draw(): number {
    const lanes = this.#lanes;
    let drawn = -1;
    let seen = 0;
    for (let lane = 0; lane < lanes.size; lane++) {
      if (lanes.waiting(lane) === 0 || !lanes.hasRoom(lane)) continue;
      if (lanes.random() * ++seen < 1) drawn = lane;
    }
    return drawn;
  }

  sent(isLast: boolean): void {
    if (isLast) this.#lane = -1;
  }

  hear(): void {}
}
