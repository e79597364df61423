/**
 * Trees over many nodes: thousands of PEs without a matrix of all pairs.
 *
 * Each kind of node is solved separately; then all nodes except the root's are contracted, and the contracted problem
 * is searched and expanded again (contraction.ts). Without a given root, the root is in a node that takes longest. Up
 * to {@link MOST_WRITTEN} ranks the matrix of all ranks is searched as well (nodes-matrix.ts), and the better result is
 * kept.
 *
 * Limits: {@link MOST_RANKS} ranks. All nodes are equally far apart. Beyond {@link MOST_WRITTEN} ranks each node is
 * entered once, which costs a third on some machines and far more where the network is cheaper than the node, so a
 * published algorithm may be faster; the barrier is a pair of trees; the bound knows the cheapest edges only
 * (bound-levels.ts). Beyond {@link CONTRACTED} vertices, the search is replaced by a greedy broadcast in which every PE
 * that has finished the sends within its node sends to the next node. Source: ours.
 *
 * Example: 2 nodes of 2 PEs, inside 1 + 1, network 10 + 20: 0 sends to 2 (there at 30), then to 1; 2 to 3 (32).
 */

import { UsageError } from "../../src/ground/base/errors.ts";
import { checkOptions, is, optionsOf, unchecked, whole } from "../../src/ground/base/options.ts";
import { shortText } from "../../src/ground/base/short-text.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { levelBound } from "../bound/bound-levels.ts";
import type { Kind } from "../bound/service-time.ts";
import { treesOf } from "../generate/generate.ts";
import { sortChildren, timesBelow } from "../model/edges.ts";
import { checkMachine, edgeCosts, leastRelay, reversed, treeProblem } from "../model/problem.ts";
import type { Barrier, Tree, TreeProblem, Trees } from "../model/tree.ts";
import { searchBroadcast } from "../search/adaptive.ts";
import type { Candidate } from "../search/candidates.ts";
import { type Children, type ContractedPart, contractedSize, hangTree, overParts } from "../search/contraction.ts";
import { greedySends } from "./greedy.ts";
import type { Network } from "./network.ts";
import { asOneMachine } from "./nodes-matrix.ts";
import { type Hop, Ranks } from "./ranks.ts";

/** Trees over all PEs of all nodes; ranks are consecutive within a node. */
export interface NodesTrees {
  readonly nodes: number;
  /** PEs of a node, of the largest one when they differ. */
  readonly pes: number;
  /** PEs of each node. */
  readonly sizes: readonly number[];
  readonly unit: MachineModel["unit"];
  readonly broadcast: Tree;
  readonly reduce: Tree;
  /** Of any kind up to 256 ranks; beyond, a reduction and a broadcast with one root. */
  readonly barrier: Barrier;
  /** No tree is faster than this. */
  readonly bound: Trees["bound"];
}

/** Options of {@link generateNodesTrees}. */
export interface NodesOptions {
  /** Rank of the root of all trees. @default the best root found */
  readonly root?: number;
  /** Changes that each search tries. @default by the size */
  readonly moves?: number;
  /** Seed of random numbers. @default 1 */
  readonly seed?: number;
}

const cost = is("a number from 0 to 1e20", (x) => typeof x === "number" && x >= 0 && x <= 1e20);
const NETWORK = optionsOf<{ network: Network }>(
  {
    network: optionsOf<Network>({ send: cost, receive: cost, propagate: cost }, ["send", "receive"], "field"),
  },
  ["network"],
);
// the root with the number of ranks: checkRoot
const NODES = optionsOf<NodesOptions>({ root: unchecked, moves: whole(0), seed: whole(0) });

/** Largest number of vertices of a contracted problem that is searched. */
const CONTRACTED = 1200;
/** Largest number of ranks for which the full matrix is searched: two or three seconds. */
const MOST_WRITTEN = 256;
/** Largest number of ranks of all nodes together. */
const MOST_RANKS = 65_536;
/** Changes that its search tries. */
const MOVES = 300_000;
/** Changes for each kind of node: most of the time is spent on the network. */
const KIND_MOVES = 500_000;

/**
 * Broadcast and reduce trees, a barrier and bounds over `nodes` nodes that are each like the machine; or over a list of
 * `nodes` machines, one for each node.
 * @throws UsageError for an invalid number of nodes, network or root, and for more than 65536 ranks; ModelError for
 *   invalid costs
 */
