/** The judgement of the model of aggregation over all cases. */
import { median } from "../../../../src/ground/base/math.ts";
import type { JudgedAggregation, SweptBuffer } from "./aggregation.ts";
import type { AggregationCase } from "./aggregation-run.ts";

/** A way to choose a buffer, over all cases. */
export interface BufferChoice {
  /** Cases. */
  readonly cases: number;
  /** Of them with a cost of at most 1.2 times the reference. */
  readonly within: number;
  /** Relative excess of the cost over the reference, 0.05 is 5 %; and the worst. */
  readonly median: number;
  readonly worst: number;
}

export interface AggregationSummary {
  /**
   * Against the best of the sweep: the model's buffer; that of a plan; the bound 4.13 taken as a buffer; no
   * aggregation.
   */
  readonly planned: BufferChoice;
  readonly byPlan: BufferChoice;
  readonly bound: BufferChoice;
  readonly without: BufferChoice;
  /**
   * The cost at the bound against that of no aggregation: the bound says that they are equal. In either direction; of
   * cases in which a PE can send as many messages as the bound leaves.
   */
  readonly breakEven: BufferChoice;
  /** The simulated cost of the model's buffer against the predicted one. In either direction. */
  readonly predicted: BufferChoice;
}

/** Excess of the reference that is close. */
export const CLOSE = 0.2;

export function aggregationSummary(all: readonly JudgedAggregation[]): AggregationSummary {
  const over = (cost: number, reference: number) => cost / reference - 1;
  const apart = (cost: number, reference: number) => Math.max(cost / reference, reference / cost) - 1;
  const bounded = all.filter((one): one is JudgedAggregation & { bound: SweptBuffer } => one.bound !== null);
  return {
    planned: choiceOf(all.map(({ planned, best }) => over(planned.cost, best.cost))),
    byPlan: choiceOf(all.map(({ byPlan, best }) => over(byPlan.cost, best.cost))),
    bound: choiceOf(bounded.map(({ bound, best }) => over(bound.cost, best.cost))),
    without: choiceOf(all.map(({ without, best }) => over(without, best.cost))),
    breakEven: choiceOf(bounded.filter(canBeSent).map(({ bound, without }) => apart(bound.cost, without))),
    predicted: choiceOf(all.map(({ planned, predicted }) => apart(planned.cost, predicted))),
  };
}

/** Of the time for which a PE sends; beyond it items wait for the PE, which the bound does not know. */
const MOST_BUSY = 0.8;
const canBeSent = ({ of, bound }: { readonly of: AggregationCase; readonly bound: SweptBuffer }): boolean =>
  (of.hops * of.alpha * of.rate) / 1e9 / bound.items <= MOST_BUSY;

const choiceOf = (excesses: readonly number[]): BufferChoice => ({
  cases: excesses.length,
  within: excesses.filter((one) => one <= CLOSE).length,
  median: median(excesses),
  worst: Math.max(...excesses),
});
