/** The schedules: where the chunks of one PE come from. To take some allocates nothing. */
import type { LoopArea, NodeShare, Slot } from "./area.ts";
import { ClaimSize } from "./claim-size.ts";
import { BEGIN, LAST, MOST, rangeOf, STEALS, STOP, TURN } from "./layout.ts";
import type { LoopOptions } from "./options.ts";

/** Where chunks come from: some at a time, which are a claim. */
export interface ChunkSource {
  /** The first iteration of the last claim. */
  begin: number;
  /** The most iterations of a chunk of it. */
  readonly chunk: number;
  /** From one chunk of it to the next. */
  readonly step: number;
  /** Takes the next claim: how many iterations; 0 when nothing is left, or the loop is stopped. */
  take(): number;
  /** The schedule with its chunk, and why, in words. */
  told(): string;
}

/** That of a node, which gives some of them to another node. */
export interface NodeSource extends ChunkSource {
  /** As take: about half of what this PE, or another one of the node, has left. */
  give(): number;
}

/** What a source needs of its loop. */
interface RangeParts {
  readonly area: LoopArea;
  readonly slot: Slot;
  /** The iterations of this node. */
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

/** @param options checked */
export function sourceOf(parts: SourceParts, options: LoopOptions): NodeSource {
  const { schedule = "steal", chunk } = options;
  if (schedule === "static") return staticPieces(parts, options);
  if (schedule === "dynamic") return new InOrder(parts, chunk ?? 1);
  if (schedule === "guided") return new Guided(parts, chunk ?? 1);
  return new Stealing(parts, options);
}

function staticPieces(parts: SourceParts, options: LoopOptions): NodeSource {
  const { chunk, weights } = options;
  const { area, count, isOnEach, isWatched } = parts;
  const rank = isOnEach ? area.place : area.seat.rank;
  const size = isOnEach ? area.pes : area.seat.size;
  if (chunk !== undefined) return new Pieces(parts, options, chunk * rank, count, chunk, chunk * size);
  const begin = weightedPart(rank, size, weights, count);
  const end = weightedPart(rank + 1, size, weights, count);
  const piece = Math.max(1, isWatched ? Math.ceil((end - begin) / CLAIMS) : end - begin);
  return new Pieces(parts, options, begin, end, piece, piece);
}

/** The iterations of the PEs before one. */
function weightedPart(pe: number, size: number, weights: LoopOptions["weights"], count: number): number {
  if (weights === undefined || pe === size) return Math.floor((pe * count) / size);
  return Math.floor((sum(weights.slice(0, pe)) / sum(weights)) * count);
}

const sum = (of: readonly number[]): number => of.reduce((all, one) => all + one, 0);

/** A chunk every so many iterations. */
class Pieces implements NodeSource {
  begin: number;
  readonly chunk: number;
  readonly step: number;
  readonly #i32: Int32Array;
  readonly #stop: number;
  readonly #end: number;
  /** Chunks of a claim. */
  readonly #most: number;
  readonly #options: LoopOptions;
  #next: number;

  constructor(parts: SourceParts, options: LoopOptions, begin: number, end: number, chunk: number, step: number) {
    this.begin = begin;
    this.chunk = chunk;
    this.step = step;
    this.#i32 = parts.area.heap.i32;
    this.#stop = (parts.slot.control + STOP) / 4;
    this.#next = begin;
    this.#end = end;
    this.#most = Math.max(1, Math.ceil((end - begin) / step / CLAIMS));
    this.#options = options;
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
  readonly chunk: number;
  readonly step: number;
  readonly #i32: Int32Array;
  readonly #counter: number;
  readonly #share: NodeShare;
  readonly #size: ClaimSize;
  /** Iterations of which each PE makes EACH claims of one chunk. */
  readonly #round: number;
  #left: number;
  #last = 0;

  constructor({ area, slot, share }: SourceParts, chunk: number) {
    this.chunk = chunk;
    this.step = chunk;
    this.#i32 = area.heap.i32;
    this.#counter = slot.control / 4;
    this.#share = share;
    this.#size = new ClaimSize(area.seat, chunk, 0);
    this.#round = chunk * EACH * area.pes;
    this.#left = share.count;
  }

  take(): number {
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
    this.#left = count - begin;
    // in the line of the counter; seen late perhaps: the barrier settles it
    if (this.#left <= 0 || this.#i32[this.#counter + STOP / 4] !== 0) return 0;
    this.begin = from + begin;
    return Math.min(this.#left, chunks * this.chunk);
  }

  give(): number {
    // pairs with the additions: what is taken meanwhile is not given
    const taken = (Atomics.load(this.#i32, this.#counter) >>> 0) * this.chunk;
    const chunks = Math.ceil((this.#share.count - taken) / this.chunk);
    return chunks < 2 ? 0 : this.#take(chunks >> 1);
  }

  told(): string {
    return `dynamic: ${this.#size.told()}, in order`;
  }
}

/** A part of what is left of the whole node. */
class Guided implements NodeSource {
  begin = 0;
  // whatever is taken is one chunk
  readonly chunk: number = MOST;
  readonly step: number = MOST;
  readonly #parts: SourceParts;
  readonly #least: number;
  readonly #first: number;

  constructor(parts: SourceParts, least: number) {
    this.#parts = parts;
    this.#least = least;
    this.#first = (parts.slot.line + BEGIN) / 4;
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
  readonly chunk: number;
  readonly step: number;
  readonly #parts: RangeParts;
  readonly #size: ClaimSize;
  readonly #schedule: string;
  readonly #first: number;
  /** The block of this PE. */
  readonly #own: { readonly begin: number; readonly end: number };
  #last = 0;
  /** A generator of random numbers (Numerical Recipes, section 7.1). */
  #turn: number;

  constructor(parts: RangeParts, { schedule, chunk }: LoopOptions) {
    const { seat, pes, place } = parts.area;
    this.#turn = Math.imul(1 + place, 0x9e3779b1);
    this.#parts = parts;
    this.#schedule = schedule ?? "steal, as nothing is said";
    this.#first = (parts.slot.line + BEGIN) / 4;
    this.chunk = chunk ?? MOST;
    this.step = this.chunk;
    this.#own = { begin: this.#blockOf(place), end: this.#blockOf(place + 1) };
    this.#size = new ClaimSize(seat, chunk, schedule === "auto" ? Math.ceil(parts.share.count / pes) : 0);
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
    const { begin, end } = this.#own;
    const { chunk } = this.#size;
    const most = this.#size.next(this.#last);
    let taken = kernels.takeOwn(slot.control, slot.line, begin, end, most, chunk);
    for (let scans = 0; taken === 0 && scans < SCANS; ) {
      if (area.heap.i32[(slot.control + STOP) / 4] !== 0) break;
      // what it has got may be stolen again before it takes some
      this.#turn = Math.imul(this.#turn, 1664525) + 1013904223;
      area.heap.i32[(slot.line + TURN) / 4] = this.#turn >>> 8;
      if (kernels.steal(slot.control, place, pes, from, count, area.victims) === 0) scans++;
      else taken = kernels.takeOwn(slot.control, slot.line, begin, end, this.#size.restart(), chunk);
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
    return `${this.#schedule}: ${this.#size.told()}; this PE has stolen ${steals} times`;
  }
}
