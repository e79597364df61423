/** Broadcast, reduce and allreduce of arrays over nodes. */
import { ARRAYS, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { CheckedCall } from "../calls/call.ts";
import { reduceCall } from "../calls/computing.ts";
import { elementsOf, type Located, resultOf } from "../calls/elements.ts";
import { broadcastCall } from "../calls/moving.ts";
import { operandOf, ownElements } from "../calls/operands.ts";
import { regionOf } from "../node/region.ts";
import { type CollectiveAlgorithm, callWord, opName } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import type { ArrayWork } from "./array-executor.ts";
import { HierarchyCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import { withinOf } from "./within.ts";

/** The root's elements, at each. */
export function broadcastArray<T extends bigint | TypedArray>(
  engine: HierarchyEngine,
  x: T,
  root: number,
  wish?: CollectiveAlgorithm,
): CheckedCall<T> {
  const { hierarchy, within, arrays } = engine;
  const { subgroups, arraySchedules: schedules, team, choice } = hierarchy;
  const atRoot = subgroups.rank === root;
  const { array, type, kind } = atRoot ? elementsOf(team.payload, x) : ownElements(team, x);
  const isMpi = choice.broadcast(array.byteLength, wish);
  within.decisions.choose("broadcast", array.byteLength, withinOf(wish)); // that there is such a one
  const work: ArrayWork = {
    schedule: isMpi ? schedules.mpiBroadcast(root) : schedules.broadcast(root),
    region: regionOf(team, array, type),
    reducer: null,
    commutes: true,
    reduceWithin: null,
    broadcastWithin: subgroups.isAlone
      ? null
      : broadcastCall(within, array, subgroups.teamLeader(root), withinOf(wish)),
  };
  const word = callWord("broadcast", "", kind, isMpi ? "mpi" : "");
  const begin = () => (isMpi ? engine.byMpi(() => arrays.begin(work)) : arrays.begin(work));
  return new HierarchyCall(engine, word, array.length, root, begin, () => resultOf(x, array));
}

/** The elements of all combined, at the root. */
export function reduceArray<T extends bigint | TypedArray | Located>(
  engine: HierarchyEngine,
  x: T,
  op: Op,
  root: number,
  wish?: CollectiveAlgorithm,
): CheckedCall<T | undefined> {
  const { hierarchy, within, arrays } = engine;
  const { subgroups, arraySchedules: schedules, team } = hierarchy;
  const atRoot = subgroups.rank === root;
  const { array, type, kind, reducer } = operandOf(team, within.data.ops, x, op);
  within.decisions.chooseFor(op, "reduce", array.byteLength, wish); // that there is such a one
  // what a leader collects is not the user's, unless it is the root
  const own = subgroups.leads(root) && !atRoot ? new ARRAYS[type](array.length) : array;
  const work: ArrayWork = {
    schedule: schedules.reduce(root),
    region: regionOf(team, own, type),
    reducer,
    commutes: typeof op === "string",
    reduceWithin: subgroups.isAlone ? null : reduceCall<TypedArray>(within, own, op, subgroups.teamLeader(root), wish),
    broadcastWithin: null,
  };
  const begin = () => {
    if (own !== array) own.set(array as Float64Array & BigInt64Array);
    return arrays.begin(work);
  };
  const result = () => (atRoot ? resultOf(x, array) : undefined);
  return new HierarchyCall(engine, callWord("reduce", opName(op), kind), array.length, root, begin, result);
}

/** The elements of all combined, at each. @param wish of the steps within a node; `mpi` of those between nodes */
export function allreduceArray<T extends bigint | TypedArray | Located>(
  engine: HierarchyEngine,
  x: T,
  op: Op,
  wish?: CollectiveAlgorithm,
): CheckedCall<T> {
  const { hierarchy, within, arrays } = engine;
  const { subgroups, arraySchedules: schedules, team, choice } = hierarchy;
  const { array, type, kind, reducer } = operandOf(team, within.data.ops, x, op);
  const isMpi = choice.allreduce(op, type === "f64", array.byteLength, wish);
  const leader = subgroups.teamLeader();
  const near = withinOf(wish);
  within.decisions.chooseFor(op, "reduce", array.byteLength, near); // that there is such a one
  const work: ArrayWork = {
    schedule: isMpi ? schedules.mpiSum : schedules.allreduce,
    region: regionOf(team, array, type),
    reducer,
    commutes: typeof op === "string",
    reduceWithin: subgroups.isAlone ? null : reduceCall<TypedArray>(within, array, op, leader, near),
    broadcastWithin: subgroups.isAlone ? null : broadcastCall(within, array, leader, undefined),
  };
  const begin = () => (isMpi ? engine.byMpi(() => arrays.begin(work)) : arrays.begin(work));
  const word = callWord("allreduce", opName(op), kind, isMpi ? "mpi" : "");
  return new HierarchyCall(engine, word, array.length, -1, begin, () => resultOf(x, array));
}
