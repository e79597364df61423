/**
 * Whether combining pays: it does not where keys hardly ever come again, as each of them then costs a look into the
 * table and is sent nevertheless. It is measured for some keys in turn; if few of them were there, many are sent
 * without a look.
 */

/** Keys that are measured. */
const MEASURED = 4096;
/** It pays if not more of them have been sent, or sent another one. */
const MOST_SENT = 0.75 * MEASURED;
/** Keys without a look when it does not. */
const PASSED = 16 * MEASURED;

export class Payoff {
  #left = MEASURED;
  #sent = 0;
  #passes = false;

  /** Whether the next key is sent without a look. */
  passes(): boolean {
    if (this.#left-- === 0) this.#judge();
    return this.#passes;
  }

  /** A key is sent, or another one in its place. */
  sent(): void {
    this.#sent++;
  }

  #judge(): void {
    this.#passes = !this.#passes && this.#sent > MOST_SENT;
    this.#left = this.#passes ? PASSED : MEASURED;
    this.#sent = 0;
  }
}
