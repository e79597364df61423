/** The schedules: where the chunks of one PE come from. A chunk allocates nothing. */
import type { LoopArea, Slot } from "./area.ts";
import { ChunkSize } from "./chunk-size.ts";
import { BEGIN, STEALS, STOP } from "./layout.ts";
import type { LoopOptions } from "./options.ts";

/** Where chunks come from. */
export interface ChunkSource {
  /** The first iteration of the last chunk. */
  begin: number;
  /** Takes the next chunk: how many iterations; 0 when nothing is left, or the loop is stopped. */
  take(): number;
  /** The schedule with its chunk, and why, in words. */
  told(): string;
}

/** What a source needs of its loop. */
export interface SourceParts {
  readonly area: LoopArea;
  readonly slot: Slot;
  readonly count: number;
  /** Whether limits are looked at between chunks: a block is divided then. */
  readonly isWatched: boolean;
}

/** Pieces of a block between which limits are looked at. */
const PIECES = 64;

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
    return new Pieces(parts, [chunk * rank, count], chunk, chunk * size, `static: chunks of ${chunk}, in turn`);
  }
  const sum = (of: readonly number[]) => of.reduce((all, one) => all + one, 0);
  const until = (pe: number) => {
    if (weights === undefined || pe === size) return Math.floor((pe * count) / size);
    return Math.floor((sum(weights.slice(0, pe)) / sum(weights)) * count);
  };
  const [begin, end] = [until(rank), until(rank + 1)] as const;
  const piece = isWatched ? Math.max(1, Math.ceil((end - begin) / PIECES)) : Math.max(1, end - begin);
  const how = weights === undefined ? "" : `, by weights ${weights.join(", ")}`;
  return new Pieces(parts, [begin, end], piece, piece, `static: a block for each PE${how}, as asked for`);
}

/** A piece every so many iterations. */
class Pieces implements ChunkSource {
  begin: number;
  readonly #i32: Int32Array;
  readonly #stop: number;
  readonly #end: number;
  readonly #piece: number;
  readonly #step: number;
  readonly #words: string;
  #next: number;

  constructor(parts: SourceParts, range: readonly [number, number], piece: number, step: number, words: string) {
    const [begin, end] = range;
    this.begin = begin;
    this.#i32 = parts.area.heap.i32;
    this.#stop = (parts.slot.control + STOP) / 4;
    this.#next = begin;
    this.#end = end;
    this.#piece = piece;
    this.#step = step;
    this.#words = words;
  }

  take(): number {
    const begin = this.#next;
    const left = this.#end - begin;
    // seen late perhaps: the barrier settles it
    if (left <= 0 || this.#i32[this.#stop] !== 0) return 0;
    this.begin = begin;
    this.#next = begin + this.#step;
    return Math.min(left, this.#piece);
  }

  told(): string {
    return this.#words;
  }
}

/** The next chunk of the whole loop, by one addition to a counter of chunks. */
class InOrder implements ChunkSource {
  begin = 0;
  readonly #i32: Int32Array;
  readonly #counter: number;
  readonly #count: number;
  readonly #chunk: number;

  constructor({ area, slot, count }: SourceParts, chunk: number) {
    this.#i32 = area.heap.i32;
    this.#counter = slot.control / 4;
    this.#count = count;
    this.#chunk = chunk;
  }

  take(): number {
    // pairs with that of the others: no two get the same. There are at most 2^31 chunks, and each PE adds one too many
    const begin = (Atomics.add(this.#i32, this.#counter, 1) >>> 0) * this.#chunk;
    const left = this.#count - begin;
    // in the line of the counter; seen late perhaps: the barrier settles it
    if (left <= 0 || this.#i32[this.#counter + STOP / 4] !== 0) return 0;
    this.begin = begin;
    return Math.min(left, this.#chunk);
  }

  told(): string {
    return `dynamic: chunks of ${this.#chunk}, in order; as asked for`;
  }
}

/** A part of what is left of the whole loop. */
class Guided implements ChunkSource {
  begin = 0;
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
  readonly #parts: SourceParts;
  readonly #size: ChunkSize;
  readonly #schedule: string;
  readonly #first: number;
  #last = 0;

  constructor(parts: SourceParts, { schedule, chunk }: LoopOptions) {
    const { seat } = parts.area;
    this.#parts = parts;
    this.#schedule = schedule ?? "steal, as nothing is said";
    this.#first = (parts.slot.line + BEGIN) / 4;
    this.#size = new ChunkSize(seat.waits, chunk, schedule === "auto" ? Math.ceil(parts.count / seat.size) : 0);
  }

  take(): number {
    const { area, slot, count } = this.#parts;
    const { kernels, seat } = area;
    const { rank, size } = seat;
    let taken = kernels.takeOwn(slot.control, rank, size, count, this.#size.next(this.#last));
    for (let scans = 0; taken === 0 && scans < SCANS; ) {
      if (area.heap.i32[(slot.control + STOP) / 4] !== 0) break;
      // what it has got may be stolen again before it takes some
      if (kernels.steal(slot.control, rank, size, count, area.victims) === 0) scans++;
      else taken = kernels.takeOwn(slot.control, rank, size, count, this.#size.next(0));
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
