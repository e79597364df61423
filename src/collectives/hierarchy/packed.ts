/**
 * Gather, allgather, scatter and alltoall over nodes: within a part the boxes of its PEs are brought to its leader,
 * or from there to them, and the leaders send each other lists of boxes; in an alltoall PEs of different nodes send
 * each other theirs.
 *
 * Limits: everything is copied several times on its way. For many small items use a conveyor.
 */
import { alltoallCall, broadcastCall, gatherCall, scatterCall } from "../calls/moving.ts";
import type { Routine } from "../team/operation.ts";
import type { Course } from "./call.ts";
import { within } from "./local.ts";
import { type Box, receiveValue, sendValue } from "./packing.ts";

/** The boxes of all PEs by rank, at the root; null elsewhere. */
export function* gatherBoxes(
  { hierarchy, engine, tag }: Course,
  box: Box,
  root: number,
): Routine<Box[] | null> {
  const leader = hierarchy.leader(hierarchy.own, root);
  const local = (yield* within(gatherCall(engine, [box], hierarchy.teamRank(leader)), tag)) as
    | [Box][]
    | undefined;
  if (local === undefined) return null;
  if (hierarchy.rank !== root) {
    yield* sendValue(hierarchy, root, local);
    yield* hierarchy.flush();
    return null;
  }
  const all = new Array<Box>(hierarchy.size);
  for (const [part, { ranks }] of hierarchy.parts.entries()) {
    const boxes =
      part === hierarchy.own ? local : yield* receiveValue<[Box][]>(hierarchy, hierarchy.leader(part));
    ranks.forEach((rank, i) => {
      all[rank] = boxes[i][0];
    });
  }
  return all;
}

/** The boxes of all PEs by rank, at each. */
export function* allgatherBoxes({ hierarchy, engine, tag }: Course, box: Box): Routine<Box[]> {
  const leader = hierarchy.teamRank(hierarchy.leader(hierarchy.own));
  const local = (yield* within(gatherCall(engine, [box], leader), tag)) as [Box][] | undefined;
  const lists = new Array<[Box][]>(hierarchy.parts.length);
  if (local !== undefined) {
    lists[hierarchy.own] = local;
    const count = hierarchy.parts.length;
    for (let step = 1; step < count; step++) {
      const from = (hierarchy.own - step + count) % count;
      yield* sendValue(hierarchy, hierarchy.leader((hierarchy.own + step) % count), local);
      lists[from] = yield* receiveValue<[Box][]>(hierarchy, hierarchy.leader(from));
    }
    yield* hierarchy.flush();
  }
  const known = yield* within(broadcastCall(engine, lists, leader, undefined), tag);
  const all = new Array<Box>(hierarchy.size);
  for (const [part, { ranks }] of hierarchy.parts.entries()) {
    ranks.forEach((rank, i) => {
      all[rank] = known[part][i][0];
    });
  }
  return all;
}

/** This PE's box of those that the root has; `boxes` is null at all others. */
export function* scatterBoxes(
  { hierarchy, engine, tag }: Course,
  boxes: readonly Box[] | null,
  root: number,
): Routine<Box> {
  const leader = hierarchy.leader(hierarchy.own, root);
  let mine: [Box][] | undefined;
  if (boxes !== null) {
    for (const [part, { ranks }] of hierarchy.parts.entries()) {
      const list = ranks.map((rank): [Box] => [boxes[rank]]);
      if (part === hierarchy.own) mine = list;
      else yield* sendValue(hierarchy, hierarchy.leader(part), list);
    }
  } else if (leader === hierarchy.rank) {
    mine = yield* receiveValue<[Box][]>(hierarchy, root);
  }
  const [box] = (yield* within(scatterCall(engine, mine, hierarchy.teamRank(leader)), tag)) as [Box];
  yield* hierarchy.flush();
  return box;
}

/** The boxes for this PE, by sender; `boxes` are its own, by receiver. */
export function* alltoallBoxes({ hierarchy, engine, tag }: Course, boxes: readonly Box[]): Routine<Box[]> {
  const { ranks } = hierarchy.parts[hierarchy.own];
  const all = new Array<Box>(hierarchy.size);
  const near = ranks.map((rank): [Box] => [boxes[rank]]);
  const local = (yield* within(alltoallCall(engine, near), tag)) as [Box][];
  ranks.forEach((rank, i) => {
    all[rank] = local[i][0];
  });
  // step by step, so that not all send to the same one, and nobody has more under way than there is room for
  for (let step = 1; step < hierarchy.size; step++) {
    const to = (hierarchy.rank + step) % hierarchy.size;
    const from = (hierarchy.rank - step + hierarchy.size) % hierarchy.size;
    if (hierarchy.partOf(to) !== hierarchy.own) yield* sendValue(hierarchy, to, boxes[to]);
    if (hierarchy.partOf(from) !== hierarchy.own) all[from] = yield* receiveValue<Box>(hierarchy, from);
  }
  yield* hierarchy.flush();
  return all;
}
