/**
 * Scan and exscan over nodes, exactly as a loop over the ranks.
 *
 * What: part after part. The first PE of a part gets what all before it make, puts it before its own elements, and
 * the part scans; its last PE sends on what it has then. A group whose parts do not follow each other by rank brings
 * the elements of all to each PE, which combines them itself.
 *
 * Limits: the parts work one after the other, as the order demands.
 *
 * Source: scan.ts.
 */
import type { TypedArray } from "../../memory/kernels/elements.ts";
import type { Reducer } from "../../memory/kernels/kernels.ts";
import type { Region } from "../node/region.ts";
import { scanRegions } from "../node/scan.ts";
import type { Routine } from "../team/operation.ts";
import type { Course } from "./call.ts";
import { allgatherBoxes } from "./packed.ts";
import { boxOf } from "./packing.ts";

/** Scans `array` in place; an exscan leaves that of rank 0 as it is. */
export function* scanElements(
  course: Course,
  array: TypedArray,
  region: Region,
  reducer: Reducer,
  inclusive: boolean,
): Routine<void> {
  if (course.hierarchy.inOrder) yield* scanParts(course, array, region, reducer, inclusive);
  else yield* scanAll(course, array, region, reducer, inclusive);
}

function* scanParts(
  { hierarchy, engine, tag }: Course,
  array: TypedArray,
  region: Region,
  reducer: Reducer,
  inclusive: boolean,
): Routine<void> {
  const { team } = engine;
  const { heap, payload } = team;
  const { bytes, type, size } = region;
  const count = bytes / size;
  const first = team.rank === 0;
  const last = team.rank === team.size - 1;
  // what the part scans, and what came from before it: a block of two
  const room = Math.max(8, Math.ceil(bytes / 8) * 8);
  const block = heap.allocate(2 * room);
  const before = block + room;
  const hasBefore = first && hierarchy.own > 0;
  payload.put(array, type, 0, bytes, block);
  if (hasBefore) {
    const { ranks } = hierarchy.parts[hierarchy.own - 1];
    yield* hierarchy.put(yield* hierarchy.receive(ranks[ranks.length - 1]), before, bytes);
    heap.kernels.copy(block, before, bytes);
    const own = hierarchy.scratch.take(room);
    payload.put(array, type, 0, bytes, own);
    reducer(block, own, count);
  }
  yield* scanRegions(team, tag, { ...region, address: block, array: null }, reducer, inclusive);
  // at the end of an exscan the last PE puts its own elements behind what came before them
  const adds = !inclusive && last && !first;
  if (adds) payload.put(array, type, 0, bytes, before);
  if (inclusive || !first) payload.get(array, type, 0, bytes, block);
  else if (hasBefore) payload.get(array, type, 0, bytes, before);
  if (adds) reducer(block, before, count);
  if (last && hierarchy.own + 1 < hierarchy.parts.length) {
    yield* hierarchy.send(hierarchy.parts[hierarchy.own + 1].ranks[0], block, bytes);
    yield* hierarchy.flush();
  }
  heap.free(block);
}

function* scanAll(
  course: Course,
  array: TypedArray,
  region: Region,
  reducer: Reducer,
  inclusive: boolean,
): Routine<void> {
  const { hierarchy, engine } = course;
  const { heap, payload } = engine.team;
  const { type, bytes, size } = region;
  const all = yield* allgatherBoxes(course, boxOf({ kind: type, content: array }));
  const upTo = inclusive ? hierarchy.rank : hierarchy.rank - 1;
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
