/**
 * Trees over many nodes that are each like a model: the time to derive them, and their distance from the bound.
 *
 * Limits: the network is assumed: 300 ns to send, 1100 ns of propagation, 400 ns to receive, at 3 cycles per ns.
 * Example: a model of 64 PEs and 4096 ranks: 64 nodes.
 */
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import type { Operation } from "../../../../trees/model/tree.ts";
import { generateNodesTrees } from "../../../../trees/nodes/nodes.ts";

/** One operation over all nodes. */
export interface NodesLatency {
  readonly latency: number;
  /** latency / bound - 1 */
  readonly aboveBound: number;
}

/** The result for one model. */
export interface NodesResult extends Readonly<Record<Operation, NodesLatency>> {
  readonly nodes: number;
  readonly ranks: number;
  /** Time to derive the trees. */
  readonly ms: number;
}

const NETWORK = { send: 300, propagate: 1100, receive: 400 };
const CYCLES = 3;

/** Trees over as many nodes as have `ranks` PEs or just fewer, at least one node. */
export function benchNodes(machine: MachineModel, ranks: number, seed: number): NodesResult {
  const nodes = Math.max(1, Math.floor(ranks / machine.pes.length));
  const times = machine.unit === "cycles" ? CYCLES : 1;
  const network = {
    send: times * NETWORK.send,
    propagate: times * NETWORK.propagate,
    receive: times * NETWORK.receive,
  };
  const began = performance.now();
  const { broadcast, reduce, bound } = generateNodesTrees(machine, nodes, network, { seed });
  const ms = performance.now() - began;
  const above = (latency: number, least: number): NodesLatency => ({
    latency,
    aboveBound: latency === least ? 0 : latency / least - 1,
  });
  return {
    nodes,
    ranks: nodes * machine.pes.length,
    broadcast: above(broadcast.latency, bound.broadcast),
    reduce: above(reduce.latency, bound.reduce),
    ms,
  };
}
