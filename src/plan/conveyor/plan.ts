/**
 * The plan of a conveyor: type, hops, group size and buffers for its load on a machine.
 *
 * All candidates (candidates.ts) are compared by the model (predict.ts). The fastest is chosen; among equally fast
 * ones, the one with the least memory; a mesh, or other buffers than the usual ones, only if clearly faster
 * (choice.ts). Forced choices are kept, and the others are chosen for them. Equal arguments give the same plan at
 * every PE.
 *
 * With a rate and the cost of a delay those are compared by what an item costs (delay.ts), in place of the time of a
 * session.
 *
 * Limits: a plan is as good as the model: see docs/plan.md for its distance from the best in the simulator.
 *
 * Example: 64 PEs on 8 nodes, 100 items of 16 bytes each: two hops with the nodes as groups. One hop would send 56
 * messages with 2 items each over the network; two hops send 7 with 13.
 */
import { UsageError } from "../../ground/base/errors.ts";
import { fairBytes } from "../../route/geometry/conveyor-choice.ts";
import { membersOfParts } from "../../route/geometry/grid.ts";
import { UNPLANNED, type Unplanned } from "../../route/geometry/options.ts";
import { BUFFERS, candidatesFor, memoryOn } from "../model/candidates.ts";
import { isRated, type RatedWorkload } from "../model/capacity.ts";
import {
  type Candidate,
  type ConveyorWorkload,
  type CostModel,
  type Forced,
  optionsFor,
  type PlannedOptions,
} from "../model/cost-model.ts";
import { aggregate, buffersAt, type ConveyorAggregation } from "../model/delay.ts";
import { meshesOf } from "../model/meshes.ts";
import { type Prediction, predict } from "../model/predict.ts";
import { shapeCosts } from "../model/shape.ts";
import { busyLines } from "../text/delay-text.ts";
import { explain } from "../text/explain.ts";
import { best, chosenOf, isMeasured, lighter, sameShape, withUsualBuffers } from "./choice.ts";

/** The choices for a conveyor, and the reasons. */
export interface ConveyorPlan {
  /** The choices, to pass to `conveyor(pe, item, plan.options)`. */
  readonly options: PlannedOptions & Unplanned;
  /** The cost of an item at the rate of the workload. @default none: it has no rate, or one that no PE keeps up with */
  readonly aggregation?: ConveyorAggregation | undefined;
  /** The prediction for them. */
  readonly expected: Prediction;
  /** The best candidates of other types and numbers of hops, and with smaller buffers; the best first. */
  readonly others: readonly Prediction[];
  /** Names of the forced choices that are kept: not those without effect, as a second hop of two PEs. */
  readonly forced: readonly string[];
  /** Number of candidates compared. */
  readonly candidates: number;
  /** The load that it is for. */
  readonly workload: ConveyorWorkload;
  /** The PEs that it is for. */
  readonly world: { readonly pes: number; readonly nodes: number };
  /** The choices, the alternatives, and why they are slower, one line each. */
  explain(): string;
}

const MOST_OTHERS = 4;

const plans = new WeakMap<CostModel, Map<string, ConveyorPlan | null>>();

/**
 * The plan; null if no candidate keeps to the budget and the forced choices.
 * @param forced a discipline, and when buffers are sent early, are kept, and not predicted
 * @throws UsageError if the costs are so large that no time is a number
 */
export function planConveyor(
  model: CostModel,
  workload: ConveyorWorkload,
  forced: Forced & Unplanned = {},
): ConveyorPlan | null {
  // cached: thousands of virtual PEs make the same plan
  const own = plans.get(model) ?? new Map<string, ConveyorPlan | null>();
  plans.set(model, own);
  const name = JSON.stringify([workload, forced]);
  const plan = own.get(name) ?? newPlan(model, workload, forced);
  own.set(name, plan);
  return plan;
}

