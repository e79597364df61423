/**
 * The ranks of a few nodes as one machine with a full cost matrix.
 *
 * Limits: quadratic in the number of ranks. The topology is left out, as the costs show which ranks are near each
 * other. Example: 2 nodes of 1 PE, network 10 + 20: send [[0, 10], [10, 0]], receive [[0, 20], [20, 0]].
 */

import type { MachineModel, Matrix } from "../../src/machine/model/machine-model.ts";
import type { Network } from "./network.ts";

/** One machine of all ranks, node after node; the models must have been checked. */
export function asOneMachine(machines: readonly MachineModel[], network: Network): MachineModel {
  const [first] = machines as readonly [MachineModel, ...MachineModel[]];
  const ranks = machines.flatMap((machine, node) => machine.pes.map((_, pe) => ({ machine, node, pe })));
  const costs = (what: "send" | "receive" | "propagate"): Matrix =>
    ranks.map(({ machine, node, pe: from }, rank) =>
      ranks.map(({ node: other, pe: to }, peer) => {
        if (rank === peer) return 0;
        return node === other ? (machine[what]?.[from]?.[to] ?? 0) : (network[what] ?? 0);
      }),
    );
  return {
    schema: "tundish/machine@1",
    name: `${machines.length} x ${first.name}`,
    source: first.source,
    unit: first.unit,
    measured: first.measured,
    pes: ranks.map((_, rank) => ({ cpu: rank, core: null, numa: null, package: null })),
    send: costs("send"),
    receive: costs("receive"),
    propagate: costs("propagate"),
    relay: ranks.map(({ machine, pe }) => machine.relay?.[pe] ?? 0),
  };
}
