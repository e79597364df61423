/** Claims of a PE in a loop over nodes: those of its node, and of what other nodes have given. */

import { rangeOf } from "../chunks/layout.ts";
import type { LoopOptions } from "../chunks/options.ts";
import { type ChunkSource, type NodeSource, type SourceParts, Stealing } from "../chunks/sources.ts";

interface Piece {
  readonly begin: number;
  readonly count: number;
}

/**
 * First the claims that the schedule hands out on this node. What another node has given becomes the range of the PE
 * that has got it, whatever the schedule is, from which the others of its node steal.
 */
export class GivingSource implements ChunkSource {
  begin = 0;
  chunk: number;
  step: number;
  /** Whether other nodes have any for it: what is `static` stays where it is. */
  readonly isShared: boolean;
  readonly #parts: SourceParts;
  readonly #own: NodeSource;
  readonly #ranges: NodeSource;
  /** Nothing comes back to a counter. */
  #isDry = false;
  readonly #got: Piece[] = [];
  #pieces = 0;

  /** @param own of the schedule on this node */
  constructor(parts: SourceParts, own: NodeSource, { schedule, chunk }: LoopOptions) {
    this.chunk = own.chunk;
    this.step = own.step;
    this.isShared = schedule !== "static";
    this.#parts = parts;
    this.#own = own;
    const isOwn = own instanceof Stealing;
    const all = schedule === "dynamic" ? (chunk ?? 1) : chunk;
    const ranges = { area: parts.area, slot: parts.slot, share: { from: 0, count: 0 } };
    this.#ranges = isOwn ? own : new Stealing(ranges).begun({ schedule, chunk: all });
    this.#isDry = isOwn;
  }

  take(): number {
    if (!this.#isDry) {
      const count = this.#own.take();
      if (count > 0) return this.#from(this.#own, count);
      this.#isDry = true;
    }
    for (;;) {
      const count = this.#ranges.take();
      if (count > 0) return this.#from(this.#ranges, count);
      const piece = this.#got.pop();
      if (piece === undefined) return 0;
      const { area, slot } = this.#parts;
      area.kernels.put(rangeOf(slot, area.place, area.place), piece.begin, piece.begin + piece.count);
    }
  }

  #from({ begin, chunk, step }: ChunkSource, count: number): number {
    this.begin = begin;
    this.chunk = chunk;
    this.step = step;
    return count;
  }

  /** Another node has given some. */
  got(begin: number, count: number): void {
    this.#got.push({ begin, count });
    this.#pieces++;
  }

  /** Whether there is some of that, for the time when nothing is left on this node. */
  get hasMore(): boolean {
    return this.#got.length > 0;
  }

  /** Takes some for another node: how many iterations; their first one is `begin`. */
  give(): number {
    const piece = this.#got.pop();
    if (piece !== undefined) {
      this.begin = piece.begin;
      return piece.count;
    }
    const source = this.#isDry ? this.#ranges : this.#own;
    return this.#from(source, source.give());
  }

  told(): string {
    const { share } = this.#parts;
    return `${this.#own.told()}; ${share.count} of them at first on this node; this PE has got ${this.#pieces} pieces from others`;
  }
}