function newPlan(model: CostModel, workload: ConveyorWorkload, forced: Forced & Unplanned): ConveyorPlan | null {
  const costs = shapeCosts(model);
  const { discipline = "eager", type } = forced;
  const isTensor = discipline !== "eager" || (workload.steady === true && type === undefined);
  const within: Forced = isTensor ? { ...forced, type: "tensor" } : forced;
  const all = predictions(model, workload, within, costs);
  if (all === null) return null;
  // A program that pushes whole columns takes a fraction of what the items were measured to take one by one: the rest
  // decides. In the simulator they take what is said.
  const { push, pull, buffer } = model.costs;
  const ofItems = buffer === undefined ? 0 : workload.load * (push + pull);
  const found = isRated(workload) ? ratedScores(model, workload, all, costs, within) : null;
  const keepsUp = found !== null && found.scored !== null;
  const free = found === null || keepsUp ? null : withoutRate(model, workload, forced, found.aggregationOf);
  if (free !== null) return free;
  // buffers that are forced may have no room for tags beside items: then the fastest of those for a rate
  const rated = keepsUp ? found : null;
  const { of, score, same }: Scored = rated?.scored ?? { of: all, score: ({ time }) => time, same: ofItems };
  const fastest = chosenOf(of, score, same);
  const isKnown = rated !== null || !isMeasured(model);
  const light = isKnown ? of : lighter(of, score, same);
  const expected = !isKnown
    ? chosenOf(light, score, same)
    : rated === null
      ? withUsualBuffers(fastest, of, same)
      : fastest;
  const others = othersOf(expected, light, score, same);
  const aggregation = rated?.aggregationOf(expected);
  const { maxDelay = 0 } = aggregation ?? {};
  const asked = Object.entries(forced).filter(([, value]) => value !== undefined);
  const sending: Unplanned = Object.fromEntries(asked.filter(([name]) => UNPLANNED.some((one) => one === name)));
  const options = { ...optionsFor(expected), ...(maxDelay > 0 && { maxDelay }), ...sending };
  // of a mesh, dimensions of one PE are left out
  const isTaken = ([name, value]: [string, unknown]) =>
    name === "mesh" ? options.mesh !== undefined : options[name as keyof typeof options] === value;
  const names = asked.filter(isTaken).map(([name]) => name);
  const lost = asked.filter((one) => !isTaken(one)).map(([name, value]) => `${name} ${value}`);
  return {
    options,
    ...(aggregation && { aggregation }),
    expected,
    others,
    forced: names,
    candidates: all.length,
    workload,
    world: { pes: model.pes, nodes: model.nodes },
    explain: () =>
      explain({
        model,
        workload,
        expected,
        fastest,
        doubt: isKnown ? "sizes" : "losses",
        others,
        sending,
        forced: names,
        lost,
        candidates: all.length,
        aggregationOf: rated?.aggregationOf,
      }),
  };
}

/** Of all candidates within the budget and the forced choices; null for none. @throws UsageError as planConveyor */
function predictions(
  model: CostModel,
  workload: ConveyorWorkload,
  forced: Forced,
  costs: ReturnType<typeof shapeCosts>,
): Prediction[] | null {
  // at a rate items are counted at each hop
  const candidates = candidatesOf(model, workload, forced, costs, workload.rate === undefined);
  if (candidates.length === 0) return null;
  const all = candidates
    .map((one) => predict(model, workload, one, costs(one)))
    .filter(({ time }) => Number.isFinite(time));
  if (all.length > 0) return all;
  throw new UsageError(
    `plan: expected costs with which a time can be computed, got a time beyond all numbers for each of ${candidates.length} ` +
      "candidates. The machine model, the network or the load has a number like 1e308.",
  );
}

/**
 * All candidates within the budget and the forced choices, whatever the load.
 * @param costs of shapes
 * @param hasMeshes whether meshes are
 */
