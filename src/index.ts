/**
 * Tundish: worlds of PEs on all cores of one machine or of several, and their collectives. What PEs do beside has entry
 * points of its own: `tundish/conveyor`, `tundish/messages`, `tundish/append`, `tundish/exchange`,
 * `tundish/containers`, `tundish/agree`, `tundish/store`; so have trees, machine models, plans and the simulator:
 * `tundish/trees`, `tundish/machine`, `tundish/plan`, `tundish/simulate`.
 *
 * @module tundish
 */

// keeps the real timers of Node.js: the rest is loaded later, when a test may have faked them
import "./ground/base/event-loop/timers.ts";

export type { CallOptions } from "./collectives/calls/call.ts";
export type { Located, Operand, OpFor, Reduced, Reducible } from "./collectives/calls/elements.ts";
export type { PartsOptions, ResultOptions } from "./collectives/calls/into.ts";
export type { Scatterable } from "./collectives/calls/parts.ts";
export type { TypedArrayConstructor } from "./collectives/heap-arrays.ts";
export type { CollectiveAlgorithm } from "./collectives/team/call-words.ts";
export type { Combine, Op, OpFunction } from "./collectives/team/payload.ts";
export {
  AbortedError,
  EnvironmentError,
  HeapError,
  MismatchError,
  ModuleError,
  MpiError,
  NativeError,
  NoMpiError,
  NoPEError,
  OverflowError,
  RankLostError,
  RankRangeError,
  StateError,
  TimeoutError,
  TundishError,
  type TundishErrorCode,
  UsageError,
  WorldClosedError,
} from "./ground/base/errors.ts";
export type { NeedsArgs } from "./ground/base/options.ts";
export type { AtOnce } from "./ground/base/promise.ts";
export {
  type Bytes,
  bytes,
  type Field,
  type Fields,
  f32,
  f64,
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
} from "./ground/item/item-type.ts";
export type { BigIntArray, LocOp, NumberArray, ReduceOp, TypedArray } from "./ground/memory/kernels/elements.ts";
export type { WaitOptions } from "./ground/wait/options.ts";
export type { Diagnosis } from "./links/diagnose/diagnose.ts";
export type { DiagnosedPE, DiagnosedWait } from "./links/diagnose/read.ts";
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
  reduceScatter,
  reduceScatterAsync,
  scan,
  scanAsync,
  scatter,
  scatterAsync,
} from "./pe/functions.ts";
export type { Group } from "./pe/group.ts";
export type { GroupOptions } from "./pe/group-options.ts";
export type { PE } from "./pe/pe.ts";
export type { Exchanged, Gathered, OpForParts, Scattered } from "./pe/results.ts";
export type { ArgsOf, Main, ResultOf, Spmd, SpmdModule } from "./pe/spmd.ts";
export { isEntry } from "./running/launch/entry.ts";
export type { WorldHost } from "./running/launch/host.ts";
export { type LaunchArguments, launch } from "./running/launch/launch.ts";
export { open } from "./running/launch/open.ts";
export type { Ticket } from "./running/launch/ticket.ts";
export { createWorld, join } from "./running/launch/world.ts";
export type { Run } from "./running/run/handle.ts";
export type { MessageListener } from "./running/run/jobs.ts";
export type { OpenWorld, WorldRunArguments } from "./running/run/open-world.ts";
export type {
  LaunchOptions,
  OpenOptions,
  RunLimitOptions,
  ThreadOptions,
  WorldOptions,
  WorldRunOptions,
} from "./running/run/options.ts";
export { spmd } from "./running/run/spmd.ts";
