/**
 * Whether a key that is new should take the place of another one. It should not where keys hardly ever come again: then they are sent
 * at once, and only those that have a place are combined. Measured by the counts of keys that gave up their places; tried again after a while.
 */

/** Keys after which it is judged. */
const JUDGED = 2048;
/** Mean count of them from which on it pays. */
const WORTH = 1.5;
/** New keys that get no place then. */
const REFUSED = 16 * JUDGED;

export class Admission {
  #number = 0;
  #sum = 0;
  #refused = 0;

  /** Whether a new key gets no place. */
  refuses(): boolean {
    if (this.#refused === 0) return false;
    this.#refused--;
    return true;
  }

  /** A key has given up its place. */
  left(count: number): void {
    this.#sum += count;
    if (++this.#number < JUDGED) return;
    if (this.#sum < WORTH * JUDGED) this.#refused = REFUSED;
    this.#number = 0;
    this.#sum = 0;
  }
}
