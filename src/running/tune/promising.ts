/**
 * The most promising choices of a plan: the fastest ones by the model that differ enough to be worth a measurement.
 *
 * The plan itself comes first, then the same with the largest buffers, whose cost the model knows least, then the best
 * of each other kind, as a plan lists them, then the best of the rest. Left out are those with another number of
 * buffers in flight alone, with buffers less than four times as large or as small, or that send the same buffers, as
 * theirs are never full.
 *
 * Example: a plan with two hops and buffers of 4 KiB; one hop with 16 KiB; two hops with 16 KiB; two hops with 1 KiB.
 */

import { candidatesOf, planConveyor } from "../../plan/conveyor/plan.ts";
import { type ConveyorWorkload, type CostModel, type Forced, haveSameWays } from "../../plan/model/cost-model.ts";
import { type Prediction, predict } from "../../plan/model/predict.ts";
import { shapeCosts } from "../../plan/model/shape.ts";

/** Buffers are different when one is this many times as large. */
const APART = 4;

/** The best first; none if no choice keeps to the budget and to what is forced. @param most number of them */
export function promising(
  model: CostModel,
  workload: ConveyorWorkload,
  forced: Forced,
  most: number,
): readonly Prediction[] {
  const plan = planConveyor(model, workload, forced);
  if (plan === null) return [];
  const costs = shapeCosts(model);
  const rest = candidatesOf(model, workload, forced, costs, true)
    .map((one) => predict(model, workload, one, costs(one)))
    .sort((a, b) => a.time - b.time || a.memory - b.memory);
  const largest = largestOf(rest.filter((one) => haveSameShape(one, plan.expected)));
  const found = [plan.expected];
  // perhaps just twice as large: not apart from the plan as the others are
  if (largest.bufferBytes > plan.expected.bufferBytes && !sendTheSame(largest, plan.expected)) found.push(largest);
  for (const one of [...plan.others, ...rest]) {
    if (found.length >= most) break;
    if (!found.some((other) => areAlike(one, other))) found.push(one);
  }
  return found.slice(0, most);
}

function areAlike(a: Prediction, b: Prediction): boolean {
  if (!haveSameShape(a, b)) return false;
  const ratio = a.bufferBytes / b.bufferBytes;
  return (ratio < APART && ratio > 1 / APART) || sendTheSame(a, b);
}

const haveSameShape = (a: Prediction, b: Prediction): boolean => a.type === b.type && haveSameWays(a, b);

const sendTheSame = (a: Prediction, b: Prediction): boolean =>
  a.hopsTaken.every(({ buffers }, hop) => buffers === b.hopsTaken[hop]?.buffers);

/** The one with the largest buffers; of several the fastest, which is the first. */
const largestOf = (all: readonly Prediction[]): Prediction =>
  all.reduce((best, one) => (one.bufferBytes > best.bufferBytes ? one : best));
