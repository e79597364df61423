/**
 * A loop of a group, at one of its PEs: chunks are taken and run until none is left; then a collective, which is the
 * barrier.
 *
 * What goes wrong at one PE stops the loop at all: it stores its rank in STOP (layout.ts), all take no more chunks, and
 * after the barrier, which orders that store before their looks, all get the error from that PE by a broadcast. So all
 * PEs throw the same error, and the group goes on.
 */
import type { OpName } from "../../collectives/team/call-words.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { awaitOn, blockOn, type Task } from "../../ground/wait/task.ts";
import type { LoopArea, Slot } from "./area.ts";
import type { RunClaim } from "./bodies.ts";
import { OthersLeft, Yields } from "./conditions.ts";
import type { LoopEnd } from "./endings.ts";
import { DONE, LEFT, STOP } from "./layout.ts";
import { isLimited, LoopLimits } from "./limits.ts";
import type { LoopOptions } from "./options.ts";
import { type ChunkSource, sourceOf } from "./sources.ts";
import { thrownAt } from "./thrown.ts";

/** A loop that has been checked. */
export interface LoopJob<T> {
  /** The call, for messages. */
  readonly call: string;
  readonly count: number;
  /** A hash of what PEs must agree in besides. */
  readonly terms: number;
  readonly options: LoopOptions;
  /** The op of its values, the same at all PEs. */
  readonly op: OpName;
  /** Runs the body for some iterations. */
  readonly run: RunClaim;
  /** Called before the first one, at each PE. @default nothing is to be done */
  readonly prepare?: ((slot: Slot) => void) | undefined;
  /** How many iterations of the program some are, where they are not the same. @default one each */
  readonly iterationsIn?: ((...claim: Parameters<RunClaim>) => number) | undefined;
  /** Called when nothing is left to run at this PE. @default nothing is to be checked */
  readonly check?: (() => void) | undefined;
  /** null for none: the barrier is at the beginning of the group's next loop. */
  readonly ending: LoopEnd<T> | null;
}

/** One in so many claims looks whether the world has ended. */
const LOOK_MASK = 63;

/** The loop whose body runs in this thread; "" for none. Bodies do not await, so it is that of one PE. */
let inBody = "";

/** @throws UsageError in the body of a loop */
export function checkOutside(call: string): void {
  if (inBody === "") return;
  throw new UsageError(
    `${call}: expected no loop in the body of another one, got one in that of ${inBody}. The PEs of a loop run different iterations, so they do not ` +
      "make the same calls there. Make one loop over all pairs (k = i * m + j), or run the inner one as a plain for.",
  );
}

/** A loop that is under way at this PE. */
export class Loop<T> {
  readonly #area: LoopArea;
  readonly #job: LoopJob<T>;
  readonly #slot: Slot;
  readonly #source: ChunkSource;
  /** null where there are none: nobody has to look between chunks. */
  readonly #limits: LoopLimits | null;
  /** Whether this PE has stopped it, and by what. */
  #hasStopped = false;
  #error: unknown;
  readonly #turns: Yields;

