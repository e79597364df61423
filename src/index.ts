/**
 * Tundish: measures a machine, derives communication trees from it, and runs collectives on all its
 * cores.
 *
 * @packageDocumentation
 */

export type { Profiled, ProfileOptions, Progress } from "../microbench/pairs/types.ts";
export { profile } from "../microbench/profile.ts";
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
export { type LargeOptions, largeMessages } from "../trees/large/large.ts";
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
  Large,
  LargeAlgorithm,
  LargeChoice,
  Operation,
  Tree,
  TreeBarrier,
  Trees,
} from "../trees/model/types.ts";
export type { Network } from "../trees/nodes/network.ts";
export { generateNodesTrees, type NodesOptions, type NodesTrees } from "../trees/nodes/nodes.ts";
export type { RepairOptions, TreeChange } from "../trees/repair/change.ts";
export { type RepairedTree, repairTree } from "../trees/repair/repair.ts";
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
} from "./base/errors.ts";
export type { CallOptions } from "./collectives/calls/call.ts";
export type { OpFor, Reduced, Reducible } from "./collectives/calls/elements.ts";
export type { Algorithm as CollectiveAlgorithm } from "./collectives/team/call-words.ts";
export type { Combine, Op, OpFunction } from "./collectives/team/payload.ts";
export type { Batch, ReplyBatch } from "./conveyor/belts/batch.ts";
export type { BiconveyorStats } from "./conveyor/belts/bi.ts";
export type { ElasticAnswer } from "./conveyor/belts/elastic-bi.ts";
export type { Answer } from "./conveyor/belts/rigid-bi.ts";
export type { BufferReceived, BufferSent, Histograms, SessionEnded } from "./conveyor/engine/observe.ts";
export type { ConveyorFeatures, Waiting } from "./conveyor/engine/session.ts";
export type { ConveyorCounts, ConveyorStats } from "./conveyor/engine/stats.ts";
export type { AsyncSource } from "./conveyor/front/async-session.ts";
export type { Biconveyor, Conveyor, ElasticBiconveyor, ElasticConveyor } from "./conveyor/front/conveyor.ts";
export type { BiconveyorOptions } from "./conveyor/front/make.ts";
export type { Source } from "./conveyor/front/run.ts";
export type { Codec } from "./conveyor/geometry/codec.ts";
export type { ConveyorOptions, ConveyorType } from "./conveyor/geometry/options.ts";
export type { Diagnosis } from "./diagnose/diagnose.ts";
export type { DiagnosedConveyor, DiagnosedPE, DiagnosedState } from "./diagnose/read.ts";
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
export { createGroup, type GroupHost, join, type Ticket } from "./launch/host.ts";
export { type LaunchOptions, launch, type Run } from "./launch/launch.ts";
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
export type { Streams } from "./pe/conveyor-makers.ts";
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
} from "./pe/functions.ts";
export type { Gathered, Group, Scattered, TypedArrayConstructor } from "./pe/group.ts";
export type { GroupOptions, PE } from "./pe/pe.ts";
export { type Main, type Spmd, spmd } from "./pe/spmd.ts";
export type { SimulatedCosts, SimulatedNetwork } from "./plan/cluster.ts";
export { makePlan, type PlanWorkload } from "./plan/make.ts";
export type { ConveyorPlan } from "./plan/plan.ts";
export type { HopPrediction, Prediction } from "./plan/predict.ts";
export type { Candidate, ConveyorWorkload, Forced } from "./plan/types.ts";
export type { WorldOptions } from "./run/node.ts";
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
export type { SimulatedFault, SimulationOptions } from "./simulate/options.ts";
export {
  type SimulatedHop,
  type SimulatedPE,
  type SimulatedProgram,
  type SimulatedTraffic,
  type SimulationResult,
  simulate,
} from "./simulate/simulate.ts";
export { type ConveyorState, DONE, NEAR, OK, type Status } from "./status/state.ts";
