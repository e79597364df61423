/**
 * The bandwidth of nodes by their number, with one, two and three hops: figure 5 of Maley, DeVinney, "Conveyors for
 * Streaming Many-To-Many Communication".
 *
 * Each PE pushes the same number of items to random PEs. The bandwidth of a node is what its PEs push, in bytes, by the
 * time of the session. For each number of nodes and hops the best choice by the model within the budget is taken; its
 * time is predicted, but at least that of the node's bytes at its rate, and simulated where its buffers and the items
 * fit in memory.
 *
 * Limits: random items only, and one network: that of the paper's Cray XC30, 5.01 GB/s out of a node, with the defaults
 * of the simulator for latency and messages. The paper's figure is of an XC40, and its curves are of item sizes.
 */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import type { MachineModel, OpenTimes } from "../../../../src/machine/model/machine-model.ts";
import { planConveyor } from "../../../../src/plan/conveyor/plan.ts";
import type { Candidate } from "../../../../src/plan/model/cost-model.ts";
import { MESSAGE } from "../../../../src/plan/model/shape.ts";
import { networks } from "../../../../src/plan/network/networks.ts";
import { settle } from "../../../../src/running/simulate/options.ts";
import { machineOf } from "./aggregation-run.ts";
import { withOpen } from "./open-curve.ts";
import type { PlanCase } from "./plan-cases.ts";
import { timeOf } from "./plan-run.ts";

/** The drawn case. */
export interface Figure5Options {
  /** PEs of a node. @default 32 */
  readonly nodeSize?: number | undefined;
  /** @default 2048 */
  readonly mostNodes?: number | undefined;
  /** @default 16 */
  readonly itemBytes?: number | undefined;
  /** Items that each PE pushes. @default 1024 */
  readonly load?: number | undefined;
  /** Simulated up to so many PEs, as far as memory allows. @default 1024 */
  readonly mostSimulated?: number | undefined;
  /** What a push takes more by open buffers. @default nothing */
  readonly open?: OpenTimes | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One number of nodes and hops; bandwidths are GB/s of a node. */
export interface Figure5Point {
  readonly nodes: number;
  readonly pes: number;
  readonly hops: 1 | 2 | 3;
  readonly choice: Candidate;
  readonly predicted: number;
  /** Null where it was not simulated. */
  readonly simulated: number | null;
}

/** The figure: points by nodes, then by hops. */
export interface Figure5 {
  readonly nodeSize: number;
  readonly itemBytes: number;
  readonly load: number;
  readonly points: readonly Figure5Point[];
}

/** Bytes of buffers for each PE, and of all that the simulator may have. */
const BUDGET = 2 ** 24;
const MOST_MEMORY = 2 ** 30;
/** Items of all PEs that are simulated: some minutes. */
const MOST_ITEMS = 2 ** 21;

/** Predicts and simulates all points. */
export async function figure5(options: Figure5Options = {}): Promise<Figure5> {
  const { nodeSize = 32, mostNodes = 2048, itemBytes = 16, load = 1024, mostSimulated = 1024 } = options;
  const { open, onProgress, signal } = options;
  const machine = open && machineWith(open, nodeSize);
  const points: Figure5Point[] = [];
  const steps = Math.floor(Math.log2(mostNodes));
  for (let nodes = 1; nodes <= mostNodes; nodes *= 2) {
    for (const hops of [1, 2, 3] as const) {
      const stage = `${nodes} nodes: ${hops} hop${hops === 1 ? "" : "s"}`;
      onProgress?.({ stage, done: Math.log2(nodes) / (steps + 1) });
      const point = pointOf(nodes * nodeSize, nodes, hops, itemBytes, load, mostSimulated, machine);
      if (point !== null) points.push(point);
      await new Promise(setImmediate); // Ctrl-C
      signal?.throwIfAborted();
    }
  }
  return { nodeSize, itemBytes, load, points };
}

/** As without a model, but for open buffers. */
function machineWith(open: OpenTimes, nodeSize: number): MachineModel {
  const machine = machineOf(nodeSize, MESSAGE, "bench plan --figure");
  return { ...machine, receive: machine.send, items: withOpen(open) };
}

/** Null if a grid with so many hops has no effect. */
function pointOf(
  pes: number,
  nodes: number,
  hops: 1 | 2 | 3,
  itemBytes: number,
  load: number,
  mostSimulated: number,
  machine: MachineModel | undefined,
): Figure5Point | null {
  const options: PlanCase["options"] = { pes, nodes, machine, ...(nodes > 1 ? { network: "xc30" } : {}) };
  const workload = { itemBytes, load, maxBytes: BUDGET };
  const planned = planConveyor(settle(options), workload, { type: "tensor", hops });
  if (planned === null || planned.options.hops !== hops) return null;
  // groups, as no mesh is forced
  const choice = planned.options as Candidate;
  const { expected } = planned;
  const bytes = (pes / nodes) * load * itemBytes;
  // what leaves the node
  const least = nodes === 1 ? 0 : bytes * (1 - 1 / nodes) * (networks.xc30.network.injection?.byte ?? 0);
  const bandwidth = (time: number): number => bytes / time;
  const isSimulated = pes <= mostSimulated && pes * load <= MOST_ITEMS && pes * expected.memory <= MOST_MEMORY;
  const one = { name: "", options, itemBytes, load, maxBytes: BUDGET };
  return {
    nodes,
    pes,
    hops,
    choice,
    predicted: bandwidth(Math.max(expected.time, least)),
    simulated: isSimulated ? bandwidth(timeOf(one, choice)) : null,
  };
}

/**
 * How much of the largest bandwidth of several nodes is lost with all of them, by the model. What stays on a node does
 * not count here: of two nodes it is a half.
 */
export interface Figure5Loss {
  readonly pes: number;
  readonly hops: number;
  /** GB/s out of a node. */
  readonly bandwidth: number;
  readonly most: number;
  readonly mostNodes: number;
  /** 0.3: 30 % less. */
  readonly loss: number;
}

/** The best number of hops at each number of nodes; the last one compared with the best of them. */
export function lossOf({ points }: Figure5): Figure5Loss {
  const over = points
    .filter(({ nodes }) => nodes > 1)
    .map((point) => ({ ...point, predicted: point.predicted * (1 - 1 / point.nodes) }));
  const better = (a: Figure5Point, b: Figure5Point) => (b.predicted > a.predicted ? b : a);
  const last = over.filter(({ nodes }) => nodes === over.at(-1)?.nodes).reduce(better);
  const most = over.reduce(better);
  return {
    pes: last.pes,
    hops: last.hops,
    bandwidth: last.predicted,
    most: most.predicted,
    mostNodes: most.nodes,
    loss: 1 - last.predicted / most.predicted,
  };
}

/** Largest difference of the model from the simulator where both are, relative to the simulator; null where none is. */
export function distanceOf({ points }: Figure5): number | null {
  const distances = points.flatMap(({ predicted, simulated }) =>
    simulated === null ? [] : [Math.abs(predicted / simulated - 1)],
  );
  return distances.length === 0 ? null : Math.max(...distances);
}
