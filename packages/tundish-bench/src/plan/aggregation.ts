/**
 * Judges the model of aggregation by the simulator: machines, rates and costs of delays are drawn, buffers of 1, 2, 3,
 * 4, 6, 8 … items are swept, and the buffer that the model chooses is compared with the best. So is the bound of
 * equation 4.13, at which it says that nothing is gained any more.
 *
 * Limits: of what is drawn only cases count whose best buffer has 1 to 32 items by the model, so that the bound, up to
 * 1024 items, can be simulated.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { randomNumbers } from "../../../../src/ground/base/random.ts";
import type { AggregationPlan } from "../../../../src/plan/aggregation/aggregation-plan.ts";
import { planAggregation } from "../../../../src/plan/aggregation/make-aggregation-plan.ts";
import { planConveyor } from "../../../../src/plan/conveyor/plan.ts";
import { settle } from "../../../../src/running/simulate/options.ts";
import { type AggregationCase, runAggregation, type SimulatedCost, simulationOf } from "./aggregation-run.ts";

/** A buffer and what an item costs with it, ns. */
export interface SweptBuffer {
  readonly items: number;
  readonly cost: number;
}

/** The comparison for one case. Costs are those of an item, ns, simulated. */
export interface JudgedAggregation {
  /** From 1 on. */
  readonly number: number;
  readonly of: AggregationCase;
  /** The model's choice, and its prediction for it. */
  readonly planned: SweptBuffer;
  readonly predicted: number;
  /** A plan's choice for the rate, of the same hops: by its own costs of messages. */
  readonly byPlan: SweptBuffer;
  /** The best of the sweep. */
  readonly best: SweptBuffer;
  /** By the bound 4.13; null where it is below one item. */
  readonly bound: SweptBuffer | null;
  /** All messages of one item, without a delay: by the model. */
  readonly without: number;
  readonly swept: readonly SweptBuffer[];
}

/** The judged cases. */
export interface AggregationBenchOptions {
  readonly cases: number;
  /** @default 1 */
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Times that each buffer becomes full: of the swept ones, and of large ones. */
const FILLS = 30;
const FEW_FILLS = 6;
/** Length of a session that is planned, s. */
const LONG = 10;
/** Swept up to so many times the model's best. */
const FAR = 5;
/** Of the model's best buffer. */
const MOST_ITEMS = 32;
/** More would not be sent. */
const BUSY = 0.9;

/** Judges, one case after another. */
export async function benchAggregation({
  cases,
  seed = 1,
  onProgress,
  signal,
}: AggregationBenchOptions): Promise<JudgedAggregation[]> {
  const results: JudgedAggregation[] = [];
  for (const [i, one] of aggregationCases(cases, seed).entries()) {
    onProgress?.({ stage: `case ${i + 1} of ${cases}`, done: i / cases });
    results.push(judgeAggregation(one, i + 1));
    await new Promise(setImmediate); // Ctrl-C
    signal?.throwIfAborted();
  }
  return results;
}

/** Those of a seed; the same everywhere. */
export function aggregationCases(cases: number, seed = 1): AggregationCase[] {
  const random = randomNumbers(seed);
  const found: AggregationCase[] = [];
  while (found.length < cases) {
    const one = drawn(random);
    const [best, { items }] = [bestItems(one), planOf(one)];
    if (best >= 1 && Math.max(best, items) <= MOST_ITEMS) found.push(one);
  }
  return found;
}

function drawn(random: () => number): AggregationCase {
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const between = (least: number, most: number): number => least * (most / least) ** random();
  const hops = one([1, 1, 1, 2] as const);
  const pes = hops === 1 ? one([2, 4, 8]) : 9;
  return {
    pes,
    hops,
    links: hops === 1 ? pes : 3,
    alpha: between(50, 50_000),
    beta: between(0.01, 0.2),
    rate: between(1e4, 1e6),
    itemBytes: one([16, 32, 64, 256]),
    kappa: between(1e-4, 1),
    seed: Math.floor(random() * 2 ** 31),
  };
}

const planOf = ({ alpha, rate, links, hops, itemBytes, kappa }: AggregationCase): AggregationPlan =>
  planAggregation({ alpha, rate, links, hops, itemBytes, delayCost: kappa });

const bestItems = ({ alpha, rate, links, kappa }: AggregationCase): number =>
  Math.sqrt((2 * (rate / 1e9 / links) * alpha) / kappa);

/** The sweep, the model's choice and the bound for one case. */
export function judgeAggregation(of: AggregationCase, number: number): JudgedAggregation {
  const { alpha, rate, hops, itemBytes } = of;
  const plan = planOf(of);
  const alone = runAggregation(of, 1, FILLS, 0).delay;
  const known = new Map<number, SweptBuffer>();
  const costOf = (items: number, fills = FILLS): SweptBuffer => {
    const cost = known.get(items) ?? {
      items,
      cost: costIn(of, runAggregation(of, items, fills), alone),
    };
    known.set(items, cost);
    return cost;
  };
  const least = ((hops * alpha * rate) / 1e9 / BUSY) * 0.999;
  const most = FAR * Math.max(2, bestItems(of));
  const planned = costOf(plan.items);
  const swept: SweptBuffer[] = [];
  for (const items of STEPS) if (items >= least && items <= most) swept.push(costOf(items));
  const byPlan = costOf(itemsByPlan(of));
  const best = [...swept, planned, byPlan].reduce((a, b) => (b.cost < a.cost ? b : a));
  const bound = Math.floor((plan.bounds?.bound ?? 0) / itemBytes);
  return {
    number,
    of,
    planned,
    byPlan,
    best,
    swept,
    predicted: plan.cost.total,
    bound: bound < 1 ? null : costOf(bound, FEW_FILLS),
    without: hops * alpha,
  };
}

function itemsByPlan(of: AggregationCase): number {
  const { hops, links, alpha, rate, itemBytes, kappa } = of;
  const workload = { itemBytes, load: LONG * rate, rate, delayCost: kappa };
  const forced = { type: "tensor", hops, groupSize: links, buffersPerLink: 4 } as const;
  const plan = planConveyor(settle(simulationOf(of, alpha)), workload, forced);
  return Math.max(1, Math.floor((plan?.options.bufferBytes ?? 0) / itemBytes));
}

/** 1, 2, 3, 4, 6, 8, 12, 16, … */
const STEPS: readonly number[] = Array.from({ length: 20 }, (_, i) => [2 ** i, 3 * 2 ** (i - 1)])
  .flat()
  .filter((items) => items >= 1 && Number.isInteger(items))
  .sort((a, b) => a - b);

const costIn = ({ alpha, kappa }: AggregationCase, { messages, delay }: SimulatedCost, alone: number): number =>
  alpha * messages + kappa * Math.max(0, delay - alone);
