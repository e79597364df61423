/** The costs that a plan for a world is made with. */

import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { PE } from "../../pe/pe.ts";
import { seatOf } from "../../pe/seat-of.ts";
import { sitesOf } from "../../pe/sites.ts";
import type { CostModel } from "../../plan/model/cost-model.ts";
import { networkOfModel } from "../../plan/network/measured-network.ts";
import type { SimulatedNetwork } from "../../plan/network/network.ts";
import { networkOf } from "../../plan/network/network-settings.ts";

/**
 * Those that the world's own conveyors are planned with: of several nodes what all have measured.
 * @param network between nodes, instead of what was measured; all of it, but for `like: "measured"`
 */
export function worldCosts(pe: PE, itemBytes: number, network?: SimulatedNetwork): CostModel {
  const seat = seatOf(pe, "tune");
  const { model } = seat;
  // on one node it is checked only
  if (network !== undefined && pe.nodes === 1) networkOf(network, 1, networkOfModel(model as MachineModel));
  return sitesOf(seat).costs(itemBytes, network);
}
