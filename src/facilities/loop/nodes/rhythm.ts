/** How often something is looked at that costs more than a claim may take: about every {@link LONG_MS}. */
import type { Seat } from "../../../pe/seat.ts";

const SHORT_MS = 0.05;
const LONG_MS = 0.1;
/** The most claims between two looks at the clock. */
const MOST = 64;

export class Rhythm {
  readonly #seat: Pick<Seat, "waits" | "step">;
  #stride = 1;
  #left = 1;
  #last: number;

  constructor(seat: Pick<Seat, "waits" | "step">) {
    this.#seat = seat;
    this.#last = seat.waits.now();
  }

  /** Whether it is due after this claim; on virtual PEs after each. */
  get isDue(): boolean {
    if (this.#seat.step !== undefined) return true;
    if (--this.#left > 0) return false;
    const now = this.#seat.waits.now();
    const took = now - this.#last;
    this.#last = now;
    if (took < SHORT_MS) this.#stride = Math.min(MOST, 2 * this.#stride);
    else if (took > LONG_MS) this.#stride = Math.max(1, this.#stride >> 1);
    this.#left = this.#stride;
    return true;
  }
}
