/**
 * How many iterations a PE takes at once, its claim: as many as take some {@link LONG_MS}, measured claim by claim.
 * Longer ones would leave others without work at the end of the loop, as a claim is not divided once it is taken; with
 * shorter ones it would matter what it costs to take one, and to look at the clock. Where the program asks for chunks,
 * a claim is some of them: the body still gets one at a time.
 *
 * Source: the granularity of tasks in lazy splitting (Tzannes and others, PPoPP 2010) is found by looking at queues;
 * here by a clock, as it takes 40 ns.
 */
import { DOUBLE_ZERO } from "../../../ground/base/for-v8.ts";
import type { Seat } from "../../../pe/seat.ts";

/** A claim that takes less is followed by a longer one, one that takes more by a shorter one. */
const SHORT_MS = 0.005;
const LONG_MS = 0.01;
/** The most iterations that are not divided, whatever they take. */
const MOST = 2 ** 20;
/** `auto`: a claim that took as long says what the block takes. */
const SAMPLE_MS = 0.001;

/** That of one PE, in one loop after the other. */
export class ClaimSize {
  /** Iterations of a chunk: claims are multiples of it. */
  chunk = 1;
  readonly #clock: Pick<Seat["waits"], "now">;
  /** The time of virtual PEs stands still in bodies. */
  readonly #isVirtual: boolean;
  #isAsked = false;
  #most = 1;
  /** Of `auto`: iterations of the block; 0 once it is decided. */
  #undecided = 0;
  #decision = "";
  #size = 1;
  /** When the last claim began, ms. */
  #seen = DOUBLE_ZERO;

  constructor({ step, waits }: Pick<Seat, "step" | "waits">) {
    this.#clock = waits;
    this.#isVirtual = step !== undefined;
  }

  /** @param chunk the one that is asked for @param block of `auto`, the iterations of the PE's block; else 0 */
  begin(chunk: number | undefined, block: number): void {
    this.#isAsked = chunk !== undefined;
    this.#undecided = this.#isAsked ? 0 : block;
    this.#decision = "";
    this.chunk = chunk ?? 1;
    this.#most = this.#isAsked && this.#isVirtual ? this.chunk : Math.max(this.chunk, MOST);
    this.#size = this.chunk;
  }

  /** That of the next claim. @param last iterations of the last one; 0 for none */
  next(last: number): number {
    if (this.#most === this.chunk) return this.chunk;
    const now = this.#clock.now();
    if (last > 0) this.#learn(now - this.#seen, last);
    this.#seen = now;
    return this.#size;
  }

  /** That of the first claim of another range, whose iterations may take much longer. */
  restart(): number {
    this.#size = this.chunk;
    return this.next(0);
  }

  /** @param took the last claim, ms @param size its iterations: fewer than were wanted, if no more were left */
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
    if (took < SHORT_MS) this.#size = Math.max(this.#size, this.#chunks(Math.min(this.#most, 2 * size)));
    else if (took > LONG_MS) this.#size = this.#chunks((size * SHORT_MS) / took);
  }

  /** Iterations in whole chunks, one at least. */
  #chunks(size: number): number {
    return this.chunk * Math.max(1, Math.floor(size / this.chunk));
  }

  /** @param why chunks of that size */
  told(why = "as asked for"): string {
    if (this.#isAsked) return `chunks of ${this.chunk}, ${why}, ${this.#size / this.chunk} at once at last`;
    const size = `${this.#size} iteration${this.#size === 1 ? "" : "s"} at last`;
    return `${this.#decision}chunks that take some ${LONG_MS * 1000} us, ${size}, as no chunk is said`;
  }
}
