/**
 * The deterministic simulator: programs on virtual PEs in virtual time, with the conveyors that run on real ones. See
 * docs/simulate.md.
 *
 * @module tundish/simulate
 */

export type { NeedsArgs } from "./ground/base/options.ts";
export type {
  FatTreeLevel,
  NetworkLine,
  NetworkName,
  NetworkPiece,
  NetworkRate,
  SimulatedNetwork,
  SimulatedTopology,
} from "./plan/network/network.ts";
export { type NamedNetwork, networks } from "./plan/network/networks.ts";
export type { ActiveHandler, ActivePort } from "./running/simulate/active.ts";
export type {
  Advancing,
  SimulatedBiconveyor,
  SimulatedConveyor,
  SimulatedElasticBiconveyor,
  SimulatedElasticConveyor,
  SimulatedValueConveyor,
} from "./running/simulate/conveyors.ts";
export type { SimulatedExchange } from "./running/simulate/exchange.ts";
export type { NetworkUse } from "./running/simulate/network/network.ts";
export type { SimulatedFault, SimulationOptions } from "./running/simulate/options.ts";
export {
  type SimulatedHop,
  type SimulatedPE,
  type SimulatedProgram,
  type SimulatedTraffic,
  type SimulationResult,
  simulate,
} from "./running/simulate/simulate.ts";
export { simulateAsync } from "./running/virtual/simulate-async.ts";
