/**
 * Trees over many nodes of one kind: thousands of PEs without a matrix of all pairs.
 *
 * What: one node is solved by itself; then every other node is contracted to two vertices, one that can send
 * and, free of charge behind it, one that stands for the time its own PEs need. What is left, the PEs of the
 * root's node and those vertices, is an ordinary problem: it is searched, and expanded again. So helpers send
 * too: a network send keeps a PE busy for long, and a leader alone would do them one after another.
 *
 * Limits: all nodes are alike and equally far apart. A node that passes the message on is taken to do so
 * without delay to its own PEs; the expansion then gives these sends to the PEs that are free first, and what
 * is reported is the latency of the expanded tree. Beyond {@link CONTRACTED} vertices, the search gives way to a
 * greedy broadcast in which every PE that is done with its node sends to the next node.
 * Source: TREES.md part 2, section 9 (contraction); hierarchical composition with leaders only, as in MPI
 * libraries (HAN), takes twice as long there.
 *
 * Example: 2 nodes of 2 PEs, inside 1 + 1, network 10 + 20: 0 sends to 2 (there at 30), then to 1; 2 to 3 (32).
 */

import { UsageError } from "../src/errors.ts";
import type { MachineModel } from "../src/machine/types.ts";
import { checkNames } from "../src/options.ts";
import { searchBroadcast } from "./adaptive.ts";
import { checkWhole } from "./options.ts";
import { checkMachine, mirror, treeProblem } from "./problem.ts";
import { type Free, Queue } from "./queue.ts";
import { type Children, type Hop, Ranks } from "./ranks.ts";
import type { Shape, Tree, TreeProblem } from "./types.ts";

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
/** More than any path costs; a send that cannot be. */
const NEVER = 1e120;

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
  const inner = searchBroadcast(problem);
  const whole = new Ranks(problem, nodes, hop);
  const children =
    nodes === 1
      ? whole.empty()
      : problem.size + 2 * (nodes - 1) <= CONTRACTED
        ? contracted(problem, nodes, hop, inner.shape, inner.latency, whole)
        : greedy(nodes, inner.shape, whole);
  // the first node of the greedy broadcast, and all others of any, run the inner tree
  const root = nodes === 1 || children.root < 0 ? inner.shape.root : children.root;
  if (nodes === 1) whole.copyInner(children.lists, inner.shape, 0);
  const latency = whole.sort(root, children.lists);
  const kept: Record<string, readonly number[]> = {};
  for (const [rank, list] of children.lists.entries()) if (list.length > 0) kept[rank] = list;
  return { algorithm: "adaptive", root, children: kept, latency };
}

/** Searches the contracted problem and expands what it finds. */
function contracted(
  problem: TreeProblem,
  nodes: number,
  hop: Hop,
  inner: Shape,
  innerTime: number,
  whole: Ranks,
): Children {
  const { size: pes } = problem;
  const found = searchBroadcast(contract(problem, nodes, hop, inner.root, innerTime)).shape;
  const { lists } = whole.empty();
  const isNode = (v: number): boolean => v >= pes && v < pes + nodes - 1;
  const leader = (v: number): number => (v < pes ? v : (v - pes + 1) * pes + inner.root);
  const relays: { from: number; to: number }[] = [];
  for (const [v, list] of found.children.entries()) {
    for (const child of list) {
      if (child >= pes + nodes - 1) continue;
      if (isNode(v)) relays.push({ from: v, to: child });
      else (lists[leader(v)] as number[]).push(leader(child));
    }
  }
  for (let node = 1; node < nodes; node++) whole.copyInner(lists, inner, node);
  // who passes on: in each node, whoever is free first
  for (const { from, to } of relays) {
    const first = (from - pes + 1) * pes;
    const { idle } = whole.times(leader(from), lists);
    let best = first;
    for (let pe = first; pe < first + pes; pe++) if ((idle[pe] as number) < (idle[best] as number)) best = pe;
    (lists[best] as number[]).push(leader(to));
  }
  return { root: found.root, lists };
}

/** The PEs of the root's node, `root` among them, a vertex for each other node, and behind each of these one for its own PEs. */
function contract(
  problem: TreeProblem,
  nodes: number,
  hop: Hop,
  root: number,
  innerTime: number,
): TreeProblem {
  const { size: pes } = problem;
  const others = nodes - 1;
  const size = pes + 2 * others;
  const send = new Float64Array(size * size).fill(NEVER);
  const receive = new Float64Array(size * size);
  const propagate = new Float64Array(size * size);
  for (let v = 0; v < pes + others; v++) {
    for (let to = 0; to < pes + others; to++) {
      if (v === to) continue;
      const edge = v * size + to;
      if (v < pes && to < pes) {
        send[edge] = problem.send[v * pes + to] as number;
        receive[edge] = problem.receive[v * pes + to] as number;
        propagate[edge] = problem.propagate[v * pes + to] as number;
      } else if (to >= pes) {
        send[edge] = hop.send;
        receive[edge] = hop.tail;
      }
    }
    if (v >= pes) {
      send[v * size + v + others] = 0;
      receive[v * size + v + others] = innerTime;
    }
  }
  // each node and its own PEs are a domain, which the look ahead of ECEF makes use of
  const domain = Int32Array.from({ length: size }, (_, v) => (v < pes ? 0 : 1 + ((v - pes) % others)));
  const members = Array.from({ length: size }, (_, v) => v);
  return {
    ...problem,
    size,
    cores: members,
    order: members,
    canonical: members,
    send,
    receive,
    propagate,
    root,
    domains: [domain],
  };
}

/** Every PE that is done with its own node sends to the next node that has nothing yet. */
function greedy(nodes: number, inner: Shape, whole: Ranks): Children {
  const { lists } = whole.empty();
  const { pes } = whole;
  whole.copyInner(lists, inner, 0);
  const { idle } = whole.times(inner.root, lists);
  const free = idle.slice(0, pes);
  // times at which a PE of a node is done, seen from the node's first moment
  const queue: Free[] = Array.from(free, (at, rank) => ({ at, rank }));
  const order = new Queue(queue);
  for (let node = 1; node < nodes; node++) {
    const { at, rank } = order.pop();
    const leader = node * pes + inner.root;
    (lists[rank] as number[]).push(leader);
    whole.copyInner(lists, inner, node);
    const informed = at + whole.send(rank, leader) + whole.tail(rank, leader);
    order.push({ at: at + whole.send(rank, leader), rank });
    for (let pe = 0; pe < pes; pe++)
      order.push({ at: informed + (free[pe] as number), rank: node * pes + pe });
  }
  return { root: inner.root, lists };
}
