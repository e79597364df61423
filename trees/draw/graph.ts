/**
 * A tree as a graph of the graphology library, with its schedule as attributes, for the traversals, metrics, layouts
 * and exports of other packages.
 *
 * Limits: the library is loaded at the first call; programs and threads without one never load it.
 *
 * Example: send 2, receive 3 everywhere, 0: 1, 2. Nodes "0" (at 0), "1" (at 5), "2" (at 7); edges "0->1" (order
 * 1, start 0, end 2, seen 5) and "0->2" (order 2, start 2, end 4, seen 7).
 */
import type { DirectedGraph } from "graphology";
import { graphology } from "../../src/ground/base/graphology.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Algorithm, Operation, Tree } from "../model/tree.ts";
import { schedule } from "./schedule.ts";

/** Attributes of a node, that is, a PE; times in the unit of the model. */
export type TreeNode = {
  /** Its number in the model; the key of the node is the same as a string. */
  pe: number;
  /** 0 for the root. */
  level: number;
  /** null for the root. */
  parent: number | null;
  /** Its domain at the preferred level, from 0. */
  domain: number;
  /** Its domain at every level that is known, the preferred one first. */
  domains: number[];
  /** When it has the message (broadcast) or the values of its subtree (reduce). */
  at: number;
  /** How many messages it sends. */
  sends: number;
};

/** Attributes of an edge, that is, a message; times in the unit of the model. */
export type TreeEdge = {
  /** Position of the child among its parent's children, from 1. */
  order: number;
  /** The sender is busy from `start` to `end`. */
  start: number;
  end: number;
  /** The time when the receiver has it. */
  seen: number;
};

/** Attributes of the graph. */
export type TreeFacts = {
  /** Name of the machine model. */
  machine: string;
  unit: "ns" | "cycles";
  operation: Operation;
  algorithm: Algorithm;
  /** Model latency of the operation on this machine. */
  latency: number;
  root: number;
};

/** A tree as a directed graph of graphology. */
export type TreeGraph = DirectedGraph<TreeNode, TreeEdge, TreeFacts>;

/**
 * Makes a directed graph of a tree: a node for each PE, with the PE number as its key; an edge for each message in its
 * direction, from parent to child in a broadcast and from child to parent in a reduction. Nodes are in the order of an
 * outline, each PE before those below it.
 *
 * @throws UsageError unless `tree` is a tree over PEs of the model
 */
export function toGraph(tree: Tree, machine: MachineModel, operation: Operation = "broadcast"): TreeGraph {
  const rows = schedule(tree, machine, operation);
  const graph: TreeGraph = new (graphology().DirectedGraph)<TreeNode, TreeEdge, TreeFacts>();
  const { algorithm, root } = tree;
  const latency = Math.max(...rows.map(({ at }) => at));
  graph.replaceAttributes({ machine: machine.name, unit: machine.unit, operation, algorithm, latency, root });
  for (const { pe, level, parent, domains, at, sends } of rows) {
    const domain = domains[0] as number;
    graph.addNode(pe, { pe, level, parent, domain, domains: [...domains], at, sends: sends.length });
  }
  const place = new Map(rows.map((row) => [row.pe, row.place]));
  for (const { pe, sends } of rows) {
    for (const { to, start, end, seen } of sends) {
      const order = place.get(operation === "broadcast" ? to : pe) as number;
      graph.addDirectedEdgeWithKey(`${pe}->${to}`, pe, to, { order, start, end, seen });
    }
  }
  return graph;
}
