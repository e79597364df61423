/**
 * Trees over many nodes of one kind: thousands of PEs without a matrix of all pairs.
 *
 * What: one node is solved by itself; then the others are contracted, what is left is searched, and expanded
 * again (contract.ts).
 *
 * Limits: all nodes are alike and equally far apart. Beyond {@link CONTRACTED} vertices, the search gives way to
 * a greedy broadcast in which every PE that is done with its node sends to the next node.
 * Source: TREES.md part 2, section 9.
 *
 * Example: 2 nodes of 2 PEs, inside 1 + 1, network 10 + 20: 0 sends to 2 (there at 30), then to 1; 2 to 3 (32).
 */

import { UsageError } from "../src/errors.ts";
import type { MachineModel } from "../src/machine/types.ts";
import { checkNames } from "../src/options.ts";
import { searchBroadcast } from "./adaptive.ts";
import { type Children, contractedSize, hangTree, overParts, type Part } from "./contract.ts";
import { sortChildren, timesBelow } from "./edges.ts";
import { checkWhole } from "./options.ts";
import { checkMachine, mirror, treeProblem } from "./problem.ts";
import { type Free, Queue } from "./queue.ts";
import { type Hop, Ranks } from "./ranks.ts";
import type { Tree, TreeProblem } from "./types.ts";

/** What a message between two nodes costs, in the unit of the machine model. */
export interface Network {
  /** Time the sender is busy. */
  readonly send: number;
  /** Time in which neither is busy. @default 0 */
  readonly propagate?: number;
  /** Time the receiver is busy. */
  readonly receive: number;
}

/** Trees over nodes x PEs; rank = node x PEs of a node + PE in the node. */
export interface NodesTrees {
  readonly nodes: number;
  /** PEs of a node. */
  readonly pes: number;
  readonly unit: MachineModel["unit"];
  readonly broadcast: Tree;
  readonly reduce: Tree;
}

/** Options of {@link generateNodesTrees}. */
export interface NodesOptions {
  /** Changes that each search tries. @default by the size */
  readonly moves?: number;
  /** Seed of random numbers. @default 1 */
  readonly seed?: number;
}

/** Vertices of a contracted problem that are searched. */
const CONTRACTED = 1200;

/**
 * Broadcast and reduce trees over `nodes` nodes that are each like the machine.
 * @throws UsageError for a number of nodes or a network that is none; ModelError for costs that are none
 */
export function generateNodesTrees(
  machine: MachineModel,
  nodes: number,
  network: Network,
  options: NodesOptions = {},
): NodesTrees {
  checkMachine(machine);
  check(nodes, network);
  checkNames(options, ["moves", "seed"]);
  checkWhole({ ...options });
  const pes = machine.pes.length;
  const all = machine.pes.map((_, pe) => pe);
  const problem = treeProblem(machine, all, options);
  const { send, receive, propagate = 0 } = network;
  return {
    nodes,
    pes,
    unit: machine.unit,
    broadcast: overNodes(problem, nodes, { send, tail: propagate + receive }),
    reduce: overNodes(mirror(problem), nodes, { send: receive, tail: propagate + send }),
  };
}

function check(nodes: number, network: Network): void {
  if (!(Number.isSafeInteger(nodes) && nodes >= 1)) {
    throw new UsageError(`nodes: expected a whole number >= 1, got ${String(nodes)}.`);
  }
  checkNames(network, ["send", "receive", "propagate"], "network");
  const { send, receive, propagate = 0 } = network;
  for (const [name, time] of Object.entries({ send, receive, propagate })) {
    if (typeof time === "number" && time >= 0 && time <= 1e20) continue;
    throw new UsageError(`network.${name}: expected a number from 0 to 1e20, got ${String(time)}.`);
  }
}

function overNodes(problem: TreeProblem, nodes: number, hop: Hop): Tree {
  const { shape: tree, latency: time } = searchBroadcast(problem);
  const pes = problem.size;
  const parts = Array.from({ length: nodes }, (_, node): Part => {
    const members = Array.from({ length: pes }, (_, pe) => node * pes + pe);
    return { members, tree, latency: time };
  });
  const whole = new Ranks(problem, nodes, hop);
  const { seed, budget, moves } = problem;
  const search = {
    seed,
    budget,
    moves,
    find: (contracted: TreeProblem) => searchBroadcast(contracted).shape,
  };
  const { root, lists } =
    nodes > 1 && contractedSize(parts) <= CONTRACTED
      ? overParts(whole, parts, tree.root, search)
      : greedy(whole, parts);
  const latency = sortChildren(whole, root, lists);
  const kept: Record<string, readonly number[]> = {};
  for (const [rank, list] of lists.entries()) if (list.length > 0) kept[rank] = list;
  return { algorithm: "adaptive", root, children: kept, latency };
}

/** Every PE that is done with its own node sends to the next node that has nothing yet. */
function greedy(whole: Ranks, parts: readonly Part[]): Children {
  const lists: number[][] = Array.from({ length: whole.size }, () => []);
  const [first, ...others] = parts as [Part, ...Part[]];
  const { root } = first.tree;
  hangTree(lists, first);
  // times at which a PE of a node is done, seen from the node's first moment
  const free = timesBelow(whole, root, lists).idle.slice(0, first.members.length);
  const queue: Free[] = Array.from(free, (at, rank) => ({ at, rank }));
  const order = new Queue(queue);
  for (const part of others) {
    const { at, rank } = order.pop();
    const leader = part.members[root] as number;
    (lists[rank] as number[]).push(leader);
    hangTree(lists, part);
    const informed = at + whole.send(rank, leader) + whole.tail(rank, leader);
    order.push({ at: at + whole.send(rank, leader), rank });
    for (const [pe, own] of part.members.entries()) {
      order.push({ at: informed + (free[pe] as number), rank: own });
    }
  }
  return { root, lists };
}
