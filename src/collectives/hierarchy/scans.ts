/**
 * Scan and exscan over nodes, exactly as a loop over the ranks.
 *
 * What: subgroup after subgroup. The first PE of a subgroup gets what all before it make, puts it before its own
 * elements, and the subgroup scans; its last PE sends on what it has then. A group whose subgroups do not follow each
 * other by rank brings the elements of all to each PE, which combines them itself.
 *
 * Limits: the subgroups work one after the other, as the order demands.
 *
 * Source: node/scan.ts.
 */

import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { Region } from "../node/region.ts";
import { scanRegions } from "../node/scan.ts";
import type { HierarchyEngine } from "./engine.ts";
import { flush, receiveAt, send } from "./message-tasks.ts";
import { allgatherPacked } from "./packed.ts";
import { copied } from "./packing.ts";

/** The region that is scanned, in place. */
export interface Scan {
  readonly array: TypedArray;
  readonly region: Region;
  readonly reducer: Reducer;
  /** An exscan, which is not, leaves the elements of rank 0 as they are. */
  readonly inclusive: boolean;
}

/** Scans `array` in place. */
export function* scanElements(engine: HierarchyEngine, tag: number, scan: Scan): Task<void> {
  if (engine.hierarchy.subgroups.inOrder) yield* scanSubgroups(engine, tag, scan);
  else yield* scanAll(engine, tag, scan);
}

function* scanSubgroups({ hierarchy }: HierarchyEngine, tag: number, scan: Scan): Task<void> {
  const { array, region, reducer, inclusive } = scan;
  const { subgroups, team, scratch } = hierarchy;
  const { all, own } = subgroups;
  const { heap, payload } = team;
  const { bytes, type, size } = region;
  const count = bytes / size;
  const first = team.rank === 0;
  const last = team.rank === team.size - 1;
  // what the subgroup scans, and what came from before it: a block of two
  const room = Math.max(8, Math.ceil(bytes / 8) * 8);
  const block = heap.allocate(2 * room);
  const before = block + room;
  const hasBefore = first && own > 0;
  if (!hasBefore) payload.put(array, type, 0, bytes, block);
  else {
    yield* receiveAt(hierarchy, all[own - 1].ranks.at(-1) as number, before, bytes);
    heap.kernels.copy(block, before, bytes);
    const elements = scratch.take(room);
    payload.put(array, type, 0, bytes, elements);
    reducer(block, elements, count);
    scratch.leave();
  }
  yield* scanRegions(team, tag, { ...region, address: block, array: null }, reducer, inclusive);
  // at the end of an exscan the last PE puts its own elements behind what came before them
  const adds = !inclusive && last && !first;
  if (adds) payload.put(array, type, 0, bytes, before);
  if (inclusive || !first) payload.get(array, type, 0, bytes, block);
  else if (hasBefore) payload.get(array, type, 0, bytes, before);
  if (adds) reducer(block, before, count);
  if (last && own + 1 < all.length) {
    yield* send(hierarchy, all[own + 1].ranks[0], block, bytes);
    yield* flush(hierarchy);
  }
  heap.free(block);
}

function* scanAll(engine: HierarchyEngine, tag: number, scan: Scan): Task<void> {
  const { array, region, reducer, inclusive } = scan;
  const { subgroups, team } = engine.hierarchy;
  const { heap, payload } = team;
  const { type, bytes, size } = region;
  const all = yield* allgatherPacked(engine, tag, copied({ kind: type, content: array }));
  const upTo = inclusive ? subgroups.rank : subgroups.rank - 1;
  if (upTo < 0) return;
  const block = heap.allocate(2 * Math.max(8, bytes));
  for (let rank = 0; rank <= upTo; rank++) {
    const to = rank === 0 ? block : block + bytes;
    heap.u8.set(all[rank][2], to);
    if (rank > 0) reducer(block, to, bytes / size);
  }
  payload.get(array, type, 0, bytes, block);
  heap.free(block);
}