export function candidatesOf(
  model: CostModel,
  workload: Omit<ConveyorWorkload, "load">,
  forced: Forced,
  costs: ReturnType<typeof shapeCosts>,
  hasMeshes = false,
): readonly Candidate[] {
  const { itemBytes, maxBytes, scratch } = workload;
  const sizes = model.levels.map(largestPart);
  const memory = memoryOn(model, costs, scratch);
  const limits = {
    pes: model.pes,
    itemBytes,
    memory,
    forced,
    ...(workload.rate !== undefined && { buffers: buffersAt(itemBytes, BUFFERS), smallest: true }),
    sizes,
    meshes: hasMeshes ? meshesOf(model, sizes) : [],
  };
  const within = candidatesFor({ ...limits, maxBytes: maxBytes ?? fairBytes(model.nodeSize) });
  return within.length === 0 && maxBytes === undefined ? smallest(candidatesFor(limits), memory) : within;
}

/** The plan where no PE can push at the rate of the workload; null if there is none without it. */
function withoutRate(
  model: CostModel,
  workload: ConveyorWorkload,
  forced: Forced & Unplanned,
  aggregationOf: (one: Prediction) => ConveyorAggregation,
): ConveyorPlan | null {
  const plan = newPlan(model, { ...workload, rate: undefined, delayCost: undefined }, forced);
  if (plan === null) return null;
  const busy = () => busyLines(workload, aggregationOf(plan.expected)).map((line) => `  ${line}`);
  return { ...plan, workload, explain: () => [plan.explain(), ...busy()].join("\n") };
}

/** The candidates whose memory is close to the least. */
function smallest(all: readonly Candidate[], memory: (one: Candidate) => number): Candidate[] {
  const least = all.reduce((bytes, one) => Math.min(bytes, memory(one)), Number.POSITIVE_INFINITY);
  return all.filter((one) => memory(one) <= 2 * least);
}

/** Predictions, and what they are compared by: ns, of which `same` is what all have to do. */
interface Scored {
  readonly of: readonly Prediction[];
  readonly score: (one: Prediction) => number;
  readonly same: number;
}

/**
 * At a rate: what an item costs. Of those with which a PE keeps up; `scored` is null if there are none. Items of
 * simple conveyors wait for exchanges of all PEs: only where they are forced.
 */
function ratedScores(
  model: CostModel,
  workload: RatedWorkload,
  all: readonly Prediction[],
  costs: ReturnType<typeof shapeCosts>,
  { type, bufferBytes }: Forced,
) {
  const known = new Map<Prediction, ConveyorAggregation>();
  const aggregationOf = (one: Prediction): ConveyorAggregation => {
    const aggregation = known.get(one) ?? aggregate(model, workload, one, costs(one), bufferBytes !== undefined);
    known.set(one, aggregation);
    return aggregation;
  };
  const score = (one: Prediction) => aggregationOf(one).cost;
  const of = all.filter((one) => (type !== undefined || one.type === "tensor") && Number.isFinite(score(one)));
  return { aggregationOf, scored: of.length === 0 ? null : { of, score, same: 0 } };
}

/** The best candidate of each other kind, if there is one. */
function othersOf(chosen: Prediction, all: readonly Prediction[], score: Scored["score"], same: number): Prediction[] {
  const kinds: ((one: Prediction) => boolean)[] = [
    ({ mesh }) => mesh !== undefined,
    ({ type, hops }) => type === "tensor" && hops === 1,
    ({ hops, mesh }) => hops === 2 && mesh === undefined,
    ({ hops, mesh }) => hops === 3 && mesh === undefined,
    ({ type }) => type === "simple",
    (one) => sameShape(one, chosen) && one.bufferBytes < chosen.bufferBytes,
  ];
  const found = kinds
    .filter((kind) => kind !== kinds.find((own) => own(chosen)))
    .map((kind) => all.filter(kind))
    .filter((some) => some.length > 0)
    .map((some) => best(some, score, same))
    // a mesh may be a little faster
    .filter((one) => one !== chosen && (one.mesh === undefined || score(one) >= score(chosen)))
    .sort((a, b) => score(a) - score(b));
  return found.filter((one, i) => found.indexOf(one) === i).slice(0, MOST_OTHERS);
}

/** Number of PEs of the largest part of a partition. */
const largestPart = (level: Int32Array): number => Math.max(...membersOfParts(level));