export function generateNodesTrees(
  machine: MachineModel | readonly MachineModel[],
  nodes: number,
  network: Network,
  options: NodesOptions = {},
): NodesTrees {
  const machines = machinesOf(machine, nodes);
  checkOptions("generateNodesTrees", NETWORK, { network });
  checkOptions("generateNodesTrees", NODES, options);
  const { root } = options;
  const sizes = machines.map(({ pes }) => pes.length);
  checkRoot(
    root,
    sizes.reduce((sum, size) => sum + size, 0),
  );
  const byNode = nodeByNode(machines, network, options);
  const isWritten = sizes.reduce((sum, size) => sum + size, 0) <= MOST_WRITTEN;
  const found = isWritten ? better(byNode, treesOf(asOneMachine(machines, network), options)) : byNode;
  const { broadcast, reduce, barrier, bound } = found;
  return {
    nodes,
    pes: Math.max(...sizes),
    sizes,
    unit: (machines[0] as MachineModel).unit,
    broadcast,
    reduce,
    barrier,
    // both bounds are proven; they are summed in another order than the trees
    bound: {
      broadcast: Math.min(broadcast.latency, bound.broadcast),
      reduce: Math.min(reduce.latency, bound.reduce),
    },
  };
}

type Found = Pick<Trees, "broadcast" | "reduce" | "barrier" | "bound">;

function better(one: Found, other: Found): Found {
  const faster = <T extends Tree | Barrier>(a: T, b: T): T => (b.latency < a.latency ? b : a);
  return {
    broadcast: faster(one.broadcast, other.broadcast),
    reduce: faster(one.reduce, other.reduce),
    barrier: faster(one.barrier, other.barrier),
    bound: {
      broadcast: Math.max(one.bound.broadcast, other.bound.broadcast),
      reduce: Math.max(one.bound.reduce, other.bound.reduce),
    },
  };
}

/** Trees that enter each node once. */
function nodeByNode(
  machines: readonly MachineModel[],
  network: Network,
  { root, ...searchBudget }: NodesOptions,
): Found {
  // one problem for each kind of node
  const kinds = new Map(
    [...new Set(machines)].map((kind) => {
      const all = kind.pes.map((_, pe) => pe);
      const problem = treeProblem(kind, all, searchBudget);
      return [kind, { problem, mirrored: reversed(problem) }];
    }),
  );
  const { send, receive, propagate = 0 } = network;
  const there = { send, tail: propagate + receive };
  const back = { send: receive, tail: propagate + send };
  const problems = machines.map((kind) => kinds.get(kind)?.problem as TreeProblem);
  const mirrored = machines.map((kind) => kinds.get(kind)?.mirrored as TreeProblem);
  const broadcast = overNodes(problems, solveKinds(problems), there, root);
  const backwards = solveKinds(mirrored);
  const reduce = overNodes(mirrored, backwards, back, root);
  const beside = reduce.root === broadcast.root ? reduce : overNodes(mirrored, backwards, back, broadcast.root);
  return {
    broadcast,
    // found for the barrier, but it may be faster
    reduce: beside.latency < reduce.latency ? beside : reduce,
    barrier: {
      kind: "tree",
      latency: beside.latency + broadcast.latency,
      root: broadcast.root,
      reduce: beside,
      broadcast,
    },
    bound: { broadcast: boundOf(problems, there), reduce: boundOf(mirrored, back) },
  };
}

function machinesOf(machine: MachineModel | readonly MachineModel[], nodes: number): MachineModel[] {
  if (!(Number.isSafeInteger(nodes) && nodes >= 1)) {
    throw new UsageError(`nodes: expected a whole number >= 1, got ${shortText(nodes)}.`);
  }
  if (!Array.isArray(machine)) {
    checkMachine(machine);
    checkRanks(nodes * machine.pes.length, nodes);
    return Array.from({ length: nodes }, () => machine);
  }
  const machines: readonly MachineModel[] = machine;
  if (machines.length !== nodes) {
    throw new UsageError(
      `nodes: expected ${machines.length}, one for each machine, got ${nodes}. Name a machine for each node, or one for all.`,
    );
  }
  for (const one of machines) checkMachine(one);
  checkRanks(
    machines.reduce((sum, { pes }) => sum + pes.length, 0),
    nodes,
  );
  const units = new Set(machines.map(({ unit }) => unit));
  if (units.size === 1) return [...machines];
  throw new UsageError(`machines: expected one unit for all nodes, got ${[...units].join(" and ")}.`);
}

function checkRanks(ranks: number, nodes: number): void {
  if (ranks <= MOST_RANKS) return;
  throw new UsageError(
    `nodes: expected at most ${MOST_RANKS} ranks on all nodes together, got ${ranks} on ${nodes} nodes. Ask for fewer nodes.`,
  );
}

