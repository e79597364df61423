/** A summary of the results of `bench trees` on many models. */

import { mean } from "../../../../src/ground/base/math.ts";
import { baselines } from "../../../../src/ground/base/tree-algorithms.ts";
import type { Baseline, Operation } from "../../../../trees/model/tree.ts";
import { type Compared, type Latencies, type ModelResult, ratioOf } from "./bench-trees.ts";

/** Mean and maximum. */
export interface Spread {
  readonly mean: number;
  readonly max: number;
}

/** Ratios to the optimum. */
export interface Excess extends Spread {
  /** The share of cases in which it was reached. */
  readonly optimal: number;
  /** The case with the maximum. */
  readonly worst: { readonly name: string; readonly cores: readonly number[] };
}

/** Other algorithms' latencies relative to adaptive's. */
export type Others = Readonly<Record<Baseline | "bestStatic", Spread>>;

/** All models of {@link LEAST} PEs or more. */
export interface TreesSummary {
  readonly models: number;
  readonly broadcast: Others;
  readonly reduce: Others;
  readonly barrier: Others;
  readonly aboveBound: Readonly<Record<Operation, Spread>>;
  readonly ms: Spread;
}

/** All groups that were solved exactly. */
export interface GroupsSummary {
  readonly groups: number;
  readonly search: Readonly<Record<Operation, Excess>>;
  readonly adaptive: Readonly<Record<Operation, Excess>>;
}

/** All models of {@link LEAST} PEs or more that had long runs. */
export interface RunsSummary extends Readonly<Record<Operation, Spread>> {
  readonly models: number;
}

/** The numbers below the table. Null: there was nothing to average. */
export interface TreesTotals {
  /** Number of comparisons in which adaptive was above a published algorithm, by more than rounding: should be 0. */
  readonly above: number;
  /** Number of comparisons: models x operations x algorithms. */
  readonly comparisons: number;
  /** Time to derive all trees. */
  readonly ms: number;
  readonly summary: TreesSummary | null;
  readonly groups: GroupsSummary | null;
  readonly runs: RunsSummary | null;
}

/** With fewer PEs there are few different trees. */
export const LEAST = 8;
const ROUNDING = 1e-9;
const operations = ["broadcast", "reduce", "barrier"] as const;

/** Computes the summary. */
export function totalsOf(models: readonly ModelResult[]): TreesTotals {
  const ratios = models.flatMap((model) => operations.flatMap((operation) => Object.values(model[operation].ratios)));
  const large = models.filter(({ pes }) => pes >= LEAST);
  return {
    above: ratios.filter((ratio) => ratio < 1 - ROUNDING).length,
    comparisons: ratios.length,
    ms: models.reduce((sum, { ms }) => sum + ms, 0),
    summary: large.length === 0 ? null : summaryOf(large),
    groups: groupsSummary(models),
    runs: runsSummary(large),
  };
}

function spreadOf(values: number[]): Spread {
  return { mean: mean(values), max: Math.max(...values) };
}

function summaryOf(models: readonly ModelResult[]): TreesSummary {
  const others = (operation: (typeof operations)[number]): Others => {
    const spread = (of: (compared: Compared) => number): Spread =>
      spreadOf(models.map((model) => of(model[operation])));
    const named = baselines.map((name) => [name, spread(({ ratios }) => ratios[name])]);
    return { ...Object.fromEntries(named), bestStatic: spread(({ bestStatic }) => bestStatic.ratio) };
  };
  const above = (operation: Operation): Spread => spreadOf(models.map((model) => model[operation].aboveBound));
  return {
    models: models.length,
    broadcast: others("broadcast"),
    reduce: others("reduce"),
    barrier: others("barrier"),
    aboveBound: { broadcast: above("broadcast"), reduce: above("reduce") },
    ms: spreadOf(models.map(({ ms }) => ms)),
  };
}

function groupsSummary(models: readonly ModelResult[]): GroupsSummary | null {
  const groups = models.flatMap((model) => model.groups.map((group) => ({ name: model.name, ...group })));
  if (groups.length === 0) return null;
  const excess = (who: "search" | "adaptive", operation: Operation): Excess => {
    const ratios = groups.map((group) => ratioOf(group[who][operation], group.optimum[operation]));
    const optimal = ratios.filter((ratio) => ratio <= 1 + ROUNDING).length / ratios.length;
    const spread = spreadOf(ratios);
    const { name, cores } = groups[ratios.indexOf(spread.max)];
    return { ...spread, optimal, worst: { name, cores } };
  };
  const both = (who: "search" | "adaptive"): Readonly<Record<Operation, Excess>> => ({
    broadcast: excess(who, "broadcast"),
    reduce: excess(who, "reduce"),
  });
  return { groups: groups.length, search: both("search"), adaptive: both("adaptive") };
}

function runsSummary(models: readonly ModelResult[]): RunsSummary | null {
  const ratios = models.flatMap(({ runs }): Latencies[] => (runs === null ? [] : [runs.ratio]));
  if (ratios.length === 0) return null;
  return {
    models: ratios.length,
    broadcast: spreadOf(ratios.map(({ broadcast }) => broadcast)),
    reduce: spreadOf(ratios.map(({ reduce }) => reduce)),
  };
}