  /** All PEs have left the loop before. */
  constructor(area: LoopArea, job: LoopJob<T>) {
    const { count, options } = job;
    this.#area = area;
    this.#turns = new Yields(area.seat);
    this.#job = job;
    this.#slot = area.advance();
    job.prepare?.(this.#slot);
    const total = job.iterationsIn?.(0, count, count, count) ?? count;
    this.#limits = isLimited(options) ? new LoopLimits(job.call, area.seat, this.#slot, total, options) : null;
    this.#source = sourceOf({ area, slot: this.#slot, count, isWatched: this.#limits !== null }, options);
    area.last = this;
  }

  /** In words. */
  told(): string {
    const { call, count } = this.#job;
    return `${call} of ${count} iterations: ${this.#source.told()}.`;
  }

  /**
   * Runs chunks. @param pauses whether others are to have turns meanwhile
   * @returns whether it has paused; else nothing is left to take
   */
  run(pauses: boolean): boolean {
    const { i32 } = this.#area.heap;
    const job = this.#job;
    const { iterationsIn } = job;
    const source = this.#source;
    const isWatched = this.#limits !== null;
    const done = (this.#slot.line + DONE) / 4;
    const { inside } = this.#area.seat.collectives.engine.ops;
    inBody = job.call;
    // no collectives: PEs run different iterations
    inside(true);
    try {
      this.#limits?.look();
      for (let claims = 1; ; claims++) {
        const count = source.take();
        if (count === 0) break;
        const { begin, chunk, step } = source;
        job.run(begin, count, chunk, step);
        // the owner's own: others read it for reports
        i32[done] =
          (i32[done] as number) + (iterationsIn === undefined ? count : iterationsIn(begin, count, chunk, step));
        if (isWatched || (claims & LOOK_MASK) === 0) this.#look();
        if (pauses && this.#turns.areDue) return true;
      }
      job.check?.();
    } catch (error) {
      this.#stop(error);
    } finally {
      inBody = "";
      inside(false);
    }
    // pairs with the loads of OthersLeft
    i32[(this.#slot.line + LEFT) / 4] = 1;
    return false;
  }

  #look(): void {
    this.#limits?.look();
    this.#area.seat.checkGroup();
  }

  /** The first error counts. */
  #stop(error: unknown): void {
    const { heap, seat } = this.#area;
    const word = (this.#slot.control + STOP) / 4;
    // pairs with the loads of the others, and with the same exchange of one that stops it, too
    if (Atomics.compareExchange(heap.i32, word, 0, 1 + seat.rank) !== 0) return;
    this.#hasStopped = true;
    this.#error = error;
  }

  /** As {@link run}, with turns for others. */
  *running(): Task<void> {
    while (this.run(true)) yield this.#turns.take();
  }

  /** Waits for the others where this PE has limits; else the barrier does. */
  waitNow(): void {
    const limits = this.#limits;
    if (limits === null) return;
    const { seat } = this.#area;
    try {
      blockOn(seat, this.#others(limits), limits.left);
    } catch (error) {
      this.#stop(limits.reasonOf(error));
      try {
        blockOn(seat, this.#others(limits), limits.grace);
      } catch (late) {
        // who does not leave a stopped loop keeps all others
        throw seat.fail(late);
      }
    }
  }

  async waitLater(): Promise<void> {
    const limits = this.#limits;
    if (limits === null) return;
    const { seat } = this.#area;
    try {
      await awaitOn(seat, this.#others(limits), { timeout: limits.left, signal: limits.signal });
    } catch (error) {
      this.#stop(limits.reasonOf(error));
      await awaitOn(seat, this.#others(limits), { timeout: limits.grace }).catch((late: unknown) => {
        throw seat.fail(late);
      });
    }
  }

  *#others(limits: LoopLimits): Task<void> {
    yield new OthersLeft(this.#job.call, this.#area.seat, this.#slot, limits);
  }

  /** The barrier is over. @throws the error that has stopped the loop */
  *closing(): Task<void> {
    yield* closing(this.#area, this.#slot, this.#error);
    this.#limits?.complete();
  }

  /** Whether nothing is to be said or thrown any more. */
  get isClean(): boolean {
    // pairs with the exchange in #stop(), which came before the barrier
    return this.#limits === null && Atomics.load(this.#area.heap.i32, (this.#slot.control + STOP) / 4) === 0;
  }

  /** Of a loop without a barrier. @throws what has stopped it at this PE */
  leave(): undefined {
    this.#area.unended = { slot: this.#slot, error: this.#error };
    if (this.#hasStopped) throw this.#error;
  }
}

/** @param own the error of this PE, if it has stopped the loop */
export function* closing({ heap, seat }: LoopArea, { control }: Slot, own: unknown): Task<void> {
  // pairs with the exchange in #stop(), which came before the barrier
  const stopped = Atomics.load(heap.i32, (control + STOP) / 4);
  if (stopped === 0) return;
  throw yield* thrownAt(seat, stopped - 1, own);
}
