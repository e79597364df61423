/**
 * Scan and exscan: each PE gets the combination of the elements of all PEs up to it, or before it.
 *
 * The PEs show their elements to each other. Each reads those of all lower ranks and combines them in order of rank. It
 * works segment by segment, as the result is written to the very array that other PEs read.
 *
 * Order: exactly that of a loop over the ranks: ((x0 op x1) op x2) …, so that even floating-point
 * results equal the serial ones, and the op need not be commutative.
 *
 * Limits: PE r reads r arrays, so the last PE works longest; two synchronisations per segment.
 *
 * Source: MPI 4.0, sections 6.11.1 (scan) and 6.11.2 (exscan).
 *
 * Example, sum of 1, 2, 3: scan gives 1, 3, 6; exscan gives PE 1 and 2 the values 1, 3 and leaves PE 0's.
 */

import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { SEGMENT_BYTES } from "../team/team-block.ts";
import { expose, fill, type Region } from "./region.ts";

/** Combines the regions of all PEs up to this one (`inclusive`), or before it, into this PE's region. */
export function* scanRegions(
  team: Team,
  tag: number,
  region: Region,
  reducer: Reducer,
  inclusive: boolean,
): Task<void> {
  const { board, payload, staging, rank, size } = team;
  const stage = region.array === null ? 0 : staging.segment(0);
  for (let start = 0; start < region.bytes; start += SEGMENT_BYTES) {
    const bytes = Math.min(SEGMENT_BYTES, region.bytes - start);
    const own = expose(team, region, start, bytes, stage);
    board.show(tag, own, bytes, 0);
    const shown = board.phase;
    const result = staging.segment(1);
    for (let peer = 0; peer < size; peer++) {
      if (peer === rank) continue;
      const ready = board.reached(peer, shown);
      if (!ready.ready()) yield ready;
      team.check(peer, shown, tag);
    }
    const last = inclusive ? rank : rank - 1;
    for (let peer = 0; peer <= last; peer++) {
      const from = peer === rank ? own : board.address(peer, shown);
      if (peer === 0) payload.copy(result, from, bytes);
      else reducer(result, from, bytes / region.size);
    }
    board.next(tag);
    for (let peer = 0; peer < size; peer++) {
      if (peer === rank) continue;
      const read = board.reached(peer, board.phase);
      if (!read.ready()) yield read;
    }
    if (last >= 0) fill(team, region, start, bytes, result);
  }
}
