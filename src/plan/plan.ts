/**
 * The plan of a conveyor: type, hops, group size and buffers, for what it is to carry on a machine.
 *
 * What: all candidates (candidates.ts) by the model (predict.ts); the fastest is taken, and of those that are as fast, the
 * one with the least memory. What is forced is kept, and the rest chosen for it. The same for the same
 * arguments, at every PE.
 *
 * Limits: as good as the model: see docs/plan.md for how far it is from the best in the simulator.
 *
 * Example: 64 PEs on 8 nodes, 100 items of 16 bytes each: two hops with the nodes as groups, as one hop would send 56
 * messages with 2 items each over the network, and two send 7 with 13.
 */
import { fairBytes } from "../conveyor/geometry/choice.ts";
import { candidatesFor, memoryOf } from "./candidates.ts";
import { explain } from "./explain.ts";
import { type Prediction, predict } from "./predict.ts";
import { shapeCosts } from "./shape.ts";
import type { Candidate, ConveyorWorkload, CostModel, Forced } from "./types.ts";

/** What was chosen for a conveyor, and why. */
export interface ConveyorPlan {
  /** The choices, for `pe.conveyor(item, plan.options)`. */
  readonly options: Candidate;
  /** What is expected of it. */
  readonly expected: Prediction;
  /** The best of other types and numbers of hops, and with smaller buffers; the best first. */
  readonly others: readonly Prediction[];
  /** Names of what was forced. */
  readonly forced: readonly string[];
  /** Candidates that were compared. */
  readonly candidates: number;
  /** What was chosen, what else there was, and why that loses: a line each. */
  explain(): string;
}

/** Times that differ by less are the same. */
const SAME = 0.01;
const MOST_OTHERS = 3;

const plans = new WeakMap<CostModel, Map<string, ConveyorPlan | null>>();

/** The plan; null where no candidate keeps to the budget and to what is forced. */
export function planConveyor(
  model: CostModel,
  workload: ConveyorWorkload,
  forced: Forced = {},
): ConveyorPlan | null {
  // thousands of virtual PEs ask the same
  const own = plans.get(model) ?? new Map<string, ConveyorPlan | null>();
  plans.set(model, own);
  const name = JSON.stringify([workload, forced]);
  const plan = own.get(name) ?? newPlan(model, workload, forced);
  own.set(name, plan);
  return plan;
}

function newPlan(model: CostModel, workload: ConveyorWorkload, forced: Forced): ConveyorPlan | null {
  const costs = shapeCosts(model);
  const { itemBytes, maxBytes, scratch } = workload;
  const limits = {
    pes: model.pes,
    itemBytes,
    scratch,
    forced,
    sizes: model.levels.map(largestPart),
  };
  const within = candidatesFor({ ...limits, maxBytes: maxBytes ?? fairBytes(model.pes) });
  const candidates =
    within.length === 0 && maxBytes === undefined ? smallest(candidatesFor(limits), model.pes) : within;
  const all = candidates.map((one) => predict(model, workload, one, costs(one)));
  if (all.length === 0) return null;
  const expected = best(all);
  const others = othersOf(expected, all);
  const names = Object.entries(forced).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  const { type, hops, groupSize, bufferBytes, buffersPerLink } = expected;
  return {
    options: { type, hops, groupSize, bufferBytes, buffersPerLink },
    expected,
    others,
    forced: names,
    candidates: all.length,
    explain: () => explain({ model, workload, expected, others, forced: names, candidates: all.length }),
  };
}

/** Those that need about as little memory as can be. */
function smallest(all: readonly Candidate[], pes: number): Candidate[] {
  const least = all.reduce((bytes, one) => Math.min(bytes, memoryOf(one, pes)), Number.POSITIVE_INFINITY);
  return all.filter((one) => memoryOf(one, pes) <= 2 * least);
}

/** The fastest; among the fastest the smallest, and among those the first. */
function best(all: readonly Prediction[]): Prediction {
  const least = all.reduce((time, one) => Math.min(time, one.time), Number.POSITIVE_INFINITY);
  return all.filter(({ time }) => time <= least * (1 + SAME)).reduce((a, b) => (b.memory < a.memory ? b : a));
}

/** The best of each other kind, where there is one. */
function othersOf(chosen: Prediction, all: readonly Prediction[]): Prediction[] {
  const kinds: ((one: Prediction) => boolean)[] = [
    ({ type, hops }) => type === "tensor" && hops === 1,
    ({ hops }) => hops === 2,
    ({ hops }) => hops === 3,
    ({ type }) => type === "simple",
    (one) => sameShape(one, chosen) && one.bufferBytes < chosen.bufferBytes,
  ];
  const found = kinds
    .filter((kind) => kind !== kinds.find((own) => own(chosen)))
    .map((kind) => all.filter(kind))
    .filter((some) => some.length > 0)
    .map(best)
    .filter((one) => one !== chosen)
    .sort((a, b) => a.time - b.time);
  return found.filter((one, i) => found.indexOf(one) === i).slice(0, MOST_OTHERS);
}

const sameShape = (a: Candidate, b: Candidate): boolean =>
  a.type === b.type && a.hops === b.hops && a.groupSize === b.groupSize;

/** PEs of the largest part of a partition. */
function largestPart(level: Int32Array): number {
  const counts = new Map<number, number>();
  for (const part of level) counts.set(part, (counts.get(part) ?? 0) + 1);
  return Math.max(...counts.values());
}
