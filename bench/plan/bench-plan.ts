/**
 * Compares plans of conveyors with an exhaustive sweep and with bale's rule, in the simulator.
 *
 * For each machine and load (plan-cases.ts) every choice of a grid is run, in virtual time: tensors of one, two and
 * three hops with every group size that divides the number of PEs, and simple conveyors, each with buffers of 256 bytes
 * to 64 KiB in powers of four, one, two or four for each link; within the budget, or else within the default limits of
 * conveyors. The regret is measured against the best of all.
 *
 * Limits: a run that takes twice as long as the best so far is given up; of buffers that are never full only the
 * smallest is run, as the others take the same time. Nothing is measured on this machine.
 */

import type { Progress } from "../../microbench/pairs/types.ts";
import { fairBytes } from "../../src/conveyor/geometry/choice.ts";
import type { MachineModel } from "../../src/machine/types.ts";
import { candidatesFor } from "../../src/plan/candidates.ts";
import { planConveyor } from "../../src/plan/plan.ts";
import type { Candidate } from "../../src/plan/types.ts";
import { settle } from "../../src/simulate/options.ts";
import { baleRule } from "./plan-bale.ts";
import { type PlanCase, planCases } from "./plan-cases.ts";
import { timeOf } from "./plan-run.ts";

const GRID = [256, 1024, 4096, 16_384, 65_536];
/** A run that takes this many times as long as the best is given up. */
const PATIENCE = 2;

/** A choice and its virtual time, ns. */
export interface TimedChoice extends Candidate {
  readonly time: number;
}

/** The comparison for one machine and load. */
export interface PlanComparison {
  readonly name: string;
  readonly pes: number;
  readonly nodes: number;
  readonly itemBytes: number;
  readonly load: number;
  readonly maxBytes: number | null;
  readonly plan: TimedChoice;
  /** The model's prediction for it, ns. */
  readonly expected: number;
  readonly bale: TimedChoice;
  readonly best: TimedChoice;
  /** Number of choices that were run. */
  readonly runs: number;
  /** Relative excess of the plan over the best, and over bale's rule; 0.05 is 5 %. */
  readonly regret: number;
  readonly overBale: number;
  /** Relative excess of bale's rule over the best. */
  readonly regretOfBale: number;
}

/** Options of a comparison. */
export interface PlanBenchOptions {
  readonly cases: number;
  readonly seed?: number | undefined;
  readonly models: readonly MachineModel[];
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Compares, one case after another. */
export async function benchPlan({
  cases,
  seed,
  models,
  onProgress,
  signal,
}: PlanBenchOptions): Promise<PlanComparison[]> {
  const results: PlanComparison[] = [];
  for (const one of planCases(cases, models, seed)) {
    onProgress?.({ stage: `case ${results.length + 1} of ${cases}`, done: results.length / cases });
    results.push(comparePlan(one));
    await new Promise(setImmediate); // Ctrl-C
    signal?.throwIfAborted();
  }
  return results;
}

/** The plan, bale's rule and the whole grid for one case. */
export function comparePlan(one: PlanCase): PlanComparison {
  const { name, options, itemBytes, load, maxBytes } = one;
  const { pes, nodes = 1 } = options;
  const planned = planConveyor(settle(options), { itemBytes, load, maxBytes });
  if (planned === null) throw new Error(`no plan for ${name}`);
  const timed = (choice: Candidate, limit?: number): TimedChoice => ({
    ...choice,
    time: timeOf(one, choice, limit),
  });
  const plan = timed(planned.options);
  const bale = timed(baleRule(pes, pes / nodes, itemBytes, maxBytes));
  let best = plan.time <= bale.time ? plan : bale;
  const grid = withoutTwins(
    candidatesFor({ pes, itemBytes, maxBytes: maxBytes ?? fairBytes(pes), buffers: GRID }),
    one,
  );
  for (const choice of grid) {
    const result = timed(choice, PATIENCE * best.time);
    if (result.time < best.time) best = result;
  }
  return {
    name,
    pes,
    nodes,
    itemBytes,
    load,
    maxBytes: maxBytes ?? null,
    plan,
    expected: planned.expected.time,
    bale,
    best,
    runs: grid.length + 2,
    regret: plan.time / best.time - 1,
    overBale: plan.time / bale.time - 1,
    regretOfBale: bale.time / best.time - 1,
  };
}

/** Leaves out choices equivalent to a smaller one, as the buffers of neither are ever full. */
function withoutTwins(all: readonly Candidate[], { options, itemBytes, load }: PlanCase): Candidate[] {
  const { pes } = options;
  const seen = new Set<string>();
  return all.filter(({ type, hops, groupSize, bufferBytes }) => {
    const links = hops === 1 ? pes : Math.min(groupSize, Math.ceil(pes / groupSize ** (hops - 1)));
    const items = load / links;
    // six standard deviations
    const most = items + 6 * Math.sqrt(items) + 6;
    if (most * (itemBytes + 4) + 128 > bufferBytes) return true;
    const name = `${type} ${hops} ${groupSize}`;
    if (seen.has(name)) return false;
    seen.add(name);
    return true;
  });
}

/** A summary of all cases. */
export interface PlanSummary {
  readonly cases: number;
  readonly medianRegret: number;
  readonly worstRegret: number;
  /**
   * The plan compared with bale's rule: the worst case, and the number of cases in which it is slower by more than 5 %,
   * and faster.
   */
  readonly worstOverBale: number;
  readonly slowerThanBale: number;
  readonly fasterThanBale: number;
  readonly medianRegretOfBale: number;
  readonly worstRegretOfBale: number;
}

export function planSummary(all: readonly PlanComparison[]): PlanSummary {
  const sorted = (pick: (one: PlanComparison) => number) => all.map(pick).sort((a, b) => a - b);
  const regrets = sorted(({ regret }) => regret);
  const bale = sorted(({ overBale }) => overBale);
  const ofBale = sorted(({ regretOfBale }) => regretOfBale);
  const middle = (list: readonly number[]) => list[list.length >> 1] ?? 0;
  return {
    cases: all.length,
    medianRegret: middle(regrets),
    worstRegret: regrets.at(-1) ?? 0,
    worstOverBale: bale.at(-1) ?? 0,
    slowerThanBale: bale.filter((share) => share > 0.05).length,
    fasterThanBale: bale.filter((share) => share < -0.05).length,
    medianRegretOfBale: middle(ofBale),
    worstRegretOfBale: ofBale.at(-1) ?? 0,
  };
}
