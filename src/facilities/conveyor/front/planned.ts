/** The plan of a conveyor with a known load; see src/plan. */

import { type ConveyorPlan, planConveyor } from "../../../plan/conveyor/plan.ts";
import { type AssumedPlan, planUnknown } from "../../../plan/conveyor/unknown-load.ts";
import type { CostModel } from "../../../plan/model/cost-model.ts";
import type { SimulatedNetwork } from "../../../plan/network/network.ts";
import { choiceText } from "../../../plan/text/explain.ts";
import { type CompleteChoice, type NodeLayout, scratchBuffers } from "../../../route/geometry/conveyor-choice.ts";
import type { Levels } from "../../../route/geometry/grid.ts";
import { type ConveyorOptions, MAX_BUFFER_BYTES } from "../../../route/geometry/options.ts";

/** The context, as a plan needs it. */
interface Planned {
  costs(itemBytes: number, network?: SimulatedNetwork): CostModel;
  readonly levels: Levels;
  readonly nodeLayout?: NodeLayout;
}

/** The options of a conveyor, and the part of its load that they do not have. */
export interface PlanRequest extends ConveyorOptions {
  readonly destinations?: number | undefined;
  /** Whether its items have any length. */
  readonly elastic?: boolean | undefined;
}

/** Bytes of `maxBytes` that the buffers of a PE within its node may take. @param share of those of a conveyor */
export const budgetOf = ({ nodeLayout }: Pick<Planned, "nodeLayout">, maxBytes: number, share = 1): number =>
  maxBytes * share * (nodeLayout?.share ?? 1);

/**
 * The plan for the options that are left open. Null without `load`, and if no choice keeps to the budget and the forced
 * options: then the defaults apply, or are rejected.
 */
export function planFor(
  context: Planned,
  options: PlanRequest,
  itemBytes: number,
  share = 1,
  network?: SimulatedNetwork,
): ConveyorPlan | null {
  const { load, maxBytes, compress = false, discipline, destinations, rate, delayCost } = options;
  const { steady, elastic, adapt = false, hops, groupSize, mesh, bufferBytes, buffersPerLink } = options;
  const { threshold, cutoff, maxDelay, maxBufferedBytes } = options;
  if (load === undefined) return null;
  const isCompressed = compress !== false;
  const scratch = scratchBuffers(isCompressed);
  const budget = maxBytes === undefined ? undefined : budgetOf(context, maxBytes, share);
  const plan = planConveyor(
    context.costs(itemBytes, network),
    { itemBytes, load, destinations, maxBytes: budget, scratch, rate, delayCost, steady, elastic },
    {
      type: isCompressed ? "tensor" : (options.type ?? (adapt ? "tensor" : undefined)),
      ...{ hops, groupSize, mesh, bufferBytes, buffersPerLink, discipline },
      ...{ threshold, cutoff, maxDelay, maxBufferedBytes },
    },
  );
  // a plan has room for a tag beside an item, however large that is
  return plan !== null && plan.options.bufferBytes > MAX_BUFFER_BYTES ? null : plan;
}

/** Bytes of an item, at most: with few items in a buffer it is their bytes that take time, and hops copy them again. */
const MOST_ASSUMED = 1024;

/**
 * The choices where no load is given and the ways of items are open: where the machine is measured, and has domains, or
 * nodes between which costs are measured. Null elsewhere.
 */
export function assumedFor(context: Planned, options: PlanRequest, itemBytes: number, share = 1): AssumedPlan | null {
  const { load, type = "tensor", hops, groupSize, mesh, maxBytes } = options;
  const { compress = false, adapt = false, discipline = "eager" } = options;
  if (load !== undefined || type !== "tensor" || hops !== undefined || groupSize !== undefined || mesh !== undefined)
    return null;
  if (context.levels.length === 0 || itemBytes > MOST_ASSUMED) return null;
  const model = context.costs(itemBytes);
  if (model.nodes > 1 && model.countsLastReturns !== true) return null;
  const { bufferBytes, buffersPerLink } = options;
  const budget = maxBytes === undefined ? undefined : budgetOf(context, maxBytes, share);
  const scratch = scratchBuffers(compress !== false);
  const isTensor = options.type !== undefined || adapt || compress !== false || discipline !== "eager";
  const forced = { bufferBytes, buffersPerLink, ...(isTensor && { type }) };
  const { steady, elastic } = options;
  return planUnknown(model, { itemBytes, maxBytes: budget, scratch, steady, elastic }, forced);
}

/** The explanation of choices that no plan has made. */
export function explainUnplanned(choice: CompleteChoice, hasLoad: boolean): string {
  const why = hasLoad
    ? "no plan keeps to the limits and to what was forced"
    : "the defaults and the given options; with { load } a plan chooses";
  return `${madeText(choice)}: ${why}`;
}

/** The choice, in words. */
export function madeText({ type, route, bufferBytes, buffersPerLink }: CompleteChoice): string {
  const { hops, groupSize, mesh } = route;
  return choiceText({ type, hops, groupSize, ...(mesh && { mesh }), bufferBytes, buffersPerLink });
}
