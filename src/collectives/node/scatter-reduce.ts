/**
 * Reduce and allreduce of long arrays by reduce-scatter: every PE combines one chunk of all arrays.
 *
 * The PEs show their arrays to each other. PE i combines chunk i of all of them and writes the result into all of them
 * while it is in its first-level cache; for reduce it combines directly in the root's array. All cores work at once,
 * and nothing is copied twice. The combining PE writes the result, instead of the others reading it: this saves a
 * synchronisation, and the lines are in its cache already (64 KiB, 2 PEs, each writing and reading its array between
 * the calls: 4.9 instead of 7.8 us). Arrays outside the heap are staged segment by segment.
 *
 * Order: allreduce combines chunk i starting with PE i's element, then i+1, …, cyclically; reduce starts with the
 * root's, then root+1, …. Each element is combined once, so all PEs get the same bits. The chunk boundaries of an
 * allreduce depend on the number of PEs, the length, and whether all arrays are in the heap (one segment) or not; if
 * these are equal, so are the bits.
 *
 * Limits: two synchronisations of all PEs per segment. Ops must be associative and commutative.
 *
 * Source: Rabenseifner: Optimization of collective reduction operations, 2004 (reduce-scatter and allgather), here by
 * direct reads and writes instead of messages.
 *
 * Example, allreduce of 8 elements with 2 PEs: 0 combines x0[0..3] with x1[0..3] and writes them into both arrays; 1
 * does the same with [4..7].
 */

import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Team } from "../team/team.ts";
import { chunkStart, expose, fill, type Region, RegionTask, showable } from "./region.ts";

/** Bytes that are combined with all arrays before the next block, so that they stay in the first-level cache. */
const BLOCK_BYTES = 16 * 1024;
/** In place of a root: all PEs get the result. */
const ALL = -1;

/** The reductions by scatter of a team, at one PE. */
export class ScatterReduce extends RegionTask<void> {
  readonly result: undefined = undefined;
  readonly #team: Team;
  #tag = 0;
  #reducer: Reducer | null = null;
  #root = ALL;
  /** Offset and length of the current segment, bytes. */
  #start = 0;
  #bytes = 0;
  /** Position of this PE's segment, and the phase in which all show theirs. */
  #own = 0;
  #first = 0;
  /** The PE that is awaited: first until each has shown its segment, then until each has combined. */
  #peer = 0;
  #combined = false;

  constructor(team: Team) {
    super();
    this.#team = team;
  }

  /** @param root the PE whose region gets the result; -1 for all PEs */
  begin(tag: number, region: Region, reducer: Reducer, root: number): this {
    this.#tag = tag;
    this.region = region;
    this.#reducer = reducer;
    this.#root = root;
    this.#start = 0;
    if (region.bytes > 0) this.#show(region);
    return this;
  }

  advance(): Condition | null {
    const region = this.region as Region;
    const { board, rank, size } = this.#team;
    while (this.#start < region.bytes) {
      for (; this.#peer < size; this.#peer++) {
        if (this.#peer === rank) continue;
        const reached = board.reached(this.#peer, board.phase);
        if (!reached.ready()) return reached;
        if (this.#combined) continue;
        this.#team.check(this.#peer, this.#first, this.#tag);
        this.#bytes = Math.min(this.#bytes, board.bytes(this.#peer, this.#first));
      }
      this.#peer = 0;
      if (!this.#combined) {
        this.#combine(region);
        this.#combined = true;
        board.next(this.#tag);
        continue;
      }
      const takes = this.#root === ALL || this.#root === rank;
      if (takes && region.array !== null) fill(this.#team, region, this.#start, this.#bytes, this.#own);
      this.#start += this.#bytes;
      if (this.#start < region.bytes) this.#show(region);
    }
    return null;
  }

  /** Shows the region from the current segment on, as much as can be shown at once. */
  #show(region: Region): void {
    const { staging, board } = this.#team;
    const stage = region.array === null ? 0 : staging.segment(0);
    this.#bytes = showable(region, this.#start);
    this.#own = expose(this.#team, region, this.#start, this.#bytes, stage);
    board.show(this.#tag, this.#own, this.#bytes, 0);
    this.#first = board.phase;
    this.#peer = 0;
    this.#combined = false;
  }

  /** Combines this PE's chunk of the current segment. No other PE accesses that chunk of any array. */
  #combine(region: Region): void {
    const { rank, size } = this.#team;
    const low = chunkStart(this.#bytes, rank, size);
    const high = chunkStart(this.#bytes, rank + 1, size);
    for (let at = low; at < high; at += BLOCK_BYTES) {
      const bytes = Math.min(BLOCK_BYTES, high - at);
      if (this.#root === ALL) this.#combineForAll(at, bytes, bytes / region.size);
      else this.#combineForRoot(at, bytes / region.size);
    }
  }

  #combineForAll(at: number, bytes: number, count: number): void {
    const { payload, rank, size } = this.#team;
    const reducer = this.#reducer as Reducer;
    for (let step = 1; step < size; step++) {
      reducer(this.#own + at, this.#segmentOf((rank + step) % size) + at, count);
    }
    for (let step = 1; step < size; step++) {
      payload.copy(this.#segmentOf((rank + step) % size) + at, this.#own + at, bytes);
    }
  }

  #combineForRoot(at: number, count: number): void {
    const { size } = this.#team;
    const reducer = this.#reducer as Reducer;
    const target = this.#segmentOf(this.#root) + at;
    for (let step = 1; step < size; step++) {
      reducer(target, this.#segmentOf((this.#root + step) % size) + at, count);
    }
  }

  /** Position of the current segment of a PE. */
  #segmentOf(peer: number): number {
    const { board, rank } = this.#team;
    return peer === rank ? this.#own : board.address(peer, this.#first);
  }
}
