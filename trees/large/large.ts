/**
 * Large messages: which way to broadcast or to reduce to all what is cut into many segments.
 *
 * What: every way is judged for a number of segments, each of which costs what the model says of a message.
 *
 * - a tree, pipelined: its latency for the first segment, then a segment in every period of the busiest PE,
 *   which receives one and sends it to all its children:
 *   latency + (segments - 1) max_v (receive of v + its sends). Trees: the best for one segment, and trees of
 *   few children, which are slow for one segment and quick for many;
 * - two trees (two-trees.ts): each carries half of the segments, and every PE has children in one of them only;
 * - flat: all read the whole message from the root's memory themselves, after its address has been broadcast:
 *   latency + segments x the largest receive. Only where memory is shared;
 * - for an allreduce: a reduction and a broadcast on the same tree, pipelined; or scatter, which on shared
 *   memory reads 2 (n-1)/n of all segments from the others' memory (scatter-reduce.ts).
 *
 * Limits: an estimate; no contention, and no limit of bandwidth beyond what a segment costs. Where memory is
 * shared it is measured instead (`tundish bench crossovers`), and flat and scatter win there.
 * Source: TREES.md part 2, section 8.
 *
 * Example: send 1, receive 1 everywhere, 3 PEs, 100 segments: the chain 2 (first) + 2 + 99 x 2 = 202, the star
 * 3 + 99 x 2 = 201, flat 3 + 100 = 103.
 */

import {
  checkOptions,
  milliseconds,
  oneOf,
  optionsOf,
  truth,
  unchecked,
  whole,
} from "../../src/base/options.ts";
import { PAYLOAD_BYTES } from "../../src/channel/layout.ts";
import type { MachineModel } from "../../src/machine/types.ts";
import { ecef, lookAhead } from "../build/ecef.ts";
import { twoTrees } from "../build/two-trees.ts";
import { checkGroup, type TreeOptions } from "../generate/options.ts";
import { bestOrder } from "../model/child-order.ts";
import { broadcastLatency, reduceLatency } from "../model/latency.ts";
import { checkMachine, mirror, treeProblem } from "../model/problem.ts";
import { treeOf } from "../model/shape.ts";
import type { Large, LargeAlgorithm, LargeChoice, Shape, TreeProblem } from "../model/types.ts";
import { searchBroadcast } from "../search/adaptive.ts";

/** What is to be judged. */
export interface LargeOptions {
  /** Segments of the message, a whole number >= 1. */
  readonly segments: number;
  /** The group: PE numbers of the model. @default all PEs */
  readonly cores?: ArrayLike<number> | undefined;
  /** Where a broadcast begins, and the root of all trees, a member of the group. @default the best root found */
  readonly root?: number | undefined;
  /** @default "broadcast" */
  readonly operation?: "broadcast" | "allreduce";
  /** Whether the PEs can read each other's memory. @default true */
  readonly shared?: boolean;
  /** Changes that the search for the first tree tries. @default by the size of the group */
  readonly moves?: number | undefined;
  /** Time of that search in ms, roughly; the answer then depends on it. @default none: `moves` */
  readonly budget?: number | undefined;
  /** Seed of its random numbers, a whole number >= 0. @default 1 */
  readonly seed?: number | undefined;
}

const LARGE = optionsOf<LargeOptions>(
  {
    segments: whole(1),
    // with the machine: checkGroup
    ...{ cores: unchecked, root: unchecked },
    operation: oneOf(["broadcast", "allreduce"]),
    shared: truth,
    moves: whole(0),
    budget: milliseconds,
    seed: whole(0),
  },
  ["segments"],
);
const CAPS = [1, 2, 3, 4, 8];

/**
 * All ways to move a large message over a machine's PEs, or some of them, the fastest first.
 * @throws UsageError for an option that is wrong; ModelError for a model that is none
 */
