/**
 * Compares disciplines of exchanges on real threads; under mpirun over its nodes: every one with the defaults of all
 * other options, and what a plan would choose with the best of them and with eager.
 *
 * Limits: the best of many medians is below its true time, as it is chosen by its noise, too.
 */

import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { quartiles } from "../../../../microbench/pairs/statistics.ts";
import { median } from "../../../../src/ground/base/math.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { launcherOf } from "../../../../src/machine/mpi/launcher.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { type MeasuredTraffic, measuredTraffic, type TrafficLoad } from "./measure-cases.ts";
import type { MeasuredContender, TrafficAnswer, TrafficJob } from "./measure-traffic.program.ts";
import type { PatternName } from "./patterns.ts";

/** Options of the measurement. */
export interface MeasureTrafficOptions {
  /** PEs of each node. @default 1 under mpirun, else all cores */
  readonly pes?: number | undefined;
  /** @default all */
  readonly patterns?: readonly PatternName[] | undefined;
  /** Bytes of the blocks. @default 16 KiB, 64 KiB, 256 KiB, 1 MiB */
  readonly sizes?: readonly number[] | undefined;
  /** Samples of each discipline, at most. @default 9 */
  readonly turns?: number | undefined;
  /** Time for all cases, ms; each has three turns at least. @default 180000 */
  readonly budgetMs?: number | undefined;
  /** Few blocks of one size, one turn, without regard to the budget. @default false */
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The times of a phase under one discipline, ns: the median and the quartiles. */
export interface TrafficTimes extends Omit<MeasuredContender, "times" | "isPlan"> {
  readonly ns: number;
  readonly low: number;
  readonly high: number;
  readonly turns: number;
}

/** The comparison for one case. */
export interface TrafficComparison extends MeasuredTraffic {
  readonly pes: number;
  readonly nodes: number;
  readonly load: TrafficLoad;
  /** All disciplines with the defaults of all other options; then, if it is none of these, what a plan chooses. */
  readonly times: readonly TrafficTimes[];
  readonly best: TrafficTimes;
  /** The choice of a plan. */
  readonly plan: TrafficTimes;
  /** Relative excess over the best; 0.05 is 5 %. */
  readonly regret: number;
  /** Time of eager by that of the plan. */
  readonly gain: number;
}

/** Limit of one world. */
const LIMIT_MS = 300_000;
const LEAST_TURNS = 3;
const SAMPLE_MS = 20;

/** Measures one case after another; empty at all nodes but the first. @throws what {@link launch} throws */
export async function measureTraffic(options: MeasureTrafficOptions): Promise<TrafficComparison[]> {
  const { quick = false, patterns, sizes, turns = quick ? 1 : 9, budgetMs = 180_000, onProgress, signal } = options;
  const { pes = launcherOf(process.env) === null ? undefined : 1 } = options;
  const cases = measuredTraffic(patterns, sizes, quick);
  const results: TrafficComparison[] = [];
  for (const [i, one] of cases.entries()) {
    onProgress?.({ stage: `${one.pattern}, ${one.blockBytes} B`, done: i / cases.length });
    const args: TrafficJob = {
      ...one,
      turns,
      leastTurns: Math.min(turns, LEAST_TURNS),
      budgetMs: budgetMs / cases.length,
      sampleMs: quick ? 0 : SAMPLE_MS,
    };
    const answers = await launch<TrafficAnswer | undefined>(sibling("./measure-traffic.program.js", import.meta.url), {
      args,
      timeout: LIMIT_MS,
      ...(pes !== undefined && { pes }),
      ...(signal && { signal }),
    });
    // those of node 0
    if (answers[0] !== undefined) results.push(compareDisciplines(one, answers[0]));
  }
  return results;
}

/** A summary of the samples of one case. */
export function compareDisciplines(
  one: MeasuredTraffic,
  { pes, nodes, load, contenders }: TrafficAnswer,
): TrafficComparison {
  const times = contenders.map(timesOf);
  const plan = times[contenders.findIndex(({ isPlan }) => isPlan)] as TrafficTimes;
  const eager = times.find(({ name }) => name === "eager") as TrafficTimes;
  const best = times.reduce((fastest, other) => (other.ns < fastest.ns ? other : fastest));
  return {
    ...one,
    pes,
    nodes,
    load,
    times,
    best,
    plan,
    regret: plan.ns / best.ns - 1,
    gain: eager.ns / plan.ns,
  };
}

function timesOf({ times, isPlan: _, ...one }: MeasuredContender): TrafficTimes {
  const { low, median: ns, high } = quartiles(times);
  return { ...one, ns, low, high, turns: times.length };
}

/** Targets for the plan's choice: at most so much above the best; and so many times faster than eager at a hot spot. */
export const TRAFFIC_TARGETS: { readonly regret: number; readonly gain: number } = { regret: 0.1, gain: 1.3 };

/** A summary of all cases. */
export interface TrafficSummary {
  readonly cases: number;
  /** Cases with at most the wanted excess over the best; the median of the excess, and the worst. */
  readonly near: number;
  readonly median: number;
  readonly worst: number;
  /** Of those with a hot spot. */
  readonly hotSpots: number;
  /** Those that are as much faster than eager as is wanted; the median of all. */
  readonly gained: number;
  readonly gain: number;
}

export function trafficSummary(all: readonly TrafficComparison[]): TrafficSummary {
  const regrets = all.map(({ regret }) => regret);
  const gains = all.filter(({ pattern }) => pattern === "hot spot").map(({ gain }) => gain);
  return {
    cases: all.length,
    near: regrets.filter((regret) => regret <= TRAFFIC_TARGETS.regret).length,
    median: median(regrets),
    worst: Math.max(...regrets),
    hotSpots: gains.length,
    gained: gains.filter((gain) => gain >= TRAFFIC_TARGETS.gain).length,
    gain: median(gains),
  };
}
