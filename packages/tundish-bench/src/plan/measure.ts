/**
 * Compares plans with a measured grid of choices, on real threads; under mpirun over its nodes.
 *
 * Two plans are compared with the best of the grid: that of the model, and what a tuning keeps: its judgement of the
 * promising choices (src/running/tune) by the first half of the rounds, whose time is then taken from the second half,
 * so that it is not judged by what it was chosen by.
 *
 * Limits: the best of many medians is below its true time, as it is chosen by its noise, too. The times of a round are
 * divided by their median, as the whole machine becomes slower and faster in the course of seconds.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import type { Candidate } from "../../../../src/plan/model/cost-model.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { judge } from "../../../../src/running/tune/judge.ts";
import type { MeasureAnswer, MeasuredGridChoice, MeasureJob } from "./measure.program.ts";
import { type MeasuredCase, measuredCases } from "./measure-cases.ts";

/** Options of the measurement. */
export interface MeasureOptions {
  /** PEs of each node. @default 2, 4, 8 */
  readonly pes?: readonly number[] | undefined;
  readonly machine?: MachineModel | undefined;
  /** Samples of each choice. @default 16 */
  readonly rounds?: number | undefined;
  /** Few and short samples, of a third of the loads. @default false */
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The comparison for one load. */
export interface MeasuredComparison extends MeasuredCase {
  readonly allPes: number;
  readonly nodes: number;
  readonly plan: Candidate;
  /** Median time of a session with it, ns, and the prediction. */
  readonly time: number;
  readonly expected: number;
  /** The kept results of a tuning. */
  readonly tuned: Candidate;
  readonly best: Candidate;
  /** Number of choices. */
  readonly choices: number;
  /** Relative excess over the best of the grid; 0.05 is 5 %. */
  readonly regret: number;
  readonly regretOfTuned: number;
}

/** Limit of one world. */
const LIMIT_MS = 120_000;

/** Measures one load after another. @throws what {@link launch} throws */
export async function measurePlans(options: MeasureOptions): Promise<MeasuredComparison[]> {
  const { pes, machine, quick = false, rounds = quick ? 4 : 16, onProgress, signal } = options;
  const cases = measuredCases(pes, quick);
  const results: MeasuredComparison[] = [];
  for (const [i, one] of cases.entries()) {
    onProgress?.({ stage: `case ${i + 1} of ${cases.length}`, done: i / cases.length });
    const args: MeasureJob = { ...one, rounds, warmMs: quick ? 0 : 300, sampleMs: quick ? 0.1 : 2 };
    const answers = await launch<MeasureAnswer | undefined>(sibling("./measure.program.js", import.meta.url), {
      args,
      pes: one.pes,
      timeout: LIMIT_MS,
      ...(machine && { machine }),
      ...(signal && { signal }),
    });
    // those of node 0
    if (answers[0] !== undefined) results.push(compareMeasured(one, answers[0]));
  }
  return results;
}

/** A summary of the samples of one load. */
export function compareMeasured(one: MeasuredCase, answer: MeasureAnswer): MeasuredComparison {
  const { pes, nodes, choices } = answer;
  const level = levelled(choices);
  const half = Math.floor(Math.max(...level.map(({ times }) => times.length)) / 2);
  const tried = level.filter(({ isPromising }) => isPromising).map((choice) => part(choice, 0, half));
  const { kept } = judge(tried as [MeasuredGridChoice, ...MeasuredGridChoice[]]);
  const whole = level.filter(({ times }) => times.length > half);
  const plan = level[0] as MeasuredGridChoice;
  const best = fastest(whole);
  const later = whole.map((choice) => part(choice, half));
  const tuned = later.find(({ prediction }) => prediction === kept.prediction) as MeasuredGridChoice;
  return {
    ...one,
    allPes: pes,
    nodes,
    choices: choices.length,
    plan: plan.prediction,
    tuned: tuned.prediction,
    best: best.prediction,
    time: median(choices[0]?.times ?? []),
    expected: plan.prediction.time,
    regret: median(plan.times) / median(best.times) - 1,
    regretOfTuned: median(tuned.times) / median(fastest(later).times) - 1,
  };
}

const part = (choice: MeasuredGridChoice, first: number, end?: number): MeasuredGridChoice => ({
  ...choice,
  times: choice.times.slice(first, end),
});

const fastest = (all: readonly MeasuredGridChoice[]): MeasuredGridChoice =>
  all.reduce((best, one) => (median(one.times) < median(best.times) ? one : best));

/** Each time by the median of its round over those that were measured to the end. */
function levelled(choices: readonly MeasuredGridChoice[]): MeasuredGridChoice[] {
  const rounds = Math.max(...choices.map(({ times }) => times.length));
  const steady = choices.filter(({ times }) => times.length === rounds);
  const levels = Array.from({ length: rounds }, (_, i) => median(steady.map(({ times }) => times[i] as number)));
  return choices.map((choice) => ({
    ...choice,
    times: choice.times.map((time, i) => time / (levels[i] as number)),
  }));
}

/** Targets, as factors of the best: the median over all cases, and the worst one. */
export const MEASURED_TARGETS: { readonly median: number; readonly worst: number } = {
  median: 1.1,
  worst: 1.3,
};

/** A summary of all cases, relative to the best of the grid: 1.1 is 10 % slower. */
export interface MeasuredSummary {
  readonly cases: number;
  readonly plan: { readonly median: number; readonly worst: number };
  readonly tuned: { readonly median: number; readonly worst: number };
  /** Median of measured time by prediction. */
  readonly ratio: number;
}

export function measuredSummary(all: readonly MeasuredComparison[]): MeasuredSummary {
  const of = (regrets: readonly number[]) => ({
    median: 1 + median(regrets),
    worst: 1 + Math.max(...regrets),
  });
  return {
    cases: all.length,
    plan: of(all.map(({ regret }) => regret)),
    tuned: of(all.map(({ regretOfTuned }) => regretOfTuned)),
    ratio: median(all.map(({ time, expected }) => time / expected)),
  };
}
