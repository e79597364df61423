/**
 * A loop of a group, at one of its PEs: chunks are taken and run until none is left; then a collective, which is the
 * barrier.
 *
 * What goes wrong at one PE stops the loop at all: it stores its rank in STOP (chunks/layout.ts), all take no more
 * chunks, and after the barrier, which orders that store before their looks, all get the error from that PE by a
 * broadcast. So all PEs throw the same error, and the group goes on. Over nodes (nodes/between-nodes.ts) PEs of several
 * may have stopped it: all agree about one of them by an allreduce, which is the barrier then.
 */
import { RankLostError, UsageError } from "../../ground/base/errors.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import { awaitOn, blockOn, type Task } from "../../ground/wait/task.ts";
import type { Seat } from "../../pe/seat.ts";
import { areaOf, type LoopArea, type NodeShare } from "./chunks/area.ts";
import { DONE, GONE, LEFT, type Slot, STOP } from "./chunks/layout.ts";
import { isLimited, LoopLimits } from "./chunks/limits.ts";
import { type ChunkSource, LoopSources, type SourceParts } from "./chunks/sources.ts";
import { OthersLeft, Yields } from "./conditions.ts";
import type { KeptJob, LoopJob } from "./job.ts";
import { BetweenNodes } from "./nodes/between-nodes.ts";
import { GivingSource } from "./nodes/giving.ts";
import { termsOf, wordOf } from "./terms.ts";
import { thrownAt } from "./thrown.ts";
import { Unended } from "./unended.ts";

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

/** The loops of a group, at one of its PEs: one at a time. */
export class Loop implements SourceParts {
  readonly area: LoopArea;
  readonly share: NodeShare = { from: 0, count: 0 };
  slot!: Slot;
  /** For the next call (each.ts). */
  kept: KeptJob | null = null;
  /** The one that is under way, or was the last one. */
  #job!: LoopJob<unknown>;
  #source: ChunkSource | null = null;
  /** null where there are none: nobody has to look between chunks. */
  #limits: LoopLimits | null = null;
  /** null on one node. */
  #between: BetweenNodes | null = null;
  /** Whether this PE has stopped it, and by what. */
  #hasStopped = false;
  #error: unknown;
  readonly #turns: Yields;
  readonly #sources: LoopSources;

  constructor(area: LoopArea) {
    this.area = area;
    this.#sources = new LoopSources(this);
    this.#turns = new Yields(area.seat);
  }

  get count(): number {
    return this.#job.count;
  }

  get isOnEach(): boolean {
    return this.#job.isOnEach;
  }

  get isWatched(): boolean {
    return this.#limits !== null || this.area.partners !== null;
  }

  /** Begins one: all PEs have left the one before. */
  begin(job: LoopJob<unknown>): void {
    const { area } = this;
    const { call, count, options } = job;
    const slot = area.advance();
    job.ending?.begin?.(slot);
    const total = job.iterationsIn?.(0, count, count, count) ?? count;
    const limits = isLimited(options) ? new LoopLimits(call, area.seat, slot, total, options) : null;
    this.slot = slot;
    area.share(count, this.share, job.isOnEach);
    this.#job = job;
    this.#limits = limits;
    this.#hasStopped = false;
    this.#error = undefined;
    const source = this.#sources.of(options);
    this.#source = source;
    job.ordered?.begin(area, slot, limits);
    if (area.partners === null) return;
    const giving = new GivingSource(this, source, options);
    const compared = { call, word: wordOf(job), count, root: termsOf(job) };
    this.#source = giving;
    this.#between = new BetweenNodes(area, slot, compared, giving, limits);
    if (limits !== null) limits.elsewhere = this.#between;
  }

  /** In words. */
  told(): string {
    if (this.#source === null) return NO_LOOP;
    const { call, count } = this.#job;
    return `${call} of ${count} iterations: ${this.#source.told()}.`;
  }

  /**
   * Runs chunks. @param pauses whether others are to have turns meanwhile
   * @returns what the PE waits for: others have a turn, another node gives some, its turn in the order has come; null
   * when nothing is left to take
   */
  run(pauses: boolean): Condition | null {
    const { i32 } = this.area.heap;
    const job = this.#job;
    const { iterationsIn, ordered } = job;
    const source = this.#source as ChunkSource;
    const between = this.#between;
    const isWatched = this.#limits !== null;
    const done = (this.slot.line + DONE) / 4;
    const { inside } = this.area.seat.collectives.engine.ops;
    inBody = job.call;
    // no collectives: PEs run different iterations
    inside(true);
    try {
      this.#limits?.look();
      for (let claims = 1; ; claims++) {
        const turn = ordered?.turn(!pauses) ?? null;
        if (turn !== null) return turn;
        const count = source.take();
        if (count === 0) {
          const more = between?.search() ?? null;
          if (more !== null) return more;
          break;
        }
        const { begin, chunk, step } = source;
        job.run(begin, count, chunk, step);
        // the owner's own: others read it for reports; an ordered part counts what it has got
        if (ordered === undefined) {
          i32[done] =
            (i32[done] as number) + (iterationsIn === undefined ? count : iterationsIn(begin, count, chunk, step));
        }
        if (isWatched || (claims & LOOK_MASK) === 0) this.#look();
        between?.pass();
        if (pauses && this.#turns.areDue) return this.#turns.take();
      }
      job.check?.();
    } catch (error) {
      this.#stop(error);
    } finally {
      inBody = "";
      inside(false);
    }
    // pairs with the loads of OthersLeft
    i32[(this.slot.line + LEFT) / 4] = 1;
    // pairs with the same addition at the other PEs of the node: the last one knows that it is
    if (between !== null) between.leave(Atomics.add(i32, (this.slot.control + GONE) / 4, 1) + 1 === this.area.pes);
    return null;
  }

  #look(): void {
    this.#limits?.look();
    this.area.seat.checkGroup();
  }

  /** The first error counts. */
  #stop(error: unknown): void {
    const { heap, seat } = this.area;
    const word = (this.slot.control + STOP) / 4;
    // pairs with the loads of the others, and with the same exchange of one that stops it, too
    if (Atomics.compareExchange(heap.i32, word, 0, 1 + seat.rank) !== 0) return;
    this.#hasStopped = true;
    this.#error = error;
    this.#between?.stop();
  }

