/**
 * Communication trees: generated from a machine model, judged, repaired, drawn. What they are and how good:
 * docs/trees.md.
 *
 * @module tundish/trees
 */

export { toDot, toSvg } from "../trees/draw/drawing.ts";
export {
  type TreeEdge,
  type TreeFacts,
  type TreeGraph,
  type TreeNode,
  toGraph,
} from "../trees/draw/graph.ts";
export { generateTrees } from "../trees/generate/generate.ts";
export type { TreeOptions } from "../trees/generate/options.ts";
export { treeLatency } from "../trees/model/latency.ts";
export type {
  Algorithm,
  Barrier,
  Baseline,
  BaselineLatencies,
  Contest,
  Contestant,
  DisseminationBarrier,
  Finder,
  HybridBarrier,
  Operation,
  Tree,
  TreeBarrier,
  Trees,
} from "../trees/model/tree.ts";
export type { Network } from "../trees/nodes/network.ts";
export { generateNodesTrees, type NodesOptions, type NodesTrees } from "../trees/nodes/nodes.ts";
export type { RepairOptions, TreeChange } from "../trees/repair/change.ts";
export { type RepairedTree, repairTree } from "../trees/repair/repair.ts";
