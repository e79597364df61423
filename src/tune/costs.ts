/** The costs that a plan for a world is made with. */
import type { PE } from "../pe/pe.ts";
import type { SimulatedNetwork } from "../plan/network.ts";
import { networkOf } from "../plan/network-settings.ts";
import type { CostModel } from "../plan/types.ts";

/**
 * Those that the world's own conveyors are planned with: of several nodes what all have measured.
 * @param network between nodes, instead of what was measured; all of it, but for `like: "measured"` by the model of `pe`
 */
export function worldCosts(pe: PE, itemBytes: number, network?: SimulatedNetwork): CostModel {
  const costs = pe.planCosts(itemBytes);
  if (network === undefined) return costs;
  // on one node it is checked only
  const between = networkOf(network, costs.nodes, pe.model);
  if (costs.nodes === 1) return costs;
  return {
    ...costs,
    network: between,
    countsLastReturns: network.like === "measured",
    measured: ["between nodes: as given"],
  };
}
