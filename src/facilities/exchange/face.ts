/** Calls of exchanges that block or are awaited, and of those of virtual PEs. Their work is in phases.ts. */

import type { ExchangeChoice } from "../../route/disciplines/options.ts";
import type { ExchangeState, ExchangeStats, Phases } from "./phases.ts";

/** An exchange at one PE, without its waits. */
export abstract class ExchangeFace {
  /** This PE's rank among the PEs of the exchange. */
  readonly rank: number;
  /** Number of PEs. */
  readonly size: number;
  /** All choices: those given, those that a plan has made, and the defaults. */
  readonly choice: ExchangeChoice;
  readonly #phases: Phases;

  protected constructor(phases: Phases) {
    this.#phases = phases;
    this.rank = phases.rank;
    this.size = phases.size;
    this.choice = phases.choice;
  }

  /** Whether a phase is open at this PE, and whether its list is closed. */
  get state(): ExchangeState {
    return this.#phases.state;
  }

  /** The choices for this exchange, who made them and why: predicted and measured times, alternatives. Lines. */
  explain(): string {
    return this.#phases.explain();
  }

  /** This PE's counts, of all phases. */
  stats(): ExchangeStats {
    return this.#phases.stats();
  }

  /**
   * Adds data to this PE's list: bytes for a PE, this one included. It does not wait, and sends nothing: `serviceQueue`
   * and `finish` do. Data for one PE arrives in the order in which it was scheduled. A phase begins by itself.
   * @param dest its rank
   * @param data any view of memory; it must not change before the phase is over. Nothing is copied that the receiver
   * can read where it is: arrays of `pe.alloc`, within a node
   * @param tag a number of 32 bits for the receiver, with a sign
   * @throws RankRangeError, UsageError; StateError when this PE has closed its list
   */
  schedule(dest: number, data: ArrayBufferView, tag = 0): void {
    this.#phases.schedule(dest, data, tag);
  }

  /** Frees its memory once all PEs have. A second call has no effect. @throws StateError in the middle of a phase */
  free(): void {
    this.#phases.free();
  }

  /** As {@link free}. In the middle of a phase, after an error, the memory stays allocated until the world ends. */
  [Symbol.dispose](): void {
    if (this.state === "dormant") this.free();
  }
}