function checkRoot(root: number | undefined, size: number): void {
  if (root === undefined || (Number.isSafeInteger(root) && root >= 0 && root < size)) return;
  throw new UsageError(`root: expected a rank from 0 to ${size - 1}, got ${shortText(root)}.`);
}

const ofKind = (problem: TreeProblem): TreeProblem => ({ ...problem, moves: problem.moves ?? KIND_MOVES });

/** The tree of each kind of node by itself. */
function solveKinds(problems: readonly TreeProblem[]): Map<TreeProblem, Candidate> {
  return new Map([...new Set(problems)].map((kind) => [kind, searchBroadcast(ofKind(kind))]));
}

function overNodes(
  problems: readonly TreeProblem[],
  solved: ReadonlyMap<TreeProblem, Candidate>,
  hop: Hop,
  root: number | undefined,
): Tree {
  const whole = new Ranks(problems, hop);
  const parts = problems.map((kind, node): ContractedPart => {
    const members = kind.cores.map((_, pe) => whole.first(node) + pe);
    const { shape: tree, latency } = solved.get(kind) as Candidate;
    return { members, tree, latency };
  });
  const home =
    root === undefined
      ? parts.reduce((most, part, i) => (part.latency > (parts[most] as ContractedPart).latency ? i : most), 0)
      : whole.nodeOf(root);
  const own = parts[home] as ContractedPart;
  const problem = problems[home] as TreeProblem;
  const place = root === undefined ? own.tree.root : root - whole.first(home);
  const { shape: tree } =
    place === own.tree.root ? { shape: own.tree } : searchBroadcast({ ...ofKind(problem), root: place });
  const inOrder = [{ ...own, tree }, ...parts.toSpliced(home, 1)];
  const { seed, budget, moves = MOVES } = problem;
  const search = {
    seed,
    budget,
    moves,
    find: (contracted: TreeProblem) => searchBroadcast(contracted).shape,
  };
  const { root: top, lists } =
    parts.length > 1 && contractedSize(inOrder) <= CONTRACTED
      ? overParts(whole, inOrder, place, search)
      : greedy(whole, inOrder, hop);
  const latency = sortChildren(whole, top, lists);
  const kept: Record<string, readonly number[]> = {};
  for (const [rank, list] of lists.entries()) if (list.length > 0) kept[rank] = list;
  return { algorithm: "adaptive", root: top, children: kept, latency };
}

/** Every PE that is done with its own node sends to the next node that has nothing yet (greedy.ts). */
function greedy(whole: Ranks, parts: readonly ContractedPart[], { send, tail }: Hop): Children {
  const lists: number[][] = Array.from({ length: whole.size }, () => []);
  for (const part of parts) hangTree(lists, part);
  const leader = ({ members, tree }: ContractedPart): number => members[tree.root] as number;
  // when the PEs of a node are done is the same for all that have one tree, but for the relay that the root has not
  const known = new Map<ContractedPart["tree"], readonly number[]>();
  const idle = parts.map((part, at) => {
    const isRoot = at === 0;
    const before = isRoot ? undefined : known.get(part.tree);
    if (before !== undefined) return before;
    const times = timesBelow(whole, leader(part), lists, isRoot).idle;
    const own = part.members.map((rank) => times[rank] as number);
    if (!isRoot) known.set(part.tree, own);
    return own;
  });
  for (const { from, place, to } of greedySends(idle, 0, { send, edge: send + tail })) {
    const sender = (parts[from] as ContractedPart).members[place] as number;
    (lists[sender] as number[]).push(leader(parts[to] as ContractedPart));
  }
  return { root: leader(parts[0] as ContractedPart), lists };
}

/** The bound with two kinds of edges: inside a node, as cheap as the cheapest of all nodes, and between nodes. */
function boundOf(problems: readonly TreeProblem[], hop: Hop): number {
  const inside: Kind = { send: Number.POSITIVE_INFINITY, edge: Number.POSITIVE_INFINITY };
  let relay = Number.POSITIVE_INFINITY;
  for (const problem of new Set(problems)) {
    const { size, send } = problem;
    const edge = edgeCosts(problem);
    relay = Math.min(relay, leastRelay(problem));
    for (let at = 0; at < size * size; at++) {
      // not the diagonal
      if (at % (size + 1) === 0) continue;
      inside.send = Math.min(inside.send, send[at] as number);
      inside.edge = Math.min(inside.edge, edge[at] as number);
    }
  }
  const size = problems.reduce((sum, problem) => sum + problem.size, 0);
  const largest = problems.reduce((most, problem) => Math.max(most, problem.size), 0);
  return levelBound(size, largest, inside, { send: hop.send, edge: hop.send + hop.tail }, relay);
}
