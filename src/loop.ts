/**
 * Loops over the PEs of a node: for, reduce, map and scan over indices and arrays, with schedules. See docs/loops.md.
 *
 * @module tundish/loop
 */
export { forEach, forEachAsync, forRange, forRangeAsync } from "./facilities/loop/each.ts";
export { explainLoop } from "./facilities/loop/explain.ts";
export { type MapIntoOptions, type MapOptions, mapEach, mapEachAsync } from "./facilities/loop/map-each.ts";
export type { LoopOp, LoopOptions, LoopSchedule, ReduceOptions, ReducingOptions } from "./facilities/loop/options.ts";
export type { IndexRange, Over } from "./facilities/loop/range.ts";
export { reduceEach, reduceEachAsync } from "./facilities/loop/reduce-each.ts";
export { type ScanOptions, scanEach, scanEachAsync } from "./facilities/loop/scan-each.ts";
export type { Spawn, TaskHandlers } from "./facilities/tasks/table.ts";
export { type Tasks, type TasksStats, tasks } from "./facilities/tasks/tasks.ts";
export type { ArgumentsOf, Checked, TypedHandler } from "./ground/item/handlers.ts";