  /** Takes chunks until nothing is left; the thread blocks. */
  runNow(): void {
    const awaited = this.run(false);
    if (awaited !== null) blockOn(this.area.seat, this.running(false, awaited));
  }

  /** As {@link run}, again and again. @param awaited what it has come to before */
  *running(pauses: boolean, awaited: Condition | null = this.run(pauses)): Task<void> {
    for (let next = awaited; next !== null; next = this.run(pauses)) {
      try {
        yield next;
      } catch (error) {
        // this PE may have gone on without what it was given: the others would wait for it in vain
        throw error instanceof RankLostError ? error : this.area.seat.fail(error);
      }
    }
  }

  /** Waits for the others where this PE has limits; else the barrier does. */
  waitNow(): void {
    const limits = this.#limits;
    if (limits === null) return;
    const { seat } = this.area;
    try {
      blockOn(seat, this.#others(limits, false), limits.left);
    } catch (error) {
      this.#stop(limits.reasonOf(error));
      try {
        blockOn(seat, this.#others(limits, true), limits.grace);
      } catch (late) {
        // who does not leave a stopped loop keeps all others
        throw seat.fail(late);
      }
    }
  }

  async waitLater(): Promise<void> {
    const limits = this.#limits;
    if (limits === null) return;
    const { seat } = this.area;
    try {
      await awaitOn(seat, this.#others(limits, false), { timeout: limits.left, signal: limits.signal });
    } catch (error) {
      this.#stop(limits.reasonOf(error));
      await awaitOn(seat, this.#others(limits, true), { timeout: limits.grace }).catch((late: unknown) => {
        throw seat.fail(late);
      });
    }
  }

  *#others(limits: LoopLimits, isStopped: boolean): Task<void> {
    yield new OthersLeft(this.#job.call, this.area, this.slot, limits, isStopped);
  }

  /** The barrier is over. @throws the error that has stopped the loop */
  *closing(): Task<void> {
    yield* closing(this.area, this.slot, this.#error);
    this.#limits?.complete();
  }

  /** Whether nothing is to be said or thrown any more. */
  get isClean(): boolean {
    if (this.#limits !== null || this.#between !== null) return false;
    // pairs with the exchange in #stop(), which came before the barrier
    return Atomics.load(this.area.heap.i32, (this.slot.control + STOP) / 4) === 0;
  }

  /** Nothing more of it is done for others. */
  end(): void {
    this.#between?.end();
  }

  /** Of a loop without a barrier. */
  leave(): undefined {
    const thrown = this.#hasStopped ? { thrown: this.#error } : null;
    this.area.unended = new Unended(this.#job.call, this.area, this.slot, thrown);
  }
}

const NO_LOOP = "This PE has run no loop in this group.";

const loops = new WeakMap<Seat, Loop>();

/** Those of a seat: made at the first loop. @throws HeapError */
export function loopOf(seat: Seat): Loop {
  let loop = loops.get(seat);
  if (loop === undefined) {
    loop = new Loop(areaOf(seat));
    loops.set(seat, loop);
  }
  return loop;
}

/** The last loop of a seat, in words. */
export const toldOf = (seat: Seat): string => loops.get(seat)?.told() ?? NO_LOOP;

/** @param own the error of this PE, if it has stopped the loop */
export function* closing({ heap, seat, partners }: LoopArea, { control }: Slot, own: unknown): Task<void> {
  // pairs with the exchange in #stop(), which came before the barrier
  const here = Atomics.load(heap.i32, (control + STOP) / 4);
  const { collectives } = seat;
  // the barrier of a loop over nodes
  const stopped = partners === null ? here : yield* collectives.task(collectives.backend.allreduce(here, "max"));
  if (stopped === 0) return;
  throw yield* thrownAt(seat, stopped - 1, own);
}
