/**
 * Streams of small items between PEs: conveyors, biconveyors, selectors, calls. See docs/conveyors.md and
 * docs/contract.md.
 *
 * @module tundish/conveyor
 */
export { calls } from "./facilities/calls/call-tables.ts";
export type { Calls } from "./facilities/calls/calls.ts";
export type {
  Call,
  CallAsync,
  CallHandlers,
  CallsOptions,
  CallsStats,
} from "./facilities/calls/handlers.ts";
export type { AccumulateOptions, TableSink } from "./facilities/conveyor/belts/accumulating.ts";
export type { Batch, ReplyBatch } from "./facilities/conveyor/belts/batch.ts";
export type { BiconveyorStats } from "./facilities/conveyor/belts/bi.ts";
export type { ElasticAnswer } from "./facilities/conveyor/belts/elastic-bi.ts";
export type { ElasticBatch } from "./facilities/conveyor/belts/packet-columns.ts";
export type { Answer } from "./facilities/conveyor/belts/rigid-bi.ts";
export type { AnswerAll, AnswersAll } from "./facilities/conveyor/belts/serving-all.ts";
export type { AnswersTable } from "./facilities/conveyor/belts/serving-table.ts";
export type { FieldName } from "./facilities/conveyor/belts/tables.ts";
export { PUT_BACK } from "./facilities/conveyor/codegen/returned.ts";
export {
  biconveyor,
  conveyor,
  elasticBiconveyor,
  elasticConveyor,
  valueConveyor,
} from "./facilities/conveyor/conveyors.ts";
export type { Adapted } from "./facilities/conveyor/engine/adapting.ts";
export type { CauseName } from "./facilities/conveyor/engine/causes.ts";
export type {
  BufferReceived,
  BufferSent,
  Histograms,
  SessionEnded,
} from "./facilities/conveyor/engine/observe.ts";
export type { ConveyorFeatures, Waiting } from "./facilities/conveyor/engine/session.ts";
export type { ConveyorCounts, ConveyorStats } from "./facilities/conveyor/engine/stats.ts";
export type { Answers } from "./facilities/conveyor/front/answer-forms.ts";
export type { AsyncSource } from "./facilities/conveyor/front/async-session.ts";
export type { Biconveyor, ElasticBiconveyor } from "./facilities/conveyor/front/biconveyor.ts";
export type { BatchSink, PushedColumns } from "./facilities/conveyor/front/bulk.ts";
export type { Conveyor } from "./facilities/conveyor/front/conveyor.ts";
export type { ElasticConveyor } from "./facilities/conveyor/front/elastic-conveyor.ts";
export type { BiconveyorOptions } from "./facilities/conveyor/front/make-conveyor.ts";
export type {
  ArrayValueOptions,
  SerializedOptions,
  SerializePair,
  ValueOptions,
} from "./facilities/conveyor/front/make-values.ts";
export type { RunOptions } from "./facilities/conveyor/front/quiet-session.ts";
export type { Source } from "./facilities/conveyor/front/run.ts";
export type { ValueConveyor } from "./facilities/conveyor/front/value-conveyor.ts";
export type { TableOp } from "./facilities/conveyor/kernels/tables.ts";
export type {
  Handlers,
  Mailboxes,
  MailboxStats,
  SelectorOptions,
  Send,
  SendAsync,
} from "./facilities/selector/mailboxes.ts";
export type { After } from "./facilities/selector/order.ts";
export type { Selector } from "./facilities/selector/selector.ts";
export { selector } from "./facilities/selector/selectors.ts";
export { IndexRangeError, MisfitError, RigidError } from "./ground/base/errors.ts";
export type { ItemArguments, Pushes } from "./ground/item/arguments.ts";
export type { Columns } from "./ground/item/columns.ts";
export type { ArgumentsOf, Checked, TypedHandler } from "./ground/item/handlers.ts";
export type { Views } from "./ground/item/views.ts";
export type { DiagnosedConveyor } from "./links/diagnose/read.ts";
export { type ConveyorState, DONE, NEAR, OK, type Status } from "./links/status/state.ts";
export type { Codec } from "./route/geometry/codec.ts";
export type {
  ConveyorChoices,
  ConveyorDiscipline,
  ConveyorOptions,
  ConveyorType,
  PlanOfConveyors,
} from "./route/geometry/options.ts";
export type { Sending, SendingOptions } from "./route/geometry/sending.ts";
