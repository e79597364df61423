/**
 * The judgement of all trees on one machine: times, predictions, whether both put them in the same order, and the
 * speedup.
 */

import {
  CHOSEN,
  OPERATIONS,
  OURS,
  type SmeltOperation,
  STATIC,
  type TreeCase,
} from "../../../../microbench/trees/tree-cases.ts";
import type { Algorithm } from "../../../../src/ground/base/tree-algorithms.ts";
import { type RankCorrelation, rankCorrelation } from "./rank-correlation.ts";

/** One operation by one algorithm. Times are those of the method of the last leaf, ns. */
export interface TreeFigure extends Pick<TreeCase, "algorithm" | "operation" | "kind" | "root"> {
  /** How many took turns to answer, and which was the last; null for a reduction. */
  readonly leaves: number;
  readonly lastLeaf: number | null;
  readonly predicted: number;
  readonly ns: number;
  /**
   * Until the last PE has completed, without the message of a leaf, whose way may cost more than a better tree saves;
   * null on a machine, where no clock can tell.
   */
  readonly completed: number | null;
  /** Quartiles of the batches; the time itself in the simulator. */
  readonly low: number;
  readonly high: number;
}

/** An operation by all algorithms. */
export interface TreeRanking extends RankCorrelation {
  readonly operation: SmeltOperation;
  /** The fastest first. */
  readonly predictedOrder: readonly Algorithm[];
  readonly measuredOrder: readonly Algorithm[];
  /** As measured. */
  readonly bestStatic: Algorithm;
  /** Time of the best static one by that of ours, and of Smelt's by that of ours. */
  readonly speedup: number;
  readonly overSmelt: number;
  /** As {@link speedup}, by the times until all have completed; the best static tree may be another one. */
  readonly completedSpeedup: number | null;
  /** As {@link speedup}, of the trees that a contest has chosen; null without one. */
  readonly chosenSpeedup: number | null;
}

/** Some PEs, and how they lie in the domains. */
export interface MemberGroup {
  /** Null: they are all that there are. */
  readonly placement: Placement | null;
  /** Their numbers in the model. */
  readonly members: readonly number[];
  /** Domains with a member. */
  readonly domains: number;
}

/** All trees of some PEs. */
export interface TreesTable extends MemberGroup {
  readonly machine: string;
  /** Where the model is from: what it was measured with, or that it was guessed. */
  readonly model: string;
  readonly pes: number;
  /** Round trip of a cache line while it was measured, ns; null in the simulator, or if it changed. */
  readonly mode: number | null;
  readonly figures: readonly TreeFigure[];
  readonly rankings: readonly TreeRanking[];
}

export type Placement = "round-robin" | "compact";

/** The results of all algorithms for each operation. */
export function rankingsOf(all: readonly TreeFigure[]): TreeRanking[] {
  // what a contest has chosen is one of the others, or like one
  const figures = all.flatMap((one) => (one.algorithm === CHOSEN ? [] : { ...one, algorithm: one.algorithm }));
  return OPERATIONS.flatMap((operation) => {
    const own = figures.filter((figure) => figure.operation === operation);
    const chosen = all.find((one) => one.operation === operation && one.algorithm === CHOSEN);
    const nsOf = (name: Algorithm) => own.find(({ algorithm }) => algorithm === name)?.ns ?? Number.NaN;
    const orderBy = (value: (figure: TreeFigure) => number) =>
      own.toSorted((a, b) => value(a) - value(b)).map(({ algorithm }) => algorithm);
    const measuredOrder = orderBy(({ ns }) => ns);
    const bestStatic = measuredOrder.find((name) => STATIC.includes(name));
    if (bestStatic === undefined) return [];
    return {
      operation,
      predictedOrder: orderBy(({ predicted }) => predicted),
      measuredOrder,
      bestStatic,
      speedup: nsOf(bestStatic) / nsOf(OURS),
      overSmelt: nsOf("smelt") / nsOf(OURS),
      completedSpeedup: completedSpeedup(own),
      chosenSpeedup: chosen === undefined ? null : nsOf(bestStatic) / chosen.ns,
      ...rankCorrelation(
        own.map(({ predicted }) => predicted),
        own.map(({ ns }) => ns),
      ),
    };
  });
}

function completedSpeedup(figures: readonly (TreeFigure & { readonly algorithm: Algorithm })[]): number | null {
  const timesOf = (isMeant: (name: Algorithm) => boolean) =>
    figures.flatMap(({ algorithm, completed }) => (isMeant(algorithm) && completed !== null ? completed : []));
  const [ours] = timesOf((name) => name === OURS);
  return ours === undefined ? null : Math.min(...timesOf((name) => STATIC.includes(name))) / ours;
}
