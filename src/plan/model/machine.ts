/** The costs for a plan, from a machine model, for items of some size. */
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { plannable } from "../../machine/model/internode.ts";
import type {
  BufferTimes,
  ItemCostTimes,
  ItemTimes,
  MachineModel,
  OpenTimes,
} from "../../machine/model/machine-model.ts";
import type { Levels } from "../../route/geometry/grid.ts";
import { jobOf } from "../network/cluster.ts";
import type { NetworkName, SimulatedNetwork } from "../network/network.ts";
import { networkLines } from "../network/network-text.ts";
import type { CostModel, ItemCosts } from "./cost-model.ts";

/** Item costs for a model without them (`items`), ns: measured on a virtual machine with 2 cores (AMD EPYC). */
export const DEFAULT_ITEMS: ItemCostTimes = {
  push: 4,
  pivot: 6,
  pull: 10,
  byte: { push: 0.06, pivot: 0.12, pull: 0.02 },
};
/** For a model without them, on the same machine. */
const DEFAULT_BUFFER: BufferTimes = { handle: 1000, wait: 1000, shared: 2500 };

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
  /** Between nodes, as in a simulation. @default the model's (`internode`), else alpha 1500, beta 0.1, receiver 300 */
  readonly network?: SimulatedNetwork | NetworkName | "measured" | undefined;
}

/** @param levels as {@link jobOf} takes them @throws UsageError if PEs, nodes and model do not fit together */
export function costModelOf(machine: MachineModel | undefined, places: PlanLayout, levels?: Levels): CostModel {
  if (machine !== undefined && !Array.isArray((machine as Partial<MachineModel> | null)?.pes)) {
    throw new UsageError(
      `machine: expected a machine model (readMachine, profile), or undefined, got ${shortText(machine)}`,
    );
  }
  const { itemBytes, nodes = 1 } = places;
  const pes = places.pes ?? (machine?.pes.length ?? 1) * nodes;
  const internode = plannable(machine?.internode);
  const isMeasured = places.network === undefined && internode !== undefined;
  const network = isMeasured ? "measured" : places.network;
  const job = jobOf({ pes, nodes, machine, network }, levels);
  return {
    ...job,
    costs: itemCosts(machine?.items, itemBytes, sharing(machine, job.nodeSize)),
    countsLastReturns: network === "measured",
    bulk: network === "measured" ? (internode?.bulk ?? []) : [],
    measured: nodes > 1 ? networkLines(network, job.network, machine, job.nodeSize) : [],
  };
}

/** PEs for each CPU of a node: more than one of them take turns. */
function sharing(machine: MachineModel | undefined, nodeSize: number): number {
  const pes = machine?.pes.slice(0, nodeSize) ?? [];
  return pes.length === 0 ? 1 : pes.length / new Set(pes.map(({ cpu }) => cpu)).size;
}

/** Of items of a size. @param sharing PEs for each CPU */
export function itemCosts(items: ItemCostTimes = DEFAULT_ITEMS, itemBytes: number, sharing = 1): ItemCosts {
  const time = (part: keyof ItemTimes) => sharing * (items[part] + itemBytes * items.byte[part]);
  const { handle, wait, shared } = items.buffer ?? DEFAULT_BUFFER;
  const { open } = items;
  return {
    push: time("push"),
    pivot: time("pivot"),
    pull: time("pull"),
    advance: ADVANCE,
    byte: BYTE,
    buffer: sharing * handle,
    ...(open && { open: sharing === 1 ? open : slowed(open, sharing) }),
    ...(sharing > 1 ? { wait: sharing * shared, waking: sharing * shared } : { wait }),
  };
}

/** With times that are so many times as long. */
const slowed = ({ look, buffers, sizes }: OpenTimes, times: number): OpenTimes => ({
  look: times * look,
  buffers,
  sizes: sizes.map(({ bytes, push }) => ({ bytes, push: push.map((ns) => times * ns) })),
});
