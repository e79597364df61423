/**
 * Tundish: worlds of PEs on all cores of one machine or of several; their collectives, conveyors and selectors. Trees,
 * machine models, plans and the simulator have entry points of their own: `tundish/trees`, `tundish/machine`,
 * `tundish/plan`, `tundish/simulate`.
 *
 * @module tundish
 */

export type { Algorithm, Trees } from "../trees/model/types.ts";
export type { AppendBuffer, ArrayOver } from "./append/append-buffer.ts";
export type { AppendRecords, RecordTarget } from "./append/append-records.ts";
export { AppendOverflowError } from "./append/errors.ts";
export type { AppendOptions, AppendTarget, AppendTransport } from "./append/options.ts";
export type { AppendPush } from "./append/push.ts";
export type { Overflow } from "./append/region.ts";
export {
  AbortedError,
  CorruptLogError,
  EnvironmentError,
  HeapError,
  HwlocError,
  IndexRangeError,
  LogError,
  LogLockedError,
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
  PlanError,
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
export type { NeedsArgs } from "./base/options.ts";
export type { AtOnce } from "./base/promise.ts";
export type { Calls } from "./calls/calls.ts";
export type {
  ArgumentsOf,
  Call,
  CallAsync,
  CallHandlers,
  CallsOptions,
  CallsStats,
  Checked,
  TypedHandler,
} from "./calls/types.ts";
export type { CallOptions, PartsOptions, ResultOptions } from "./collectives/calls/call.ts";
export type { Located, Operand, OpFor, Reduced, Reducible } from "./collectives/calls/elements.ts";
export type { Scatterable } from "./collectives/calls/parts.ts";
export type { Algorithm as CollectiveAlgorithm } from "./collectives/team/call-words.ts";
export type { Combine, Op, OpFunction } from "./collectives/team/payload.ts";
export type { AccumulateOptions, TableSink } from "./conveyor/belts/accumulating.ts";
export type { Batch, ReplyBatch } from "./conveyor/belts/batch.ts";
export type { BiconveyorStats } from "./conveyor/belts/bi.ts";
export type { ElasticAnswer } from "./conveyor/belts/elastic-bi.ts";
export type { ElasticBatch } from "./conveyor/belts/packet-columns.ts";
export type { Answer } from "./conveyor/belts/rigid-bi.ts";
export type { AnswerAll, AnswersAll } from "./conveyor/belts/serving-all.ts";
export type { AnswersTable } from "./conveyor/belts/serving-table.ts";
export type { FieldName } from "./conveyor/belts/tables.ts";
export type { Adapted } from "./conveyor/engine/adapting.ts";
export type { CauseName } from "./conveyor/engine/causes.ts";
export type { BufferReceived, BufferSent, Histograms, SessionEnded } from "./conveyor/engine/observe.ts";
export { PUT_BACK } from "./conveyor/engine/returned.ts";
export type { ConveyorFeatures, Waiting } from "./conveyor/engine/session.ts";
export type { ConveyorCounts, ConveyorStats } from "./conveyor/engine/stats.ts";
export type { Answers } from "./conveyor/front/answer-forms.ts";
export type { AsyncSource } from "./conveyor/front/async-session.ts";
export type { Biconveyor, ElasticBiconveyor } from "./conveyor/front/biconveyor.ts";
export type { Conveyor, ElasticConveyor } from "./conveyor/front/conveyor.ts";
export type { BiconveyorOptions } from "./conveyor/front/make.ts";
export type {
  ArrayOptions,
  SerializedOptions,
  SerializePair,
  ValueOptions,
} from "./conveyor/front/make-values.ts";
export type { RunOptions } from "./conveyor/front/quiet-session.ts";
export type { Source } from "./conveyor/front/run.ts";
export type { ValueConveyor } from "./conveyor/front/value-conveyor.ts";
export type { Codec } from "./conveyor/geometry/codec.ts";
export type {
  ConveyorChoices,
  ConveyorDiscipline,
  ConveyorOptions,
  ConveyorType,
  PlanOfConveyors,
} from "./conveyor/geometry/options.ts";
export type { Sending, SendingOptions } from "./conveyor/geometry/sending.ts";
export type { TableOp } from "./conveyor/kernels/tables.ts";
export type { Diagnosis } from "./diagnose/diagnose.ts";
export type { DiagnosedConveyor, DiagnosedPE, DiagnosedWait } from "./diagnose/read.ts";
export type { ItemArguments, Pushes, Takes } from "./item/arguments.ts";
export type { ColumnOf, Columns } from "./item/columns.ts";
export type { FieldNames } from "./item/field-order.ts";
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
} from "./item/types.ts";
export type { Views } from "./item/views.ts";
export { isEntry } from "./launch/entry.ts";
export { createWorld, join, type Ticket, type WorldHost } from "./launch/host.ts";
export { type LaunchArguments, launch } from "./launch/launch.ts";
export { open } from "./launch/open.ts";
export type { MachineModel } from "./machine/types.ts";
export type { BigIntArray, NumberArray, ReduceOp, TypedArray } from "./memory/kernels/elements.ts";
export type { LocOp } from "./memory/kernels/locations.ts";
export type { OrderedBroadcast } from "./ordered-broadcast/bytes.ts";
export type { OrderedItems } from "./ordered-broadcast/items.ts";
export type { OrderedBroadcastOptions, OrderedItemsOptions } from "./ordered-broadcast/options.ts";
export type { TypedArrayConstructor } from "./pe/arrays.ts";
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
  reduceScatter,
  reduceScatterAsync,
  scan,
  scanAsync,
  scatter,
  scatterAsync,
} from "./pe/functions.ts";
export type { Exchanged, Gathered, Group } from "./pe/group.ts";
export type { GroupOptions, PE } from "./pe/pe.ts";
export type { OpForParts, Scattered } from "./pe/reductions.ts";
export type { ArgsOf, Main, ResultOf, Spmd, SpmdModule } from "./pe/spmd.ts";
export type { ByteChannel } from "./point-to-point/byte-channel.ts";
export type { ItemChannel } from "./point-to-point/item-channel.ts";
export type { Messenger, MessengerOptions } from "./point-to-point/messenger.ts";
export type { ChannelOptions, ItemChannelOptions } from "./point-to-point/options.ts";
export type { Message, MessageFilter } from "./point-to-point/unexpected-messages.ts";
export type { Run } from "./run/handle.ts";
export type { MessageListener } from "./run/jobs.ts";
export type { OpenWorld, WorldRunArguments } from "./run/open-world.ts";
export type {
  LaunchOptions,
  OnLoss,
  OpenOptions,
  PEResourceLimits,
  RunLimitOptions,
  ThreadOptions,
  WorldOptions,
  WorldRunOptions,
} from "./run/options.ts";
export { spmd } from "./run/spmd.ts";
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
export { type ConveyorState, DONE, NEAR, OK, type Status } from "./status/state.ts";
export type { DisciplineCounts } from "./traffic/disciplines/lanes.ts";
export type { Exchange } from "./traffic/exchange.ts";
export type { Chunk, OnChunk } from "./traffic/incoming.ts";
export type { ChunkSent } from "./traffic/observe.ts";
export type {
  DisciplineName,
  ExchangeChoice,
  ExchangeChoices,
  ExchangeLoad,
  ExchangeOptions,
  PlanOfExchanges,
} from "./traffic/options.ts";
export type { ExchangeState, ExchangeStats } from "./traffic/phases.ts";
export type { WaitOptions } from "./wait/options.ts";
