/**
 * Reduce-scatter over nodes: within each subgroup a reduction to its leader; the leaders send each other the blocks of
 * the other's PEs, in pairs, and combine what comes; within each subgroup a scatter.
 *
 *     2 nodes of 2 PEs    leader 0 has 0 1 2 3   sends 2 3, gets 0 1, combines   PE 0: 0, PE 1: 1
 *                         leader 2 has 0 1 2 3   sends 0 1, gets 2 3, combines   PE 2: 2, PE 3: 3
 *
 * Limits: the elements of a whole x lie in the heap of each node meanwhile.
 *
 * Source: Thakur, Rabenseifner, Gropp: Optimization of Collective Communication Operations in MPICH, 2005, section 4.4
 * (reduce-scatter by pairwise exchange).
 */

import { ARRAYS, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { CheckedCall } from "../calls/call.ts";
import { reduceCall } from "../calls/computing.ts";
import { scatterCall } from "../calls/moving.ts";
import { partsOf, type Scatterable, type ScatterParts } from "../calls/parts.ts";
import { callWord, opName } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import { taskCall } from "./call.ts";
import type { HierarchyEngine } from "./engine.ts";
import { flush, receiveAt, send } from "./message-tasks.ts";
import type { Subgroups } from "./subgroups.ts";
import { runWithin } from "./within.ts";

/** Block i of the elements of all combined, at PE i. */
export function reduceScatterArray(
  engine: HierarchyEngine,
  x: Scatterable,
  op: Op,
  into: TypedArray | undefined,
): CheckedCall<unknown> {
  const { hierarchy, within } = engine;
  const { team, subgroups } = hierarchy;
  const parts = partsOf(team, within.data.ops, x, op, subgroups.size, into);
  const { array, kind } = parts;
  const word = callWord("reduceScatter", opName(op), kind);
  return taskCall(engine, word, array.length, -1, function* (tag) {
    const block = parts.make();
    if (array.length > 0) (block as Float64Array).set((yield* blockOf(engine, tag, parts)) as Float64Array);
    return parts.resultOf(block);
  });
}

/** This PE's block. */
function* blockOf(engine: HierarchyEngine, tag: number, parts: ScatterParts): Task<TypedArray> {
  const { hierarchy, within } = engine;
  const { subgroups, team } = hierarchy;
  const { array, type, op } = parts;
  const { all, own, isAlone, size } = subgroups;
  const leader = subgroups.teamLeader();
  const sorted = bySubgroup(subgroups, array, type);
  if (!subgroups.leads()) {
    yield* runWithin(reduceCall<TypedArray>(within, sorted, op, leader, undefined), tag);
    return (yield* runWithin(scatterCall(within, undefined, leader), tag)) as TypedArray;
  }
  const { heap } = team;
  const address = heap.allocate(array.byteLength);
  const elements = new ARRAYS[type](heap.buffer, address, array.length) as Float64Array;
  elements.set(sorted as Float64Array);
  if (!isAlone) yield* runWithin(reduceCall<TypedArray>(within, elements, op, leader, undefined), tag);
  yield* exchangeBlocks(engine, parts, address);
  // those of this subgroup lie behind those of the subgroups before it
  const length = array.length / size;
  const first = all.slice(0, own).reduce((sum, { ranks }) => sum + ranks.length * length, 0);
  const mine = elements.subarray(first, first + all[own].ranks.length * length);
  const block = isAlone ? mine.slice() : ((yield* runWithin(scatterCall(within, mine, leader), tag)) as TypedArray);
  heap.free(address);
  return block;
}

/** The blocks in the order of the subgroups; a view of its own, as a shared array is no operand of a reduce. */
function bySubgroup({ all, inOrder, size }: Subgroups, array: TypedArray, type: ScatterParts["type"]): TypedArray {
  if (inOrder) return array.subarray();
  const length = array.length / size;
  const sorted = new ARRAYS[type](array.length) as Float64Array;
  for (const [place, rank] of all.flatMap(({ ranks }) => ranks).entries()) {
    sorted.set((array as Float64Array).subarray(rank * length, (rank + 1) * length), place * length);
  }
  return sorted;
}

/** Combines this subgroup's blocks with those of all others, in place. */
function* exchangeBlocks({ hierarchy }: HierarchyEngine, parts: ScatterParts, address: number): Task<void> {
  const { subgroups, scratch } = hierarchy;
  const { array, reducer } = parts;
  const { all, own, size } = subgroups;
  const block = array.byteLength / size;
  const bytesOf = all.map(({ ranks }) => ranks.length * block);
  const startOf = bytesOf.map((_, i) => bytesOf.slice(0, i).reduce((sum, bytes) => sum + bytes, address));
  const count = all.length;
  for (let step = 1; step < count; step++) {
    const to = (own + step) % count;
    const from = (own - step + count) % count;
    yield* send(hierarchy, subgroups.leader(to), startOf[to], bytesOf[to]);
    const other = scratch.take(bytesOf[own]);
    yield* receiveAt(hierarchy, subgroups.leader(from), other, bytesOf[own]);
    reducer(startOf[own], other, bytesOf[own] / array.BYTES_PER_ELEMENT);
  }
  yield* flush(hierarchy);
  scratch.leave();
}
