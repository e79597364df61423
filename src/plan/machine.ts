/** The costs for a plan, from a machine model, for items of some size. */
import type { ItemTimes, MachineModel } from "../machine/types.ts";
import { jobOf } from "./cluster.ts";
import type { NetworkName, SimulatedNetwork } from "./network.ts";
import { networkLines } from "./network-text.ts";
import type { CostModel, ItemCosts } from "./types.ts";

/** Item costs for a model without them (`items`), ns: measured on a virtual machine with 2 cores (AMD EPYC). */
export const DEFAULT_ITEMS: ItemTimes & { readonly byte: ItemTimes } = {
  push: 4,
  pivot: 6,
  pull: 10,
  byte: { push: 0.06, pivot: 0.12, pull: 0.02 },
};

/** One turn of a loop over advance, ns. */
const ADVANCE = 30;
/** Transferring a byte between two caches, ns. */
const BYTE = 0.02;

/** The placement of the PEs. */
export interface PlanLayout {
  readonly itemBytes: number;
  /** Number of PEs. @default those of the model, on each node */
  readonly pes?: number | undefined;
  /** @default 1 */
  readonly nodes?: number | undefined;
  /** Between nodes, as in a simulation. @default what the model has measured (`internode`), else alpha 1500, beta 0.1, receiver 300 */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
}

/** @throws UsageError if PEs, nodes and model do not fit together */
export function costModelOf(machine: MachineModel | undefined, places: PlanLayout): CostModel {
  const { itemBytes, nodes = 1 } = places;
  const pes = places.pes ?? (machine?.pes.length ?? 1) * nodes;
  const isMeasured = places.network === undefined && machine?.internode !== undefined;
  const network = isMeasured ? "measured" : places.network;
  const job = jobOf({ pes, nodes, machine, network });
  const costs = itemCosts(machine?.items, itemBytes);
  return {
    ...job,
    costs,
    countsLastReturns: network === "measured",
    measured: nodes > 1 ? networkLines(network, job.network, machine, job.nodeSize) : [],
  };
}

/** Of items of a size. */
export function itemCosts(
  items: ItemTimes & { readonly byte: ItemTimes } = DEFAULT_ITEMS,
  itemBytes: number,
): ItemCosts {
  const time = (part: keyof ItemTimes) => items[part] + itemBytes * items.byte[part];
  return { push: time("push"), pivot: time("pivot"), pull: time("pull"), advance: ADVANCE, byte: BYTE };
}
