/**
 * Tundish: worlds of PEs on all cores of one machine or of several; their collectives, conveyors and selectors. Trees,
 * machine models, plans and the simulator have entry points of their own: `tundish/trees`, `tundish/machine`,
 * `tundish/plan`, `tundish/simulate`.
 *
 * @module tundish
 */

export type { Algorithm, Trees } from "../trees/model/types.ts";
export type { CallOptions, PartsOptions, ResultOptions } from "./collectives/calls/call.ts";
export type { Located, Operand, OpFor, Reduced, Reducible } from "./collectives/calls/elements.ts";
export type { Scatterable } from "./collectives/calls/parts.ts";
export type { Algorithm as CollectiveAlgorithm } from "./collectives/team/call-words.ts";
export type { Combine, Op, OpFunction } from "./collectives/team/payload.ts";
export type { AppendBuffer, ArrayOver } from "./facilities/append/append-buffer.ts";
export type { AppendRecords, RecordTarget } from "./facilities/append/append-records.ts";
export { AppendOverflowError } from "./facilities/append/errors.ts";
export type { AppendOptions, AppendTarget, AppendTransport } from "./facilities/append/options.ts";
export type { AppendPush } from "./facilities/append/push.ts";
export type { Overflow } from "./facilities/append/region.ts";
export type { Calls } from "./facilities/calls/calls.ts";
export type {
  ArgumentsOf,
  Call,
  CallAsync,
  CallHandlers,
  CallsOptions,
  CallsStats,
  Checked,
  TypedHandler,
} from "./facilities/calls/types.ts";
export type { AccumulateOptions, TableSink } from "./facilities/conveyor/belts/accumulating.ts";
export type { Batch, ReplyBatch } from "./facilities/conveyor/belts/batch.ts";
export type { BiconveyorStats } from "./facilities/conveyor/belts/bi.ts";
export type { ElasticAnswer } from "./facilities/conveyor/belts/elastic-bi.ts";
export type { ElasticBatch } from "./facilities/conveyor/belts/packet-columns.ts";
export type { Answer } from "./facilities/conveyor/belts/rigid-bi.ts";
export type { AnswerAll, AnswersAll } from "./facilities/conveyor/belts/serving-all.ts";
export type { AnswersTable } from "./facilities/conveyor/belts/serving-table.ts";
export type { FieldName } from "./facilities/conveyor/belts/tables.ts";
export type { Adapted } from "./facilities/conveyor/engine/adapting.ts";
export type { CauseName } from "./facilities/conveyor/engine/causes.ts";
export type {
  BufferReceived,
  BufferSent,
  Histograms,
  SessionEnded,
} from "./facilities/conveyor/engine/observe.ts";
export { PUT_BACK } from "./facilities/conveyor/engine/returned.ts";
export type { ConveyorFeatures, Waiting } from "./facilities/conveyor/engine/session.ts";
export type { ConveyorCounts, ConveyorStats } from "./facilities/conveyor/engine/stats.ts";
export type { Answers } from "./facilities/conveyor/front/answer-forms.ts";
export type { AsyncSource } from "./facilities/conveyor/front/async-session.ts";
export type { Biconveyor, ElasticBiconveyor } from "./facilities/conveyor/front/biconveyor.ts";
export type { Conveyor, ElasticConveyor } from "./facilities/conveyor/front/conveyor.ts";
export type { BiconveyorOptions } from "./facilities/conveyor/front/make.ts";
export type {
  ArrayOptions,
  SerializedOptions,
  SerializePair,
  ValueOptions,
} from "./facilities/conveyor/front/make-values.ts";
export type { RunOptions } from "./facilities/conveyor/front/quiet-session.ts";
export type { Source } from "./facilities/conveyor/front/run.ts";
export type { ValueConveyor } from "./facilities/conveyor/front/value-conveyor.ts";
export type { TableOp } from "./facilities/conveyor/kernels/tables.ts";
export type { Exchange } from "./facilities/exchange/exchange.ts";
export type { Chunk, OnChunk } from "./facilities/exchange/incoming.ts";
export type { ChunkSent } from "./facilities/exchange/observe.ts";
export type { ExchangeState, ExchangeStats } from "./facilities/exchange/phases.ts";
export type { ByteChannel } from "./facilities/messages/byte-channel.ts";
export type { ItemChannel } from "./facilities/messages/item-channel.ts";
export type { Messenger, MessengerOptions } from "./facilities/messages/messenger.ts";
export type { ChannelOptions, ItemChannelOptions } from "./facilities/messages/options.ts";
export type { OrderedBroadcast } from "./facilities/messages/ordered-broadcast/bytes.ts";
export type { OrderedItems } from "./facilities/messages/ordered-broadcast/items.ts";
export type {
  OrderedBroadcastOptions,
  OrderedItemsOptions,
} from "./facilities/messages/ordered-broadcast/options.ts";
export type { Message, MessageFilter } from "./facilities/messages/unexpected-messages.ts";
export type { After } from "./facilities/selector/order.ts";
export type { Selector } from "./facilities/selector/selector.ts";
export type {
  Handlers,
  Mailboxes,
  MailboxStats,
  SelectorOptions,
  Send,
  SendAsync,
} from "./facilities/selector/types.ts";
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
} from "./ground/base/errors.ts";
export type { NeedsArgs } from "./ground/base/options.ts";
export type { AtOnce } from "./ground/base/promise.ts";
export type { ItemArguments, Pushes, Takes } from "./ground/item/arguments.ts";
export type { ColumnOf, Columns } from "./ground/item/columns.ts";
export type { FieldNames } from "./ground/item/field-order.ts";
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
} from "./ground/item/types.ts";
export type { Views } from "./ground/item/views.ts";
export type { BigIntArray, NumberArray, ReduceOp, TypedArray } from "./ground/memory/kernels/elements.ts";
export type { LocOp } from "./ground/memory/kernels/locations.ts";
export type { WaitOptions } from "./ground/wait/options.ts";
export type { Diagnosis } from "./links/diagnose/diagnose.ts";
export type { DiagnosedConveyor, DiagnosedPE, DiagnosedWait } from "./links/diagnose/read.ts";
export { type ConveyorState, DONE, NEAR, OK, type Status } from "./links/status/state.ts";
export type { MachineModel } from "./machine/model/types.ts";
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
export type { DisciplineCounts } from "./route/disciplines/lanes.ts";
export type {
  DisciplineName,
  ExchangeChoice,
  ExchangeChoices,
  ExchangeLoad,
  ExchangeOptions,
  PlanOfExchanges,
} from "./route/disciplines/options.ts";
export type { Codec } from "./route/geometry/codec.ts";
export type {
  ConveyorChoices,
  ConveyorDiscipline,
  ConveyorOptions,
  ConveyorType,
  PlanOfConveyors,
} from "./route/geometry/options.ts";
export type { Sending, SendingOptions } from "./route/geometry/sending.ts";
export { isEntry } from "./running/launch/entry.ts";
export { createWorld, join, type Ticket, type WorldHost } from "./running/launch/host.ts";
export { type LaunchArguments, launch } from "./running/launch/launch.ts";
export { open } from "./running/launch/open.ts";
export type { Run } from "./running/run/handle.ts";
export type { MessageListener } from "./running/run/jobs.ts";
export type { OpenWorld, WorldRunArguments } from "./running/run/open-world.ts";
export type {
  LaunchOptions,
  OnLoss,
  OpenOptions,
  PEResourceLimits,
  RunLimitOptions,
  ThreadOptions,
  WorldOptions,
  WorldRunOptions,
} from "./running/run/options.ts";
export { spmd } from "./running/run/spmd.ts";
