/** The schedules: where the chunks of one PE come from. To take some allocates nothing. */
import type { LoopArea, NodeShare } from "./area.ts";
import { ClaimSize } from "./claim-size.ts";
import { BEGIN, LAST, MOST, rangeOf, type Slot, STEALS, STOP, TURN } from "./layout.ts";
import type { LoopOptions, LoopSchedule } from "./options.ts";

/** Where chunks come from: some at a time, which are a claim. */
export interface ChunkSource {
  /** The first iteration of the last claim. */
  begin: number;
  /** The most iterations of a chunk of it. */
  chunk: number;
  /** From one chunk of it to the next. */
  step: number;
  /** Takes the next claim: how many iterations; 0 when nothing is left, or the loop is stopped. */
  take(): number;
  /** The schedule with its chunk, and why, in words. */
  told(): string;
}

/** That of a node, which gives some of them to another node. It is made once, and begun by each loop. */
export interface NodeSource extends ChunkSource {
  begun(options: LoopOptions): this;
  /** As take: about half of what this PE, or another one of the node, has left. */
  give(): number;
}

/** What a source needs of its loop. */
interface RangeParts {
  readonly area: LoopArea;
  readonly slot: Slot;
  /** The iterations of this node; the same object in all loops. */
  readonly share: NodeShare;
}

export interface SourceParts extends RangeParts {
  /** All of the loop. */
  readonly count: number;
  /** Whether those of the node are all, as they are those of each node. */
  readonly isOnEach: boolean;
  /** Whether limits are looked at between claims: a block is divided then. */
  readonly isWatched: boolean;
}

/** Claims of what a PE has to run under `static`. */
const CLAIMS = 64;

/** The sources of the loops of a group, one after the other. */
export class LoopSources {
  readonly #parts: SourceParts;
  readonly #made: Partial<Record<LoopSchedule, NodeSource>> = {};

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  /** That of the next loop. @param options checked */
  of(options: LoopOptions): NodeSource {
    const { schedule = "steal" } = options;
    this.#made[schedule] ??= new SOURCES[schedule](this.#parts);
    return this.#made[schedule].begun(options);
  }
}

/** The iterations of the PEs before one. */
function partBefore(pe: number, size: number, count: number, weights: LoopOptions["weights"]): number {
  if (weights === undefined || pe === size) return Math.floor((pe * count) / size);
  return Math.floor((sum(weights.slice(0, pe)) / sum(weights)) * count);
}

const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0);

/** A chunk every so many iterations. */
class Pieces implements NodeSource {
  begin = 0;
  chunk = 0;
  step = 0;
  readonly #parts: SourceParts;
  readonly #i32: Int32Array;
  #options: LoopOptions = {};
  #stop = 0;
  #end = 0;
  /** Chunks of a claim. */
  #most = 0;
  #next = 0;

  constructor(parts: SourceParts) {
    this.#parts = parts;
    this.#i32 = parts.area.heap.i32;
  }

  begun(options: LoopOptions): this {
    const { chunk, weights } = options;
    const { area, slot, count, isOnEach, isWatched } = this.#parts;
    const rank = isOnEach ? area.place : area.seat.rank;
    const size = isOnEach ? area.pes : area.seat.size;
    this.#options = options;
    this.#stop = (slot.control + STOP) / 4;
    if (chunk === undefined) {
      this.#next = partBefore(rank, size, count, weights);
      this.#end = partBefore(rank + 1, size, count, weights);
      const length = this.#end - this.#next;
      this.chunk = Math.max(1, isWatched ? Math.ceil(length / CLAIMS) : length);
      this.step = this.chunk;
    } else {
      this.#next = chunk * rank;
      this.#end = count;
      this.chunk = chunk;
      this.step = chunk * size;
    }
    this.#most = Math.max(1, Math.ceil((this.#end - this.#next) / this.step / CLAIMS));
    return this;
  }

