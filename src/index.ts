/**
 * Tundish: measures a machine, derives communication trees from it, and runs collectives on all its
 * cores.
 *
 * @packageDocumentation
 */

export { profile } from "../microbench/profile.ts";
export type { Profiled, ProfileOptions, Progress } from "../microbench/types.ts";
export type { RepairOptions, TreeChange } from "../trees/change.ts";
export { toDot, toSvg } from "../trees/drawing.ts";
export { generateTrees } from "../trees/generate.ts";
export { type TreeEdge, type TreeFacts, type TreeGraph, type TreeNode, toGraph } from "../trees/graph.ts";
export {
  type Large,
  type LargeAlgorithm,
  type LargeChoice,
  type LargeOptions,
  largeMessages,
} from "../trees/large.ts";
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
export type { Batch, ReplyBatch } from "./conveyor/batch.ts";
export type { BiconveyorStats } from "./conveyor/bi.ts";
export type { Codec } from "./conveyor/codec.ts";
export type { Biconveyor, Conveyor, ElasticBiconveyor, ElasticConveyor } from "./conveyor/conveyor.ts";
export type { AsyncSource } from "./conveyor/drive.ts";
export type { ElasticAnswer } from "./conveyor/elastic-bi.ts";
export type { BiconveyorOptions } from "./conveyor/make.ts";
export type { BufferReceived, BufferSent, Histograms, SessionEnded } from "./conveyor/observe.ts";
export type { ConveyorOptions, ConveyorType } from "./conveyor/options.ts";
export type { Answer } from "./conveyor/rigid-bi.ts";
export type { Source } from "./conveyor/run.ts";
export type { ConveyorFeatures, Waiting } from "./conveyor/session.ts";
export { type ConveyorState, DONE, NEAR, OK, type Status } from "./conveyor/state.ts";
export type { ConveyorCounts, ConveyorStats } from "./conveyor/stats.ts";
export type { Diagnosis } from "./diagnose/diagnose.ts";
export type { DiagnosedConveyor, DiagnosedPE, DiagnosedState } from "./diagnose/read.ts";
export {
  AbortedError,
  EnvironmentError,
  HeapError,
  HwlocError,
  MisfitError,
  MismatchError,
  ModelError,
  ModuleError,
  MpiError,
  NativeError,
  NoHwlocError,
  NoMpiError,
  NoPEError,
  OverflowError,
  RankLostError,
  RankRangeError,
  RigidError,
  StateError,
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
  diagnose,
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
export type { ColumnOf, Columns } from "./item/columns.ts";
export {
  type Bytes,
  bytes,
  type Field,
  type Fields,
  f32,
  f64,
  type ItemArguments,
  type ItemType,
  type ItemValue,
  i8,
  i16,
  i32,
  i64,
  type Scalar,
  type ScalarName,
  type Struct,
  struct,
  u8,
  u16,
  u32,
  u64,
} from "./item/types.ts";
export type { Views } from "./item/views.ts";
export type { ForeignMachine } from "./machine/hwloc.ts";
export type {
  Incast,
  Internode,
  InternodeLine,
  InternodePEs,
  InternodePiece,
  Residual,
} from "./machine/internode.ts";
export { parseMachine, readMachine, writeMachine } from "./machine/model.ts";
export { readTopology } from "./machine/topology.ts";
export type {
  Cache,
  Cpu,
  ItemTimes,
  MachineModel,
  MachinePE,
  Matrix,
  Noise,
  NumaNode,
  Topology,
} from "./machine/types.ts";
export type { BigIntArray, NumberArray, ReduceOp, TypedArray } from "./memory/kernels/elements.ts";
export type { GroupOptions, PE } from "./pe.ts";
export { makePlan, type PlanWorkload } from "./plan/conveyor/make.ts";
export type { ConveyorPlan } from "./plan/conveyor/plan.ts";
export type { HopPrediction, Prediction } from "./plan/conveyor/predict.ts";
export type { Candidate, ConveyorWorkload, Forced } from "./plan/conveyor/types.ts";
export type { After } from "./selector/order.ts";
export type { Selector } from "./selector/selector.ts";
export type {
  Handlers,
  Mailboxes,
  MailboxStats,
  SelectorOptions,
  Send,
  SendAsync,
} from "./selector/types.ts";
export type {
  Advancing,
  SimulatedBiconveyor,
  SimulatedConveyor,
  SimulatedElasticBiconveyor,
  SimulatedElasticConveyor,
} from "./simulate/conveyors.ts";
export type {
  SimulatedCosts,
  SimulatedFault,
  SimulatedNetwork,
  SimulationOptions,
} from "./simulate/options.ts";
export {
  type SimulatedHop,
  type SimulatedPE,
  type SimulatedProgram,
  type SimulatedTraffic,
  type SimulationResult,
  simulate,
} from "./simulate/simulate.ts";
export type { Streams } from "./streams.ts";
export { createGroup, type GroupHost, join, type Ticket } from "./world/host.ts";
export { type LaunchOptions, launch, type Run } from "./world/launch.ts";
export type { WorldOptions } from "./world/node.ts";
export { type Main, type Spmd, spmd } from "./world/spmd.ts";
