/**
 * Plans of conveyors (type, hops, groups and buffers) and of exchanges (discipline, bytes of a turn, window and pace),
 * chosen from a machine model and a load; the model of aggregation: whether it is worth it, which buffer, which delay.
 * docs/plan.md. Schedules of exchanges: docs/traffic.md.
 *
 * @module tundish/plan
 */

export {
  type ScheduleEdge,
  type ScheduleFacts,
  type ScheduleGraph,
  type ScheduleNode,
  scheduleGraph,
} from "./facilities/exchange/schedule-graph.ts";
export { PlanError } from "./ground/base/errors.ts";
export type {
  AggregationAnswer,
  AggregationPlan,
  AggregationWorkload,
} from "./plan/aggregation/aggregation-plan.ts";
export { bestBuffer, bestTimeout, bestTimeoutFor } from "./plan/aggregation/best.ts";
export {
  bufferBound,
  fillTimeOf,
  leastBufferFor,
  type UsefulBuffers,
  usefulBuffers,
} from "./plan/aggregation/buffers.ts";
export {
  costOfAggregation,
  costWithoutAggregation,
  gainOfAggregation,
  gainOfBuffer,
  isAggregationWorthIt,
  isBufferWorthIt,
  meanDelayCost,
} from "./plan/aggregation/costs.ts";
export { planAggregation } from "./plan/aggregation/make-aggregation-plan.ts";
export type { AggregatedStream, DelayCost } from "./plan/aggregation/stream.ts";
export { makePlan, type PlanWorkload } from "./plan/conveyor/make-plan.ts";
export type { ConveyorPlan } from "./plan/conveyor/plan.ts";
export {
  type MeasuredChoice,
  type MeasuredConveyor,
  type PlanDocument,
  type PlanDocumentOptions,
  type PlannedConveyor,
  type PlannedExchange,
  type PlanWorld,
  planDocument,
} from "./plan/document/document.ts";
export { formatPlan, readPlan, writePlan } from "./plan/document/file.ts";
export type { Fit } from "./plan/document/fits.ts";
export { parsePlan } from "./plan/document/schema.ts";
export { type ExchangeWorkload, makeExchangePlan } from "./plan/exchange/make-exchange-plan.ts";
export type { ExchangePlan } from "./plan/exchange/plan.ts";
export type { ExchangePrediction } from "./plan/exchange/predict.ts";
export type { Candidate, ConveyorWorkload, Forced, PlannedOptions } from "./plan/model/cost-model.ts";
export type { ConveyorAggregation, HopAggregation } from "./plan/model/delay.ts";
export type { HopPrediction, Prediction } from "./plan/model/predict.ts";
export type { SimulatedCosts } from "./plan/network/cluster.ts";
export type { NetworkLine, SimulatedNetwork } from "./plan/network/network.ts";
export type { SendingOptions } from "./route/geometry/sending.ts";
