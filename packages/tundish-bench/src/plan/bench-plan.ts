/**
 * Compares plans of conveyors with an exhaustive sweep, with what is chosen without a load, with bale's rule and with
 * TRAM's defaults, in the simulator.
 *
 * For each machine and load (plan-cases.ts) every choice of a grid (plan-sweep.ts) is run, in virtual time. The regret
 * is measured against the best of all. Nothing is measured on this machine.
 */

import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { planConveyor } from "../../../../src/plan/conveyor/plan.ts";
import { memoryOn } from "../../../../src/plan/model/candidates.ts";
import type { Candidate } from "../../../../src/plan/model/cost-model.ts";
import { shapeCosts } from "../../../../src/plan/model/shape.ts";
import { settle } from "../../../../src/running/simulate/options.ts";
import { type PlanCase, type PlanDraw, planCases } from "./plan-cases.ts";
import { baleRule, tramDefaults, usualChoice, withoutLoad } from "./plan-rules.ts";
import { timeOf } from "./plan-run.ts";
import { sweep, type TimedChoice } from "./plan-sweep.ts";

/** The comparison for one machine and load. */
export interface PlanComparison {
  /** Of the cases of its seed, from 1 on. */
  readonly number: number;
  readonly name: string;
  readonly pes: number;
  readonly nodes: number;
  readonly itemBytes: number;
  readonly load: number;
  readonly maxBytes: number | null;
  readonly plan: TimedChoice;
  /** The model's prediction for it, ns. */
  readonly expected: number;
  /** Without the load: as on a measured machine, and as where nothing is measured. */
  readonly noLoad: TimedChoice;
  readonly usual: TimedChoice;
  readonly bale: TimedChoice;
  readonly tram: TimedChoice;
  readonly best: TimedChoice;
  /** Number of choices that were run. */
  readonly runs: number;
  /** Relative excess of the plan over the best; 0.05 is 5 %. */
  readonly regret: number;
}

/** Options of a comparison. */
export interface PlanBenchOptions extends PlanDraw {
  /** Cases to leave out at the beginning. @default 0 */
  readonly from?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Compares, one case after another. */
export async function benchPlan({
  from = 0,
  onProgress,
  signal,
  ...draw
}: PlanBenchOptions): Promise<PlanComparison[]> {
  const results: PlanComparison[] = [];
  const { cases } = draw;
  for (const [i, one] of planCases({ ...draw, cases: from + cases }).entries()) {
    if (i < from) continue;
    onProgress?.({ stage: `case ${i - from + 1} of ${cases}`, done: (i - from) / cases });
    results.push(comparePlan(one, i + 1));
    await new Promise(setImmediate); // Ctrl-C
    signal?.throwIfAborted();
  }
  return results;
}

/** The plan, the rules and the whole grid for one case. */
export function comparePlan(one: PlanCase, number: number): PlanComparison {
  const { name, options, itemBytes, load, maxBytes } = one;
  const { pes, nodes = 1 } = options;
  const model = settle(options);
  const planned = planConveyor(model, { itemBytes, load, maxBytes });
  if (planned === null) throw new Error(`no plan for ${name}`);
  const timed = (choice: Candidate): TimedChoice => ({ ...choice, time: timeOf(one, choice) });
  const { type, hops, groupSize, mesh, bufferBytes, buffersPerLink } = planned.expected;
  const chosen: Candidate = { type, hops, groupSize, ...(mesh && { mesh }), bufferBytes, buffersPerLink };
  const plan = timed(chosen);
  const place = { pes, nodeSize: pes / nodes, itemBytes, maxBytes, memory: memoryOn(model, shapeCosts(model)) };
  const rules = [withoutLoad(model, place), usualChoice(model, place), baleRule(place), tramDefaults(place)];
  const [noLoad, usual, bale, tram] = rules.map(timed) as [TimedChoice, TimedChoice, TimedChoice, TimedChoice];
  const all = sweep(one, [chosen, ...rules], 1);
  const best = all[0] as TimedChoice;
  return {
    number,
    name,
    pes,
    nodes,
    itemBytes,
    load,
    maxBytes: maxBytes ?? null,
    plan,
    expected: planned.expected.time,
    noLoad,
    usual,
    bale,
    tram,
    best,
    runs: all.length,
    regret: plan.time / best.time - 1,
  };
}
