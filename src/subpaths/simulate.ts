/**
 * The deterministic simulator: programs on virtual PEs in virtual time, with the conveyors that run on real ones. See docs/simulate.md.
 *
 * @module tundish/simulate
 */

export type { NeedsArgs } from "../base/options.ts";
export type {
  FatTreeLevel,
  NetworkLine,
  NetworkName,
  NetworkPiece,
  NetworkRate,
  SimulatedNetwork,
  SimulatedTopology,
} from "../plan/network.ts";
export { type NamedNetwork, networks } from "../plan/networks.ts";
export type { ActiveHandler, ActivePort } from "../simulate/active.ts";
export type {
  Advancing,
  SimulatedBiconveyor,
  SimulatedConveyor,
  SimulatedElasticBiconveyor,
  SimulatedElasticConveyor,
  SimulatedValueConveyor,
} from "../simulate/conveyors.ts";
export type { SimulatedExchange } from "../simulate/exchange.ts";
export type { NetworkUse } from "../simulate/network/network.ts";
export type { SimulatedFault, SimulationOptions } from "../simulate/options.ts";
export {
  type SimulatedHop,
  type SimulatedPE,
  type SimulatedProgram,
  type SimulatedTraffic,
  type SimulationResult,
  simulate,
} from "../simulate/simulate.ts";
export { simulateAsync } from "../virtual/simulate-async.ts";
