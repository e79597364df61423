/** A node's measurements for plans of conveyors over nodes. The nodes tell each other when a world begins. */
import { median } from "../../ground/base/math.ts";
import { type BulkIncast, type Incast, type Internode, type InternodePEs, plannable } from "./internode.ts";
import type { ItemCostTimes, MachineModel } from "./machine-model.ts";

/** Of {@link Internode} what plans need; without the times by size, which would make a long message. */
export interface PlannedInternode extends Pick<Internode, "alpha" | "beta" | "receiver"> {
  readonly pes?: readonly Pick<InternodePEs, "pes" | "pieces" | "gap">[];
  readonly incast?: readonly Incast[];
  readonly bulk?: readonly BulkIncast[];
}

/** The costs that a node knows; cloneable, and JSON. */
export interface NodeCosts {
  /** Where its machine model is from: a file, or the option; null if it has none. */
  readonly source: string | null;
  /** A message between two of its PEs, ns: the medians of what sender and receiver take. */
  readonly near: { readonly send: number; readonly receive: number } | null;
  readonly items: ItemCostTimes | null;
  readonly internode: PlannedInternode | null;
  /** CPUs for its PEs, which take turns if they are more; null if it is not known. */
  readonly cpus: number | null;
}

/** Of a node without a model. */
export const UNKNOWN_COSTS: NodeCosts = {
  source: null,
  near: null,
  items: null,
  internode: null,
  cpus: null,
};
/** Assumed ns per cycle for a model in cycles: a machine at 2.5 GHz. */
export const CYCLE_NS = 0.4;

export function nodeCosts(machine: MachineModel | undefined, source: string): NodeCosts {
  if (machine === undefined) return UNKNOWN_COSTS;
  const { items = null, unit, pes, send, receive } = machine;
  const internode = plannable(machine.internode);
  const scale = unit === "cycles" ? CYCLE_NS : 1;
  const near = (matrix: MachineModel["send"]) =>
    scale * median(matrix.flatMap((row, from) => row.filter((_, to) => to !== from)).sort((a, b) => a - b));
  return {
    source,
    near: send.length < 2 ? null : { send: near(send), receive: near(receive) },
    items,
    internode: internode === undefined ? null : plannedInternode(internode),
    cpus: new Set(pes.map(({ cpu }) => cpu)).size,
  };
}

function plannedInternode({ alpha, beta, receiver, pes, incast, bulk }: Internode): PlannedInternode {
  return {
    alpha,
    beta,
    ...(receiver && { receiver }),
    ...(pes && {
      pes: pes.map(({ pes: count, gap, pieces }) => ({ pes: count, gap, ...(pieces && { pieces }) })),
    }),
    ...(incast && { incast }),
    ...(bulk && { bulk }),
  };
}
