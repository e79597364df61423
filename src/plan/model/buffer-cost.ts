/**
 * The cost of a buffer beside its bytes, on each hop of a conveyor: the time of the PEs that send and receive it, and
 * of the slowest server of the network that it passes; and the switch to the receiver, where PEs share CPUs. alpha of
 * the model of aggregation (aggregation/stream.ts).
 *
 * Example: on one node without a model, 50 ns to send, 50 to receive, 0.6 of a message to return it, and the turns that
 * it takes.
 */

import type { Candidate, CostModel } from "./cost-model.ts";
import { FIT } from "./fit.ts";
import { handlingOf, looksOf } from "./predict.ts";
import { serversFor, slowest } from "./servers.ts";
import { shapeCosts } from "./shape.ts";

type Shape = Pick<Candidate, "hops" | "groupSize" | "mesh">;

/** All PEs of a simulation ask for the same. */
const known = new WeakMap<CostModel, ReturnType<typeof shapeCosts>>();

/** By hop, ns. */
export function bufferCosts(model: CostModel, shape: Shape): number[] {
  const costsOf = known.get(model) ?? shapeCosts(model);
  known.set(model, costsOf);
  const { waking = 0 } = model.costs;
  return costsOf(shape).map((hop) => {
    // one buffer of each PE of a node
    const servers = serversFor(model.network, hop.traffic, 1 / hop.links, 0, FIT.releases);
    return handlingOf(model, hop, 0, FIT) + looksOf(model, hop, FIT) + slowest(servers).time + waking;
  });
}
