/** The schedules: where the chunks of one PE come from. To take some allocates nothing. */
import type { LoopArea, Slot } from "./area.ts";
import { ClaimSize } from "./claim-size.ts";
import { BEGIN, MOST, STEALS, STOP } from "./layout.ts";
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

/** What a source needs of its loop. */
export interface SourceParts {
  readonly area: LoopArea;
  readonly slot: Slot;
  readonly count: number;
  /** Whether limits are looked at between claims: a block is divided then. */
  readonly isWatched: boolean;
}

/** Claims of what a PE has to run under `static`. */
const CLAIMS = 64;

/** @param options checked */
export function sourceOf(parts: SourceParts, options: LoopOptions): ChunkSource {
  const { schedule = "steal", chunk } = options;
  if (schedule === "static") return staticPieces(parts, options);
  if (schedule === "dynamic") return new InOrder(parts, chunk ?? 1);
  if (schedule === "guided") return new Guided(parts, chunk ?? 1);
  return new Stealing(parts, options);
}

function staticPieces(parts: SourceParts, { chunk, weights }: LoopOptions): ChunkSource {
  const { area, count, isWatched } = parts;
  const { rank, size } = area.seat;
  if (chunk !== undefined) {
    return new Pieces(parts, [chunk * rank, count], [chunk, chunk * size], `static: chunks of ${chunk}, in turn`);
  }
  const sum = (of: readonly number[]) => of.reduce((all, one) => all + one, 0);
  const until = (pe: number) => {
    if (weights === undefined || pe === size) return Math.floor((pe * count) / size);
    return Math.floor((sum(weights.slice(0, pe)) / sum(weights)) * count);
  };
  const [begin, end] = [until(rank), until(rank + 1)] as const;
  const piece = Math.max(1, isWatched ? Math.ceil((end - begin) / CLAIMS) : end - begin);
  const how = weights === undefined ? "" : `, by weights ${weights.join(", ")}`;
  return new Pieces(parts, [begin, end], [piece, piece], `static: a block for each PE${how}, as asked for`);
}

/** A chunk every so many iterations. */
class Pieces implements ChunkSource {
  begin: number;
  readonly chunk: number;
  readonly step: number;
  readonly #i32: Int32Array;
  readonly #stop: number;
  readonly #end: number;
  /** Chunks of a claim. */
  readonly #most: number;
  readonly #words: string;
  #next: number;

  constructor(parts: SourceParts, range: readonly [number, number], chunks: readonly [number, number], words: string) {
    const [begin, end] = range;
    const [chunk, step] = chunks;
    this.begin = begin;
    this.chunk = chunk;
    this.step = step;
    this.#i32 = parts.area.heap.i32;
    this.#stop = (parts.slot.control + STOP) / 4;
    this.#next = begin;
    this.#end = end;
    this.#most = Math.max(1, Math.ceil((end - begin) / step / CLAIMS));
    this.#words = words;
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

  told(): string {
    return this.#words;
  }
}

/**
 * `dynamic` claims several chunks only while they are short, so that the line of the counter does not move for each,
 * and at most this part of an even share of what is left: the last chunks come one by one.
 */
const EACH = 2;

/** The next chunks of the whole loop, by one addition to a counter of chunks. */
class InOrder implements ChunkSource {
  begin = 0;
  readonly chunk: number;
  readonly step: number;
  readonly #i32: Int32Array;
  readonly #counter: number;
  readonly #count: number;
  readonly #size: ClaimSize;
  readonly #share: number;
  #left: number;
  #last = 0;

  constructor({ area, slot, count }: SourceParts, chunk: number) {
    this.chunk = chunk;
    this.step = chunk;
    this.#i32 = area.heap.i32;
    this.#counter = slot.control / 4;
    this.#count = count;
    this.#size = new ClaimSize(area.seat, chunk, 0);
    this.#share = chunk * EACH * area.seat.size;
    this.#left = count;
  }

  take(): number {
    const { chunk } = this;
    const share = Math.floor(this.#left / this.#share);
    // near the end there is no need to look at the clock
    const chunks = share > 1 ? Math.min(this.#size.next(this.#last) / chunk, share) : 1;
    // pairs with that of the others: no two get the same. There are at most 2^31 chunks, and a few too many
    const begin = (Atomics.add(this.#i32, this.#counter, chunks) >>> 0) * chunk;
    const left = this.#count - begin;
    // in the line of the counter; seen late perhaps: the barrier settles it
    if (left <= 0 || this.#i32[this.#counter + STOP / 4] !== 0) return 0;
    this.begin = begin;
    this.#left = left;
    this.#last = Math.min(left, chunks * chunk);
    return this.#last;
  }

  told(): string {
    return `dynamic: ${this.#size.told()}, in order`;
  }
}

/** A part of what is left of the whole loop. */
class Guided implements ChunkSource {
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
    const { area, slot, count } = this.#parts;
    const taken = area.kernels.takeShare(slot.control, slot.line, count, this.#least, area.seat.size);
    if (taken !== 0) this.begin = (area.heap.i32[this.#first] as number) >>> 0;
    return taken >>> 0;
  }

  told(): string {
    return `guided: half of an even share of what is left, at least ${this.#least}; as asked for`;
  }
}

/** Scans of all victims before a PE gives up: what is just being stolen is in nobody's range for some ns. */
const SCANS = 2;

/** The own range, then those of others. */
class Stealing implements ChunkSource {
  begin = 0;
  readonly chunk: number;
  readonly step: number;
  readonly #parts: SourceParts;
  readonly #size: ClaimSize;
  readonly #schedule: string;
  readonly #first: number;
  #last = 0;

  constructor(parts: SourceParts, { schedule, chunk }: LoopOptions) {
    const { seat } = parts.area;
    this.#parts = parts;
    this.#schedule = schedule ?? "steal, as nothing is said";
    this.#first = (parts.slot.line + BEGIN) / 4;
    this.chunk = chunk ?? MOST;
    this.step = this.chunk;
    this.#size = new ClaimSize(seat, chunk, schedule === "auto" ? Math.ceil(parts.count / seat.size) : 0);
  }

  take(): number {
    const { area, slot, count } = this.#parts;
    const { kernels, seat } = area;
    const { rank, size } = seat;
    const { chunk } = this.#size;
    const most = this.#size.next(this.#last);
    let taken = kernels.takeOwn(slot.control, rank, size, count, most, chunk);
    for (let scans = 0; taken === 0 && scans < SCANS; ) {
      if (area.heap.i32[(slot.control + STOP) / 4] !== 0) break;
      // what it has got may be stolen again before it takes some
      if (kernels.steal(slot.control, rank, size, count, area.victims) === 0) scans++;
      else taken = kernels.takeOwn(slot.control, rank, size, count, this.#size.restart(), chunk);
    }
    this.#last = taken >>> 0;
    if (taken !== 0) this.begin = (area.heap.i32[this.#first] as number) >>> 0;
    return this.#last;
  }

  told(): string {
    const { area, slot } = this.#parts;
    const steals = (area.heap.i32[(slot.line + STEALS) / 4] as number) >>> 0;
    return `${this.#schedule}: ${this.#size.told()}; this PE has stolen ${steals} times`;
  }
}
