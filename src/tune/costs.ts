/** The costs that a plan for a world is made with. */
import type { MachineModel } from "../machine/types.ts";
import { costModelOf } from "../plan/machine.ts";
import type { SimulatedNetwork } from "../plan/network.ts";
import type { CostModel } from "../plan/types.ts";

/** With unequal nodes: as if each PE had a node of its own. @param model of node 0, a row for each of its PEs */
export function worldCosts(
  model: MachineModel | null,
  pesOfNode: readonly number[],
  itemBytes: number,
  network?: SimulatedNetwork,
): CostModel {
  const pes = pesOfNode.reduce((sum, one) => sum + one, 0);
  const isEven = pesOfNode.every((one) => one === pesOfNode[0]);
  return isEven
    ? costModelOf(model ?? undefined, { itemBytes, pes, nodes: pesOfNode.length, network })
    : costModelOf(undefined, { itemBytes, pes, nodes: pes, network });
}
