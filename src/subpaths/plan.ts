/**
 * Plans of conveyors: type, hops, groups and buffers, chosen from a machine model and a load. See docs/plan.md.
 *
 * @packageDocumentation
 */

export type { SimulatedCosts } from "../plan/cluster.ts";
export { makePlan, type PlanWorkload } from "../plan/make.ts";
export type { NetworkLine, SimulatedNetwork } from "../plan/network.ts";
export type { ConveyorPlan } from "../plan/plan.ts";
export type { HopPrediction, Prediction } from "../plan/predict.ts";
export type { Candidate, ConveyorWorkload, Forced } from "../plan/types.ts";
