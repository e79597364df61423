/**
 * Tundish: measures a machine, derives communication trees from it, and runs collectives on all its
 * cores.
 *
 * @packageDocumentation
 */

export { profile } from "../microbench/profile.ts";
export type { Profiled, ProfileOptions, Progress } from "../microbench/types.ts";
export type { RepairOptions, TreeChange } from "../trees/change.ts";
export { generateTrees } from "../trees/generate.ts";
export { type TreeEdge, type TreeFacts, type TreeGraph, type TreeNode, toGraph } from "../trees/graph.ts";
export { type Large, type LargeAlgorithm, type LargeOptions, largeMessages } from "../trees/large.ts";
export { treeLatency } from "../trees/latency.ts";
export { generateNodesTrees, type Network, type NodesOptions, type NodesTrees } from "../trees/nodes.ts";
export type { TreeOptions } from "../trees/options.ts";
export { type RepairedTree, repairTree } from "../trees/repair.ts";
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
} from "../trees/types.ts";
export type { CallOptions } from "./collectives/call.ts";
export type { Algorithm as CollectiveAlgorithm } from "./collectives/calls.ts";
export type { OpFor, Reduced, Reducible } from "./collectives/elements.ts";
export type { Combine, Op, OpFunction } from "./collectives/payload.ts";
export {
  AbortedError,
  EnvironmentError,
  HeapError,
  HwlocError,
  MismatchError,
  ModelError,
  ModuleError,
  NativeError,
  NoHwlocError,
  NoPEError,
  RankLostError,
  TimeoutError,
  TundishError,
  type TundishErrorCode,
  UsageError,
  WorldClosedError,
} from "./errors.ts";
export {
  allgather,
  allgatherAsync,
  allreduce,
  allreduceAsync,
  alltoall,
  alltoallAsync,
  alltoallv,
  alltoallvAsync,
  barrier,
  barrierAsync,
  broadcast,
  broadcastAsync,
  exscan,
  exscanAsync,
  gather,
  gatherAsync,
  reduce,
  reduceAsync,
  scan,
  scanAsync,
  scatter,
  scatterAsync,
} from "./functions.ts";
export type { Gathered, Group, Scattered, TypedArrayConstructor } from "./group.ts";
export type { ForeignMachine } from "./machine/hwloc.ts";
export { parseMachine, readMachine, writeMachine } from "./machine/model.ts";
export { readTopology } from "./machine/topology.ts";
export type {
  Cache,
  Cpu,
  MachineModel,
  MachinePE,
  Matrix,
  Noise,
  NumaNode,
  Topology,
} from "./machine/types.ts";
export type { BigIntArray, NumberArray, ReduceOp, TypedArray } from "./memory/kernels/elements.ts";
export type { GroupOptions, PE } from "./pe.ts";
export { createGroup, type GroupHost, join, type Ticket } from "./world/host.ts";
export { type LaunchOptions, launch, type Run } from "./world/launch.ts";
export type { WorldOptions } from "./world/node.ts";
export { type Main, type Spmd, spmd } from "./world/spmd.ts";
