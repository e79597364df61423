/**
 * The ordered part of a loop: what bodies return is given to a function in the order of the iterations, one at a time,
 * while bodies of other iterations run. A PE goes on with bodies of its claim until {@link AHEAD} values wait for their
 * turn; then it waits, too.
 *
 *     PE 0   body 0 │ part 0 │ body 2   │ part 2 │ …
 *     PE 1   body 1          │ part 1 │ body 3   │ part 3
 *
 * NEXT (chunks/layout.ts) is the iteration whose part comes next. The PE that has it runs its parts up to the first
 * iteration that is another PE's, and stores that one.
 *
 * Why no PE waits in vain: a PE runs what it takes in ascending order, and what is left in its range comes after what
 * it has taken. So the iteration that comes next is one that a PE runs, or that one takes which waits for nobody.
 *
 * Source: OpenMP 5.2, section 15.10 (ordered).
 */
import { type RunClaim, refusePromise } from "./bodies.ts";
import type { LoopArea } from "./chunks/area.ts";
import { AWAITS, DONE, NEXT, rangeOf, type Slot, STOP, WAITED } from "./chunks/layout.ts";
import type { LoopLimits } from "./chunks/limits.ts";
import { TurnInOrder } from "./conditions.ts";

/** Values of a PE that wait for their turn at most: a power of two. */
const AHEAD = 1024;

/** Body and ordered part of a loop, by iteration. */
export interface OrderedParts {
  /** Whether both are called for each iteration, and not for each chunk. */
  readonly isEach: boolean;
  /** Runs the body for some iterations. @returns its value */
  value(begin: number, count: number): unknown;
  /** Gives that value to the ordered part. @returns what that returns */
  give(value: unknown, begin: number, count: number): unknown;
}

/** Those of a loop that is under way at this PE. */
export class OrderedRun {
  readonly #call: string;
  readonly #parts: OrderedParts;
  readonly #values = new Array<unknown>(AHEAD);
  #area!: LoopArea;
  #i32!: Int32Array;
  #slot!: Slot;
  #turn!: TurnInOrder;
  /** The claim: its pieces, which are iterations or chunks. */
  #begin = 0;
  #count = 0;
  #chunk = 1;
  #step = 1;
  #pieces = 0;
  /** Pieces whose bodies were run, and those whose ordered parts were. */
  #ran = 0;
  #given = 0;
  /** The iteration whose part this PE has to run next, and the word that says which comes next. */
  #due = 0;
  #next = 0;
  /** Whether this PE knows that its part comes next. */
  #isNext = false;

  constructor(call: string, parts: OrderedParts) {
    this.#call = call;
    this.#parts = parts;
  }

  begin(area: LoopArea, slot: Slot, limits: LoopLimits | null): void {
    this.#area = area;
    this.#i32 = area.heap.i32;
    this.#slot = slot;
    this.#next = this.#word(NEXT);
    this.#turn = new TurnInOrder(this.#call, this, area, slot, limits);
  }

  /** Takes a claim; {@link turn} runs it. */
  readonly take: RunClaim = (begin, count, chunk, step) => {
    this.#begin = begin;
    this.#count = count;
    this.#chunk = chunk;
    this.#step = step;
    this.#pieces = this.#parts.isEach ? count : Math.ceil(count / chunk);
    this.#ran = 0;
    this.#given = 0;
    this.#due = begin;
    this.#isNext = false;
  };

  /** Runs the claim as far as it can. @param blocks whether it may spin @returns what it waits for; null: it is over */
  turn(blocks: boolean): TurnInOrder | null {
    while (this.#given < this.#pieces) {
      if (this.#given < this.#ran && this.isNext) this.#give();
      else if (this.#ran < this.#pieces && this.#ran - this.#given < AHEAD) this.#run();
      else if (this.isStopped) this.#pieces = 0;
      else if (!blocks || !this.#comesSoon()) return this.#wait();
    }
    return null;
  }

  /** Only for the turn: whoever waits for that looks at limits, too. */
  #comesSoon(): boolean {
    for (let look = this.#area.seat.waiter.looks; look > 0; look--) if (this.isNext) return true;
    return false;
  }

  /** This PE is to be woken when its turn comes. */
  #wait(): TurnInOrder {
    // pair with the loads in #pass(), which come after the store that this PE looks for after these
    Atomics.store(this.#i32, (this.#slot.line + AWAITS) / 4, 1 + this.#due);
    Atomics.store(this.#i32, this.#word(WAITED), 1);
    return this.#turn;
  }

  /** Whether the part that this PE has to run next comes next. */
  get isNext(): boolean {
    // pairs with the store of who passes the turn on
    return this.#isNext || Atomics.load(this.#i32, this.#next) === (this.#due | 0);
  }

  get isStopped(): boolean {
    // pairs with the exchange of who stops the loop
    return Atomics.load(this.#i32, this.#word(STOP)) !== 0;
  }

  #word(field: number): number {
    return (this.#slot.control + field) / 4;
  }

  /** The first iteration of a piece, and its length. */
  #at(piece: number): number {
    if (!this.#parts.isEach) return this.#begin + piece * this.#step;
    const chunk = Math.floor(piece / this.#chunk);
    return this.#begin + chunk * this.#step + (piece - chunk * this.#chunk);
  }

  #length(piece: number): number {
    return this.#parts.isEach ? 1 : Math.min(this.#chunk, this.#count - piece * this.#chunk);
  }

  #run(): void {
    const piece = this.#ran;
    const value = this.#parts.value(this.#at(piece), this.#length(piece));
    refusePromise(this.#call, value);
    this.#values[piece % AHEAD] = value;
    this.#ran++;
  }

  #give(): void {
    const piece = this.#given;
    const at = this.#due;
    const length = this.#length(piece);
    const value = this.#values[piece % AHEAD];
    this.#values[piece % AHEAD] = undefined;
    refusePromise(this.#call, this.#parts.give(value, at, length), "ordered");
    this.#given++;
    // the owner's own: others read it for reports
    const done = (this.#slot.line + DONE) / 4;
    this.#i32[done] = (this.#i32[done] as number) + length;
    const after = at + length;
    this.#due = this.#at(this.#given);
    this.#isNext = this.#given < this.#pieces && this.#due === after;
    if (!this.#isNext) this.#pass(after);
  }

  /** The turn is that of another PE, or of this one with its next claim. */
  #pass(next: number): void {
    const { seat, place } = this.#area;
    const i32 = this.#i32;
    // pairs with the loads in isNext
    Atomics.store(i32, this.#next, next);
    // pair with the stores in #wait(): who waits is woken, or sees the store above
    if (Atomics.load(i32, this.#word(WAITED)) === 0) return;
    for (const [pe, rank] of seat.here.entries()) {
      const awaits = (rangeOf(this.#slot, place, pe) + AWAITS) / 4;
      if (Atomics.load(i32, awaits) === ((1 + next) | 0)) seat.posted(rank, awaits);
    }
  }
}
