/**
 * The machine: its topology, and the machine model with what messages between its cores cost, measured or read from a
 * file.
 *
 * @module tundish/machine
 */

export type { Profiled, ProfileOptions, Progress } from "../microbench/pairs/profiled.ts";
export { profile } from "../microbench/profile.ts";
export { HwlocError, ModelError, NoHwlocError } from "./ground/base/errors.ts";
export type {
  BulkIncast,
  Incast,
  Internode,
  InternodeLine,
  InternodePEs,
  InternodePiece,
  MpiTime,
  MpiTimes,
  Residual,
} from "./machine/model/internode.ts";
export type {
  BufferTimes,
  Cache,
  Cpu,
  ItemCostTimes,
  ItemTimes,
  MachineModel,
  MachinePE,
  Matrix,
  Noise,
  NumaNode,
  OpenTimes,
  Topology,
} from "./machine/model/machine-model.ts";
export { parseMachine, readMachine, writeMachine } from "./machine/model/model.ts";
export type { ForeignMachine } from "./machine/topology/hwloc.ts";
export { readTopology } from "./machine/topology/topology.ts";
