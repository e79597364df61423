/** Trees over nodes that are each like the machine of a report. */

import type { Network } from "../../../trees/nodes/network.ts";
import { generateNodesTrees, type NodesTrees } from "../../../trees/nodes/nodes.ts";
import { plannable } from "../../machine/model/internode.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { CYCLE_NS } from "../../machine/model/node-costs.ts";
import type { ReportPart, TreesOverNodes } from "./document.ts";
import { nodesOf, type ReportOptions } from "./options.ts";

/** ns: what plans assume where nothing is known, and what then keeps the sender busy. */
const ASSUMED = { alpha: 1500, overhead: 300 };
/** More are searched for minutes, and cannot be drawn. */
const MOST_RANKS = 4096;

/** The part of a report. @throws UsageError for nodes that cannot be */
export function overNodes(options: ReportOptions): ReportPart<TreesOverNodes> {
  const { machine } = options;
  const nodes = nodesOf(options);
  if (nodes === 1) {
    return {
      absent:
        "The model is of one node. Give --nodes for an assumed network, or a model with costs between nodes (tundish profile under mpirun).",
    };
  }
  const ranks = nodes * machine.pes.length;
  if (ranks > MOST_RANKS) {
    return {
      absent: `Trees over ${ranks} PEs are not made for a report: at most ${MOST_RANKS}. Give fewer --nodes.`,
    };
  }
  const network = networkOf(machine);
  const trees: NodesTrees = generateNodesTrees(machine, nodes, network);
  return { network, isOfModel: plannable(machine.internode) !== undefined, trees };
}

/** The costs of a short message between two nodes, in the unit of the model. */
export function networkOf({ internode: measured, unit }: MachineModel): Network {
  const internode = plannable(measured);
  const { alpha } = internode ?? ASSUMED;
  // of a slow library both together may be longer than the whole way
  const busy = Math.min(internode?.pes?.[0]?.overhead ?? ASSUMED.overhead, alpha / 2);
  const scale = unit === "cycles" ? 1 / CYCLE_NS : 1;
  return { send: scale * busy, propagate: scale * (alpha - 2 * busy), receive: scale * busy };
}
