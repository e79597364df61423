/** The comparison of plans over all cases. */
import { median } from "../../../../src/ground/base/math.ts";
import type { PlanComparison } from "./bench-plan.ts";

/** A way to choose, over all cases: relative excess of its time, 0.05 is 5 %. */
export interface ChooserSummary {
  /** Over the best of the sweep. */
  readonly median: number;
  readonly worst: number;
}

/** The plan against a rule. */
export interface RuleSummary extends ChooserSummary {
  /**
   * The plan over the rule in the worst case; and the number of cases in which it is slower by more than 5 %, and
   * faster.
   */
  readonly planOverRule: number;
  readonly planSlower: number;
  readonly planFaster: number;
}

export interface PlanSummary {
  readonly cases: number;
  readonly plan: ChooserSummary;
  /** What is chosen without a load, on a measured machine, and where nothing is measured. */
  readonly noLoad: ChooserSummary;
  readonly usual: ChooserSummary;
  readonly bale: RuleSummary;
  readonly tram: RuleSummary;
  /** Names of the cases in which the plan takes more than `BAD` of the best, the worst first. */
  readonly bad: readonly string[];
}

/** Excess over the best from which on a case is bad. */
export const BAD = 0.2;
const MUCH = 0.05;

export function planSummary(all: readonly PlanComparison[]): PlanSummary {
  const bad = all.filter(({ regret }) => regret > BAD).sort((a, b) => b.regret - a.regret);
  return {
    cases: all.length,
    plan: chooserSummary(all.map(({ regret }) => regret)),
    noLoad: chooserSummary(excessOf(all, "noLoad")),
    usual: chooserSummary(excessOf(all, "usual")),
    bale: ruleSummary(all, "bale"),
    tram: ruleSummary(all, "tram"),
    bad: bad.map(({ number, name }) => `${number}: ${name}`),
  };
}

function chooserSummary(regrets: readonly number[]): ChooserSummary {
  return { median: median(regrets), worst: Math.max(0, ...regrets) };
}

const excessOf = (all: readonly PlanComparison[], chooser: "noLoad" | "usual" | "bale" | "tram"): number[] =>
  all.map((one) => one[chooser].time / one.best.time - 1);

function ruleSummary(all: readonly PlanComparison[], rule: "bale" | "tram"): RuleSummary {
  const over = all.map((one) => one.plan.time / one[rule].time - 1);
  return {
    ...chooserSummary(excessOf(all, rule)),
    planOverRule: Math.max(...over),
    planSlower: over.filter((share) => share > MUCH).length,
    planFaster: over.filter((share) => share < -MUCH).length,
  };
}
