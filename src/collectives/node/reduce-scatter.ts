/**
 * Reduce-scatter: block i of the elementwise combination of all PEs' x at PE i, in a new array.
 *
 * The PEs show their elements to each other, and PE i combines block i of all of them. Of elements in the heap all
 * blocks are read in place; of others a piece of every block is staged at a time. Each PE shows how many bytes of a
 * block it has there, and how far apart the blocks are; all take the smallest number.
 *
 * Order: PE i starts with its own element, then those of PE i+1, …, cyclically. Each element is combined once, in an
 * order that the rank alone determines, so equal runs give equal bits, wherever the arrays lie.
 *
 * Limits: two synchronisations of all PEs per piece. Ops must be associative and commutative.
 *
 * Source: MPI 4.0, section 6.10.1 (reduce_scatter_block); direct reads as in scatter-reduce.ts.
 *
 * Example, sum with 2 PEs: [1, 2, 3, 4] and [10, 20, 30, 40] give [11, 22] at PE 0 and [33, 44] at PE 1.
 */

import { LINE } from "../../ground/memory/heap-layout.ts";
import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { SEGMENT_BYTES } from "../team/team-block.ts";
import { load, type Region } from "./region.ts";

/** Bytes that are combined with all arrays before the next ones, so that they stay in the first-level cache. */
const BLOCK_BYTES = 16 * 1024;
/** Pieces begin at multiples of this, so that none cuts an element, or a pair of two. */
const PIECE_BYTES = 16;

/** Combines this PE's block of the regions of all PEs in `result`, which has as many bytes as one block; returns it. */
export function* reduceScatterRegions(
  team: Team,
  tag: number,
  region: Region,
  reducer: Reducer,
  result: TypedArray,
): Task<TypedArray> {
  const { board, payload, staging, rank, size } = team;
  const block = result.byteLength;
  const isStaged = region.array !== null;
  const most = isStaged ? Math.floor(SEGMENT_BYTES / size / PIECE_BYTES) * PIECE_BYTES : SEGMENT_BYTES;
  const piece = Math.min(block, Math.max(PIECE_BYTES, most));
  const room = piece * size;
  // what is longer than a segment must not reach into the other one
  const stage = isStaged ? staging.whole(room > SEGMENT_BYTES ? room + 2 * SEGMENT_BYTES : room) : 0;
  const into = piece <= LINE ? staging.cell(0) : staging.segment(1);
  for (let start = 0; start < block; ) {
    let bytes = Math.min(piece, block - start);
    const own = isStaged ? stage : region.address + start;
    const apart = isStaged ? piece : block;
    for (let to = 0; isStaged && to < size; to++) {
      load(team, region, to * block + start, bytes, stage + to * piece);
    }
    board.show(tag, own, bytes, apart);
    const shown = board.phase;
    for (let peer = 0; peer < size; peer++) {
      if (peer === rank) continue;
      const ready = board.reached(peer, shown);
      if (!ready.ready()) yield ready;
      team.check(peer, shown, tag);
      bytes = Math.min(bytes, board.bytes(peer, shown));
    }
    for (let at = 0; at < bytes; at += BLOCK_BYTES) {
      const part = Math.min(BLOCK_BYTES, bytes - at);
      payload.copy(into + at, own + rank * apart + at, part);
      for (let step = 1; step < size; step++) {
        const peer = (rank + step) % size;
        const from = board.address(peer, shown) + rank * board.extra(peer, shown);
        reducer(into + at, from + at, part / region.size);
      }
    }
    payload.get(result, region.type, start, bytes, into);
    start += bytes;
    board.next(tag);
    for (let peer = 0; peer < size; peer++) {
      if (peer === rank) continue;
      const read = board.reached(peer, board.phase);
      if (!read.ready()) yield read;
    }
  }
  return result;
}
