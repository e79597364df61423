/**
 * Gather, allgather, scatter, alltoall and broadcast of values over nodes: within a subgroup the packed values of its
 * PEs are brought to its leader, or from there to them, and the leaders send each other lists of them; in an alltoall
 * PEs of different nodes send each other theirs. A broadcast of a value runs the schedule of a broadcast on packed
 * bytes, whose length only the root knows.
 *
 * Limits: everything is copied several times on its way. For many small items use a conveyor.
 */
import type { Task } from "../../ground/wait/task.ts";
import { alltoallCall, broadcastCall, gatherCall, scatterCall } from "../calls/moving.ts";
import type { HierarchyEngine } from "./engine.ts";
import { flush, receiveCopy, sendCopy } from "./message-tasks.ts";
import { type PackedValue, receiveValue, sendValue, unpack } from "./packing.ts";
import { BROADCAST_WITHIN, RECEIVE, SEND } from "./schedule.ts";
import { runWithin } from "./within.ts";

/** A list within a subgroup: each entry wrapped, so that it is gathered and scattered as a value. */
type Wrapped = [PackedValue][];

/** The values of the PEs of this subgroup, at its leader: a rank in the team; undefined elsewhere. */
function* gatherWithin(
  { hierarchy: { subgroups }, within }: HierarchyEngine,
  tag: number,
  own: PackedValue,
  leader: number,
): Task<Wrapped | undefined> {
  // what a PE gives itself would be serialised all the same
  if (subgroups.isAlone) return [[own]];
  return (yield* runWithin(gatherCall(within, [own], leader), tag)) as Wrapped | undefined;
}

/** The values of all PEs by rank, at the root; null elsewhere. */
export function* gatherPacked(
  engine: HierarchyEngine,
  tag: number,
  own: PackedValue,
  root: number,
): Task<PackedValue[] | null> {
  const { hierarchy } = engine;
  const { subgroups } = hierarchy;
  const local = yield* gatherWithin(engine, tag, own, subgroups.teamLeader(root));
  if (local === undefined) return null;
  if (subgroups.rank !== root) {
    yield* sendValue(hierarchy, root, local);
    yield* flush(hierarchy);
    return null;
  }
  const all = new Array<PackedValue>(subgroups.size);
  for (const [subgroup, { ranks, leader }] of subgroups.all.entries()) {
    const list = subgroup === subgroups.own ? local : yield* receiveValue<Wrapped>(hierarchy, leader);
    ranks.forEach((rank, i) => {
      all[rank] = list[i][0];
    });
  }
  return all;
}

/** The values of all PEs by rank, at each. */
export function* allgatherPacked(engine: HierarchyEngine, tag: number, own: PackedValue): Task<PackedValue[]> {
  const { hierarchy, within } = engine;
  const { subgroups } = hierarchy;
  const leader = subgroups.teamLeader();
  const local = yield* gatherWithin(engine, tag, own, leader);
  const count = subgroups.all.length;
  const lists = new Array<Wrapped>(count);
  if (local !== undefined) {
    lists[subgroups.own] = local;
    for (let step = 1; step < count; step++) {
      const from = (subgroups.own - step + count) % count;
      yield* sendValue(hierarchy, subgroups.leader((subgroups.own + step) % count), local);
      lists[from] = yield* receiveValue<Wrapped>(hierarchy, subgroups.leader(from));
    }
    yield* flush(hierarchy);
  }
  const known = subgroups.isAlone ? lists : yield* runWithin(broadcastCall(within, lists, leader, undefined), tag);
  const all = new Array<PackedValue>(subgroups.size);
  for (const [subgroup, { ranks }] of subgroups.all.entries()) {
    ranks.forEach((rank, i) => {
      all[rank] = known[subgroup][i][0];
    });
  }
  return all;
}

/** This PE's value of those that the root has; `values` is null at all others. */
export function* scatterPacked(
  { hierarchy, within }: HierarchyEngine,
  tag: number,
  values: readonly PackedValue[] | null,
  root: number,
): Task<PackedValue> {
  const { subgroups } = hierarchy;
  let local: Wrapped | undefined;
  if (values !== null) {
    for (const [subgroup, { ranks, leader }] of subgroups.all.entries()) {
      const list = ranks.map((rank): [PackedValue] => [values[rank]]);
      if (subgroup === subgroups.own) local = list;
      else yield* sendValue(hierarchy, leader, list);
    }
  } else if (subgroups.leads(root)) {
    local = yield* receiveValue<Wrapped>(hierarchy, root);
  }
  if (!subgroups.isAlone) {
    const call = scatterCall(within, local, subgroups.teamLeader(root));
    local = [(yield* runWithin(call, tag)) as [PackedValue]];
  }
  yield* flush(hierarchy);
  return (local as Wrapped)[0][0];
}

/** The values for this PE, by sender; `values` are its own, by receiver. */
export function* alltoallPacked(
  { hierarchy, within }: HierarchyEngine,
  tag: number,
  values: readonly PackedValue[],
): Task<PackedValue[]> {
  const { subgroups } = hierarchy;
  const { own, rank: self, size } = subgroups;
  const { ranks } = subgroups.all[own];
  const all = new Array<PackedValue>(size);
  const near = ranks.map((rank): [PackedValue] => [values[rank]]);
  const local = subgroups.isAlone ? near : ((yield* runWithin(alltoallCall(within, near), tag)) as Wrapped);
  ranks.forEach((rank, i) => {
    all[rank] = local[i][0];
  });
  // step by step, so that not all send to the same one, and nobody has more under way than there is room for
  for (let step = 1; step < size; step++) {
    const to = (self + step) % size;
    const from = (self - step + size) % size;
    if (subgroups.of(to) !== own) yield* sendValue(hierarchy, to, values[to]);
    if (subgroups.of(from) !== own) all[from] = yield* receiveValue<PackedValue>(hierarchy, from);
  }
  yield* flush(hierarchy);
  return all;
}

/** The root's value, at each: a copy of its own at all but the root. */
export function* broadcastValue<T>(
  { hierarchy, within }: HierarchyEngine,
  tag: number,
  x: T,
  packed: Uint8Array | null,
  root: number,
): Task<T> {
  let bytes = packed;
  for (const { kind, peer } of hierarchy.schedules.broadcast(root)) {
    if (kind === RECEIVE) bytes = yield* receiveCopy(hierarchy, peer);
    else if (kind === SEND) yield* sendCopy(hierarchy, peer, bytes as Uint8Array);
    else if (kind === BROADCAST_WITHIN && !hierarchy.subgroups.isAlone) {
      // the argument of all but the leader is ignored
      [bytes] = yield* runWithin(broadcastCall(within, [bytes], peer, undefined), tag);
    }
  }
  yield* flush(hierarchy);
  return packed === null ? (unpack(["value", false, bytes as Uint8Array]) as T) : x;
}