export function largeMessages(machine: MachineModel, options: LargeOptions): Large[] {
  checkMachine(machine);
  checkOptions("largeMessages", LARGE, options);
  const { segments, operation = "broadcast", shared = true, moves, budget, seed } = options;
  const group = checkGroup(machine, options);
  const problem = treeProblem(machine, group.cores, { moves, budget, seed, root: group.root });
  const { size } = problem;
  const first = searchBroadcast(problem);
  const { root } = first.shape;
  const look = lookAhead(problem, problem.domains[0] as Int32Array);
  const onTree = (algorithm: LargeAlgorithm, shape: Shape, cap?: number): Large => ({
    algorithm,
    ...(cap !== undefined && { cap }),
    trees: [treeOf(problem, shape, "adaptive", broadcastLatency(problem, shape))],
    latency:
      operation === "broadcast"
        ? pipelined(problem, shape, segments)
        : pipelined(problem, shape, segments) + reduced(problem, shape, segments),
  });
  const ways = [
    onTree("tree", first.shape),
    ...CAPS.filter((cap) => cap < size - 1).map((cap) =>
      onTree("capped", bestOrder(problem, ecef(problem, root, look, cap)).shape, cap),
    ),
  ];
  if (operation === "broadcast" && size > 2) {
    const { shapes, latency } = twoTrees(problem, root, segments);
    const trees = shapes.map((shape) => treeOf(problem, shape, "adaptive", broadcastLatency(problem, shape)));
    ways.push({ algorithm: "two-tree", trees, latency });
  }
  if (shared && operation === "broadcast") {
    ways.push({
      algorithm: "flat",
      trees: [],
      latency: first.latency + segments * dearestRead(problem, root),
    });
  }
  if (shared && operation === "allreduce") {
    const share = (2 * (size - 1)) / size;
    const dearest = Math.max(...problem.order.map((member) => dearestRead(problem, member)));
    // three meetings: all are there, all parts are combined, all have read
    ways.push({ algorithm: "scatter", trees: [], latency: 3 * first.latency + share * segments * dearest });
  }
  return ways.sort((a, b) => a.latency - b.latency);
}

/** What {@link largeChoice} takes beside the bytes; the budget is for both operations together. */
type ChoiceOptions = Pick<TreeOptions, "cores" | "root" | "budget" | "seed"> & {
  readonly shared?: boolean | undefined;
};

/** All ways to broadcast and to reduce to all a message of `bytes` bytes. @throws as {@link largeMessages} */
export function largeChoice(
  machine: MachineModel,
  bytes: number,
  { shared = true, budget, ...rest }: ChoiceOptions,
): LargeChoice {
  const segments = Math.max(1, Math.ceil(bytes / PAYLOAD_BYTES));
  const ways = (operation: "broadcast" | "allreduce") =>
    largeMessages(machine, {
      ...rest,
      ...{ segments, shared, operation, budget: budget === undefined ? undefined : budget / 2 },
    });
  return { bytes, segments, shared, broadcast: ways("broadcast"), allreduce: ways("allreduce") };
}

/** A broadcast of many segments on a tree. */
function pipelined(problem: TreeProblem, shape: Shape, segments: number): number {
  return broadcastLatency(problem, shape) + (segments - 1) * period(problem, shape);
}

/** A reduction of many segments on the same tree, upwards. */
function reduced(problem: TreeProblem, shape: Shape, segments: number): number {
  return reduceLatency(problem, shape) + (segments - 1) * period(mirror(problem), shape);
}

/** Time in which the busiest PE takes a segment and hands it on. */
export function period({ size, send, receive }: TreeProblem, { children }: Shape): number {
  const busy = new Float64Array(size);
  for (const [parent, list] of children.entries()) {
    for (const child of list) {
      busy[parent] = (busy[parent] as number) + (send[parent * size + child] as number);
      busy[child] = (busy[child] as number) + (receive[parent * size + child] as number);
    }
  }
  return busy.reduce((most, time) => Math.max(most, time), 0);
}

/** What the PE that is worst off needs to read a segment of the root's memory. */
function dearestRead({ size, receive }: TreeProblem, root: number): number {
  let most = 0;
  for (let v = 0; v < size; v++) if (v !== root) most = Math.max(most, receive[root * size + v] as number);
  return most;
}
