/**
 * The latency model: the time of an operation on a tree, by the machine model.
 *
 * Broadcast: a PE that has the message sends it to its children in order. Sends of one PE follow one
 * another, different PEs work at the same time:
 *
 *     lat(root) = 0
 *     lat(k-th child c of p) = lat(p) + relay[p] + sum_{i<=k} send[p][c_i] + propagate[p][c] + receive[p][c]
 *
 * where relay[root] is 0: what forwarding takes beyond the costs of pairs, measured by chains of three PEs.
 *
 * Reduction: leaves start at 0. A PE that has the values of all its children sends to its parent.
 * The parent's receives are serialised in the order of arrival; between the last one and its own send it
 * has its relay. That order is the best one, so the reduction takes as long as the broadcast on the
 * mirrored problem with the best child order.
 *
 * Limits: no contention of links, no cost of polling, one message per edge.
 * Source: Smelt (OSDI'16) section 3.1, with t_receive as in its Simulator; propagate is measured by
 * Smelt (round trip) but not used there, and is 0 where a model has none. The relay: ours.
 *
 * Example: send 2, receive 3 everywhere, root 0 with children 1 and 2: 1 has the message at 5,
 * 2 at 7, so the broadcast takes 7. The reduction: both arrive at 2, receives end at 5 and 8. The chain
 * 0, 1, 2 takes 10, and 14 with a relay of 4.
 */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { checkOperation } from "./check-tree.ts";
import { groupCosts } from "./group-costs.ts";
import { membersOn, shapeOver, topDown } from "./shape.ts";
import type { Operation, Shape, Tree, TreeProblem } from "./tree.ts";

/** The times when each member has the message, and from when on it could send to one more. */
export interface BroadcastTimes {
  readonly informed: Float64Array;
  readonly idle: Float64Array;
}

/** Times of a broadcast; members outside the tree have 0. */
export function broadcastTimes(problem: TreeProblem, shape: Shape): BroadcastTimes {
  const { size, send, receive, propagate } = problem;
  const informed = new Float64Array(size);
  const idle = new Float64Array(size);
  for (const parent of topDown(shape)) {
    let clock = (informed[parent] as number) + relayOf(problem, shape.root, parent);
    for (const child of shape.children[parent] as readonly number[]) {
      const edge = parent * size + child;
      clock += send[edge] as number;
      informed[child] = clock + (propagate[edge] as number) + (receive[edge] as number);
    }
    idle[parent] = clock;
  }
  return { informed, idle };
}

/** What a member has between a message and its own first send; after its last receive in a reduction. */
export function relayOf({ relay }: Pick<TreeProblem, "relay">, root: number, member: number): number {
  return member === root ? 0 : (relay[member] as number);
}

/** Time until the last member has the message. */
export function broadcastLatency(problem: TreeProblem, shape: Shape): number {
  return largest(broadcastTimes(problem, shape).informed);
}

/** When each member has the values of its subtree and sends them, and its parent begins and ends to receive them. */
export interface ReduceTimes {
  readonly complete: Float64Array;
  readonly ready: Float64Array;
  readonly taken: Float64Array;
  readonly seen: Float64Array;
}

/** The times when each member has the values of its whole subtree; members outside the tree have 0. */
export function reduceTimes(problem: TreeProblem, shape: Shape): Float64Array {
  return reduceTimeline(problem, shape).complete;
}

/** Times of a reduction; members outside the tree have 0, and so has the root for its send. */
export function reduceTimeline(problem: TreeProblem, shape: Shape): ReduceTimes {
  const { size, send, receive, propagate } = problem;
  const complete = new Float64Array(size);
  const ready = new Float64Array(size);
  const taken = new Float64Array(size);
  const seen = new Float64Array(size);
  for (const parent of topDown(shape).reverse()) {
    const arrivals = (shape.children[parent] as readonly number[]).map((child) => {
      const edge = child * size + parent;
      return {
        child,
        at: (ready[child] as number) + (send[edge] as number) + (propagate[edge] as number),
        busy: receive[edge] as number,
      };
    });
    arrivals.sort((a, b) => a.at - b.at);
    let clock = 0;
    for (const { child, at, busy } of arrivals) {
      taken[child] = Math.max(clock, at);
      clock = Math.max(clock, at) + busy;
      seen[child] = clock;
    }
    complete[parent] = clock;
    ready[parent] = clock + (arrivals.length > 0 ? relayOf(problem, shape.root, parent) : 0);
  }
  return { complete, ready, taken, seen };
}

/** Time until the root has the values of all members. */
export function reduceLatency(problem: TreeProblem, shape: Shape): number {
  return reduceTimes(problem, shape)[shape.root] as number;
}

/** Latency of one operation on a shape. */
export function latencyOf(problem: TreeProblem, shape: Shape, operation: Operation): number {
  return operation === "broadcast" ? broadcastLatency(problem, shape) : reduceLatency(problem, shape);
}

/**
 * Model latency of a tree on a machine, in the unit of the model.
 *
 * @param operation the use of the tree; `broadcast` by default
 * @throws UsageError unless `tree` is a tree over PEs of the model; ModelError for an invalid model
 */
export function treeLatency(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): number {
  const members = membersOn(tree, machine);
  checkOperation(operation);
  return latencyOn(machine, members, tree, operation);
}

/** As {@link treeLatency}, for a checked tree and machine. */
export function latencyOn(machine: MachineModel, members: readonly number[], tree: Tree, operation: Operation): number {
  const costs = groupCosts(machine, members);
  return latencyOf(costs, shapeOver(costs, tree), operation);
}

function largest(values: Float64Array): number {
  let max = 0;
  for (const value of values) if (value > max) max = value;
  return max;
}
