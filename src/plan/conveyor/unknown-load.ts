/**
 * The choices of a conveyor whose load nobody has said, on a measured machine: those that lose least against the best
 * choices for sessions of 10^3, 10^4, 10^5 and 10^6 items, each as likely as the others.
 *
 * Each candidate (candidates.ts) is predicted for each of these loads. Its loss is the mean of the logarithms of its
 * times by the best times: that of least loss is chosen, and among those of nearly the same loss the one with the least
 * memory. Equal arguments give the same choices at every PE.
 *
 * Limits: as plan.ts; items for PEs drawn from all. Types other than tensor are not chosen.
 *
 * Example: 128 PEs in 8 domains (`tundish plan test/fixtures/machines/c2c-amd-epyc-7773x.json --item-bytes 8`, with
 * `--load` and the choices). For 1000 items one hop takes 165 us, two hops in groups of 16 take 48, as the best do; for
 * 10^6 items 19 and 23 ms.
 */
import { besideText, bytesText, countText, durationText } from "../../ground/base/units.ts";
import {
  type ConveyorWorkload,
  type CostModel,
  type Forced,
  optionsFor,
  type PlannedOptions,
} from "../model/cost-model.ts";
import { type Prediction, predict } from "../model/predict.ts";
import { shapeCosts } from "../model/shape.ts";
import { choiceText, doubtText, groupText } from "../text/explain.ts";
import { best, isMeasured, lighter } from "./choice.ts";
import { type ConveyorPlan, candidatesOf, planConveyor } from "./plan.ts";

/** What is assumed of the load: the items that a PE pushes in a session. */
export const ASSUMED_LOADS: readonly number[] = [1e3, 1e4, 1e5, 1e6];

/** The choices, and the reasons. */
export interface AssumedPlan {
  /** The choices. */
  readonly options: PlannedOptions;
  /** What was assumed, the choices, and what a known load would change; one line each. */
  explain(): string;
}

/**
 * With more or fewer little changes, and without them a third as many candidates are predicted when a conveyor is made.
 */
const BUFFERS_PER_LINK = 2;
/** Of a time: less is no difference. */
const HARDLY = 0.01;

type Unknown = Omit<ConveyorWorkload, "load" | "rate" | "delayCost">;

const plans = new WeakMap<CostModel, Map<string, AssumedPlan | null>>();

/**
 * The choices; null if no candidate keeps to the budget and the forced choices.
 * @param forced choices that are kept; a type is for what a known load would change
 */
export function planUnknown(model: CostModel, workload: Unknown, forced: Forced = {}): AssumedPlan | null {
  // cached: thousands of virtual PEs make the same plan
  const own = plans.get(model) ?? new Map<string, AssumedPlan | null>();
  plans.set(model, own);
  const name = JSON.stringify([workload, forced]);
  const plan = own.get(name) ?? newPlan(model, workload, forced);
  own.set(name, plan);
  return plan;
}

function newPlan(model: CostModel, workload: Unknown, forced: Forced): AssumedPlan | null {
  const costs = shapeCosts(model);
  const { buffersPerLink = BUFFERS_PER_LINK } = forced;
  const candidates = candidatesOf(model, workload, { ...forced, type: "tensor", buffersPerLink }, costs);
  if (candidates.length === 0) return null;
  const at = (load: number): readonly Prediction[] =>
    candidates.map((one) => predict(model, { ...workload, load }, one, costs(one)));
  const byLoad = ASSUMED_LOADS.map(at);
  const bests = byLoad.map((all) => best(all, timeOf, 0));
  const lossOf = (place: number): number =>
    Math.exp(byLoad.reduce((sum, all, i) => sum + Math.log(timeOf(all[place]) / timeOf(bests[i])), 0) / byLoad.length);
  const losses = candidates.map((one, place) => ({
    ...one,
    place,
    loss: lossOf(place),
    memory: byLoad[0][place].memory,
  }));
  // a model with costs beyond all numbers
  if (!losses.every(({ loss }) => Number.isFinite(loss))) return null;
  const score = ({ loss }: (typeof losses)[number]) => loss;
  const fastest = best(losses, score, 0);
  const { place, memory, loss } = isMeasured(model) ? best(lighter(losses, score, 0), score, 0) : fastest;
  const one = candidates[place];
  // of all types, and with other numbers of buffers
  const knownFor = (load: number) => (planConveyor(model, { ...workload, load }, forced) as ConveyorPlan).expected;
  const explain = () =>
    [
      `no load given, so as for sessions of 1e3, 1e4, 1e5 and 1e6 items of ${workload.itemBytes} B from each of ` +
        `${countText(model.pes, "PE")} on ${countText(model.nodes, "node")}:`,
      `${choiceText(one)}: ${bytesText(memory)} a PE (${place === fastest.place ? "the best " : ""}of ${candidates.length})`,
      ...(place === fastest.place ? [] : [`  ${doubtText(fastest, fastest.loss / loss, "losses")}`]),
      ...(one.hops === 1 ? [] : [`  groups of ${one.groupSize}: ${groupText(model, one.groupSize)}`]),
      ...ASSUMED_LOADS.map((load, i) => `  ${knownText(load, byLoad[i][place], knownFor(load))}`),
    ].join("\n");
  return { options: optionsFor(one), explain };
}

const timeOf = ({ time }: Prediction): number => time;

/** What a known load changes. */
function knownText(load: number, chosen: Prediction, known: Prediction): string {
  const time = `${load.toExponential().replace("+", "")} items: ${durationText(chosen.time)}`;
  const share = known.time / chosen.time;
  if (Math.abs(share - 1) < HARDLY) return `${time}, as with the load given`;
  return `${time}; with { load: ${load} } ${besideText(share, "as long")}, by ${choiceText(known)}`;
}
