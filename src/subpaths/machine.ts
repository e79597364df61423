/**
 * The machine: its topology, and the machine model with what messages between its cores cost, measured or read from a file.
 *
 * @module tundish/machine
 */

export type { Profiled, ProfileOptions, Progress } from "../../microbench/pairs/types.ts";
export { profile } from "../../microbench/profile.ts";
export type { ForeignMachine } from "../machine/hwloc.ts";
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
} from "../machine/internode.ts";
export { parseMachine, readMachine, writeMachine } from "../machine/model.ts";
export { readTopology } from "../machine/topology.ts";
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
  Topology,
} from "../machine/types.ts";
