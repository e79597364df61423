/**
 * How many iterations a PE takes at once from its range: as many as take some {@link LONG_MS}, measured chunk by chunk.
 * Longer chunks would leave others without work at the end of the loop, as a chunk is not divided once it is taken;
 * with shorter ones it would matter what it costs to take one, and to look at the clock.
 *
 * Source: the granularity of tasks in lazy splitting (Tzannes and others, PPoPP 2010) is found by looking at queues;
 * here by a clock, as it takes 40 ns.
 */
import { DOUBLE_ZERO } from "../../ground/base/for-v8.ts";
import type { AsyncWaits } from "../../ground/wait/async.ts";

/** A chunk that takes less is followed by a longer one, one that takes more by a shorter one. */
const SHORT_MS = 0.005;
const LONG_MS = 0.01;
/** The most iterations that are not divided, whatever they take. */
const MOST = 2 ** 20;
/** `auto`: a chunk that took as long says what the block takes. */
const SAMPLE_MS = 0.001;

/** That of one PE in one loop. */
export class ChunkSize {
  readonly #clock: Pick<AsyncWaits, "now">;
  readonly #isFixed: boolean;
  /** Of `auto`: iterations of the block; 0 once it is decided. */
  #undecided: number;
  #decision = "";
  #size: number;
  /** When the last chunk began, ms. */
  #seen = DOUBLE_ZERO;

  /** @param given the one that is asked for @param block of `auto`, the iterations of the PE's block; else 0 */
  constructor(clock: Pick<AsyncWaits, "now">, given: number | undefined, block: number) {
    this.#clock = clock;
    this.#isFixed = given !== undefined;
    this.#undecided = this.#isFixed ? 0 : block;
    this.#size = given ?? 1;
  }

  /** That of the next chunk. @param last iterations of the last one; 0 for none */
  next(last: number): number {
    if (this.#isFixed) return this.#size;
    const now = this.#clock.now();
    if (last > 0) this.#learn(now - this.#seen, last);
    this.#seen = now;
    return this.#size;
  }

  /** @param took the last chunk, ms @param size its iterations: fewer than were wanted, if no more were left */
  #learn(took: number, size: number): void {
    if (this.#undecided > 0 && took >= SAMPLE_MS) {
      const block = (took / size) * this.#undecided;
      this.#undecided = 0;
      const us = (block * 1000).toPrecision(2);
      this.#decision = `the block takes about ${us} us, so `;
      if (block <= LONG_MS) {
        this.#decision += "it is run at once (static); ";
        this.#size = MOST;
        return;
      }
      this.#decision += "others may steal; ";
    }
    if (took < SHORT_MS) this.#size = Math.max(this.#size, Math.min(MOST, 2 * size));
    else if (took > LONG_MS) this.#size = Math.max(1, Math.floor((size * SHORT_MS) / took));
  }

  told(): string {
    if (this.#isFixed) return `chunks of ${this.#size}, as asked for`;
    const size = `${this.#size} iteration${this.#size === 1 ? "" : "s"} at last`;
    return `${this.#decision}chunks that take some ${LONG_MS * 1000} us, ${size}, as no chunk is said`;
  }
}
