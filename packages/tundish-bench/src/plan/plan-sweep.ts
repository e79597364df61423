/**
 * The grid of choices that plans are judged by: tensors of one, two and three hops with every group size that divides
 * the number of PEs, and in the meshes that plans try, and simple conveyors, each with buffers of 256 bytes to 64 KiB
 * in powers of four, one, two or four for each link; within the budget, or else within the default limits of conveyors.
 *
 * Limits: a run that takes longer than the best so far, times a patience, is given up; of buffers that are never full
 * only the smallest is run, as the others take the same time. What the model takes for fast is run first, as then more
 * is given up.
 */

import { candidatesFor, memoryOn } from "../../../../src/plan/model/candidates.ts";
import type { Candidate } from "../../../../src/plan/model/cost-model.ts";
import { meshesOf } from "../../../../src/plan/model/meshes.ts";
import { predict } from "../../../../src/plan/model/predict.ts";
import { shapeCosts } from "../../../../src/plan/model/shape.ts";
import { fairBytes } from "../../../../src/route/geometry/conveyor-choice.ts";
import { sizeOfParts } from "../../../../src/route/geometry/grid.ts";
import { settle } from "../../../../src/running/simulate/options.ts";
import type { PlanCase } from "./plan-cases.ts";
import { timeOf } from "./plan-run.ts";

const GRID: readonly number[] = [256, 1024, 4096, 16_384, 65_536];
/** A choice and its virtual time, ns. */
export interface TimedChoice extends Candidate {
  readonly time: number;
}

/**
 * Runs the grid.
 * @param first the choices to run before it
 * @param patience a run that takes as many times as long as the best is given up: its time is Infinity
 * @param buffers their sizes
 * @returns all that were run, the fastest first
 */
export function sweep(
  one: PlanCase,
  first: readonly Candidate[],
  patience: number,
  buffers: readonly number[] = GRID,
): TimedChoice[] {
  let limit: number | undefined;
  const timed = [...first, ...gridFor(one, buffers)].map((choice) => {
    const time = timeOf(one, choice, limit);
    if (Number.isFinite(time)) limit = Math.min(limit ?? Number.POSITIVE_INFINITY, patience * time);
    return { ...choice, time };
  });
  return timed.sort((a, b) => a.time - b.time);
}

/** The grid, what is predicted to be fast first. */
function gridFor(one: PlanCase, buffers: readonly number[]): Candidate[] {
  const { options, itemBytes, load, maxBytes } = one;
  const { pes } = options;
  const model = settle(options);
  const meshes = meshesOf(model, model.levels.map(sizeOfParts));
  const costs = shapeCosts(model);
  const memory = memoryOn(model, costs);
  const limits = { pes, itemBytes, maxBytes: maxBytes ?? fairBytes(model.nodeSize), memory, buffers, meshes };
  return withoutTwins(candidatesFor(limits), one)
    .map((choice) => ({ choice, ...predict(model, { itemBytes, load, maxBytes }, choice, costs(choice)) }))
    .sort((a, b) => a.time - b.time)
    .map(({ choice }) => choice);
}

/** Leaves out choices equivalent to a smaller one, as the buffers of neither are ever full. */
function withoutTwins(all: readonly Candidate[], { options, itemBytes, load }: PlanCase): Candidate[] {
  const { pes } = options;
  const seen = new Set<string>();
  return all.filter(({ type, hops, groupSize, mesh, bufferBytes }) => {
    const fewest =
      mesh === undefined ? Math.min(groupSize, Math.ceil(pes / groupSize ** (hops - 1))) : Math.min(...mesh);
    const links = hops === 1 ? pes : fewest;
    const items = load / links;
    // six standard deviations
    const most = items + 6 * Math.sqrt(items) + 6;
    if (most * (itemBytes + 4) + 128 > bufferBytes) return true;
    const name = `${type} ${hops} ${groupSize} ${mesh ?? ""}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}