  take(): number {
    const { chunk, step } = this;
    const begin = this.#next;
    const left = this.#end - begin;
    // seen late perhaps: the barrier settles it
    if (left <= 0 || this.#i32[this.#stop] !== 0) return 0;
    const chunks = Math.min(this.#most, Math.ceil(left / step));
    this.begin = begin;
    this.#next = begin + chunks * step;
    return (chunks - 1) * chunk + Math.min(chunk, left - (chunks - 1) * step);
  }

  give(): number {
    return 0;
  }

  told(): string {
    const { chunk, weights } = this.#options;
    if (chunk !== undefined) return `static: chunks of ${chunk}, in turn`;
    const how = weights === undefined ? "" : `, by weights ${weights.join(", ")}`;
    return `static: a block for each PE${how}, as asked for`;
  }
}

/**
 * `dynamic` claims several chunks only while they are short, so that the line of the counter does not move for each,
 * and at most this part of an even share of what is left: the last chunks come one by one.
 */
const EACH = 2;

/** The next chunks of the whole node, by one addition to a counter of chunks. */
class InOrder implements NodeSource {
  begin = 0;
  chunk = 1;
  step = 1;
  readonly #parts: SourceParts;
  readonly #i32: Int32Array;
  readonly #share: NodeShare;
  readonly #size: ClaimSize;
  #isAsked = false;
  #counter = 0;
  /** Iterations of which each PE makes EACH claims of one chunk. */
  #round = 0;
  #left = 0;
  #last = 0;

  constructor(parts: SourceParts) {
    const { area, share } = parts;
    this.#parts = parts;
    this.#i32 = area.heap.i32;
    this.#share = share;
    this.#size = new ClaimSize(area.seat);
  }

  begun({ chunk: asked }: LoopOptions): this {
    const { area, slot } = this.#parts;
    const chunk = asked ?? 1;
    this.#isAsked = asked !== undefined;
    this.chunk = chunk;
    this.step = chunk;
    this.#counter = slot.control / 4;
    this.#size.begin(chunk, 0);
    this.#round = chunk * EACH * area.pes;
    this.#left = this.#share.count;
    this.#last = 0;
    return this;
  }

  take(): number {
    if (this.#left <= 0) return 0;
    const rounds = Math.floor(this.#left / this.#round);
    // near the end there is no need to look at the clock
    const chunks = rounds > 1 ? Math.min(this.#size.next(this.#last) / this.chunk, rounds) : 1;
    this.#last = this.#take(chunks);
    return this.#last;
  }

  #take(chunks: number): number {
    const { from, count } = this.#share;
    // pairs with that of the others: no two get the same. There are at most 2^31 chunks, and each PE adds few too many
    const begin = (Atomics.add(this.#i32, this.#counter, chunks) >>> 0) * this.chunk;
    const left = count - begin;
    const most = chunks * this.chunk;
    this.#left = left - most;
    // in the line of the counter; seen late perhaps: the barrier settles it
    if (left <= 0 || this.#i32[this.#counter + STOP / 4] !== 0) return 0;
    this.begin = from + begin;
    return Math.min(left, most);
  }

  give(): number {
    // pairs with the additions: what is taken meanwhile is not given
    const taken = (Atomics.load(this.#i32, this.#counter) >>> 0) * this.chunk;
    const chunks = Math.ceil((this.#share.count - taken) / this.chunk);
    return chunks < 2 ? 0 : this.#take(chunks >> 1);
  }

  told(): string {
    return `dynamic: ${this.#size.told(this.#isAsked ? undefined : "as no chunk is said")}, in order`;
  }
}

/** A part of what is left of the whole node. */
class Guided implements NodeSource {
  begin = 0;
  // whatever is taken is one chunk
  chunk: number = MOST;
  step: number = MOST;
  readonly #parts: SourceParts;
  #least = 1;
  #first = 0;

  constructor(parts: SourceParts) {
    this.#parts = parts;
  }

  begun({ chunk = 1 }: LoopOptions): this {
    this.#least = chunk;
    this.#first = (this.#parts.slot.line + BEGIN) / 4;
    return this;
  }

  take(): number {
    return this.#take(this.#parts.area.pes);
  }

  #take(pes: number): number {
    const { area, slot, share } = this.#parts;
    const taken = area.kernels.takeShare(slot.control, slot.line, share.count, this.#least, pes);
    if (taken !== 0) this.begin = share.from + ((area.heap.i32[this.#first] as number) >>> 0);
    return taken >>> 0;
  }

  give(): number {
    const { area, slot, share } = this.#parts;
    // the low word of the counter; pairs with the exchanges: what is taken meanwhile is not given
    const taken = Atomics.load(area.heap.i32, slot.control / 4) >>> 0;
    return share.count - taken < 2 * this.#least ? 0 : this.#take(1);
  }

  told(): string {
    return `guided: half of an even share of what is left, at least ${this.#least}; as asked for`;
  }
}

/** Scans of all victims before a PE gives up: what is just being stolen is in nobody's range for some ns. */
const SCANS = 2;

/** The own range, then those of others on the node. */
export class Stealing implements NodeSource {
  begin = 0;
  chunk: number = MOST;
  step: number = MOST;
  readonly #parts: RangeParts;
  readonly #size: ClaimSize;
  #schedule: LoopSchedule | undefined;
  #first = 0;
  /** The block of this PE. */
  #from = 0;
  #before = 0;
  #last = 0;
  /** A generator of random numbers (Numerical Recipes, section 7.1). */
  #turn: number;

  constructor(parts: RangeParts) {
    const { seat, place } = parts.area;
    this.#parts = parts;
    this.#size = new ClaimSize(seat);
    this.#turn = Math.imul(1 + place, 0x9e3779b1);
  }

  begun({ schedule, chunk }: LoopOptions): this {
    const { area, slot, share } = this.#parts;
    this.chunk = chunk ?? MOST;
    this.step = this.chunk;
    this.#schedule = schedule;
    this.#first = (slot.line + BEGIN) / 4;
    this.#from = this.#blockOf(area.place);
    this.#before = this.#blockOf(area.place + 1);
    this.#size.begin(chunk, schedule === "auto" ? Math.ceil(share.count / area.pes) : 0);
    this.#last = 0;
    return this;
  }

  /** The first iteration of the block of a PE; that of the next one is its end. As in the kernels. */
  #blockOf(pe: number): number {
    const { area, share } = this.#parts;
    return share.from + Math.floor((pe * share.count) / area.pes);
  }

  take(): number {
    const { area, slot, share } = this.#parts;
    const { kernels, place, pes } = area;
    const { from, count } = share;
    const { chunk } = this.#size;
    const most = this.#size.next(this.#last);
    let taken = kernels.takeOwn(slot.control, slot.line, this.#from, this.#before, most, chunk);
    for (let scans = 0; taken === 0 && scans < SCANS; ) {
      if (area.heap.i32[(slot.control + STOP) / 4] !== 0) break;
      // what it has got may be stolen again before it takes some
      this.#turn = Math.imul(this.#turn, 1664525) + 1013904223;
      area.heap.i32[(slot.line + TURN) / 4] = this.#turn >>> 8;
      if (kernels.steal(slot.control, place, pes, from, count, area.victims) === 0) scans++;
      else taken = kernels.takeOwn(slot.control, slot.line, this.#from, this.#before, this.#size.restart(), chunk);
    }
    return this.#taken(taken);
  }

  #taken(taken: number): number {
    this.#last = taken >>> 0;
    if (taken !== 0) this.begin = (this.#parts.area.heap.i32[this.#first] as number) >>> 0;
    return this.#last;
  }

  give(): number {
    const { area, slot } = this.#parts;
    const { heap, kernels, place, pes } = area;
    for (let i = -1; i < pes - 1; i++) {
      const pe = i < 0 ? place : (heap.i32[area.victims / 4 + i] as number) & ~LAST;
      const given = kernels.give(rangeOf(slot, place, pe), this.#blockOf(pe), this.#blockOf(pe + 1), slot.line) >>> 0;
      if (given === 0) continue;
      this.begin = (heap.i32[this.#first] as number) >>> 0;
      return given;
    }
    return 0;
  }

  told(): string {
    const { area, slot } = this.#parts;
    const steals = (area.heap.i32[(slot.line + STEALS) / 4] as number) >>> 0;
    return `${this.#schedule ?? "steal, as nothing is said"}: ${this.#size.told()}; this PE has stolen ${steals} times`;
  }
}

const SOURCES: Readonly<Record<LoopSchedule, new (parts: SourceParts) => NodeSource>> = {
  static: Pieces,
  dynamic: InOrder,
  guided: Guided,
  steal: Stealing,
  auto: Stealing,
};
