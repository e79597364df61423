/**
 * Loops over PEs, also of several nodes: for, reduce, map and scan over indices and arrays, with schedules. See
 * docs/loops.md.
 *
 * @module tundish/loop
 */

export type {
  LoopOp,
  LoopOptions,
  LoopSchedule,
  OrderedOptions,
  ReduceOptions,
  ReducingOptions,
} from "./facilities/loop/chunks/options.ts";
export { forEachAsync, forRangeAsync } from "./facilities/loop/each.ts";
export { explainLoop } from "./facilities/loop/explain.ts";
export type { FailedIterations } from "./facilities/loop/given.ts";
export { type MapIntoOptions, type MapOptions, mapEachAsync } from "./facilities/loop/map-each.ts";
export type { IndexRange, Over } from "./facilities/loop/range.ts";
export { reduceEachAsync } from "./facilities/loop/reduce-each.ts";
export { type ScanOptions, scanEachAsync } from "./facilities/loop/scan-each.ts";
export { type SingleOptions, single, singleAsync } from "./facilities/loop/single.ts";
export type { Spawn, TaskHandlers } from "./facilities/tasks/table.ts";
export { type Tasks, type TasksStats, tasks } from "./facilities/tasks/tasks.ts";
export type { ArgumentsOf, Checked, TypedHandler } from "./ground/item/handlers.ts";
export { defaultWorld } from "./running/loops/default-world.ts";
export { forEach, forRange, mapEach, reduceEach, scanEach } from "./running/loops/front.ts";
export { functionsOf, type ModuleFunction, type ModuleFunctions } from "./running/loops/functions.ts";
export { share } from "./running/loops/share.ts";
export type {
  ArgsFor,
  ChunkBody,
  ElementBody,
  ForEach,
  ForRange,
  IndexBody,
  MapEach,
  ReduceEach,
  ScanEach,
  WorldForEach,
  WorldForRange,
  WorldLoopArguments,
  WorldLoopOptions,
  WorldMapEach,
  WorldMapIntoOptions,
  WorldReduceEach,
  WorldReduceOptions,
  WorldReducingOptions,
  WorldScanEach,
  WorldScanOptions,
} from "./running/loops/types.ts";
