/**
 * Data that all PEs of a node see, and what orders its use. See docs/shared.md.
 *
 * @module tundish/shared
 */

export type { SharedOptions } from "./facilities/shared/block.ts";
export { type SharedMatrix, sharedMatrix } from "./facilities/shared/data/matrix.ts";
export { type SharedStructs, type StructView, sharedStructs } from "./facilities/shared/data/structs.ts";
export { LockLostError } from "./facilities/shared/errors.ts";
export type { ConditionVariable } from "./facilities/shared/sync/condition-variable.ts";
export { condition } from "./facilities/shared/sync/condition-variable.ts";
export type { Latch } from "./facilities/shared/sync/latch.ts";
export { latch } from "./facilities/shared/sync/latch.ts";
export type { Hold, Lock, LockOptions } from "./facilities/shared/sync/lock.ts";
export { lock } from "./facilities/shared/sync/lock.ts";
export type { Once } from "./facilities/shared/sync/once.ts";
export { once } from "./facilities/shared/sync/once.ts";
export type { ReadWriteLock } from "./facilities/shared/sync/read-write-lock.ts";
export { rwlock } from "./facilities/shared/sync/read-write-lock.ts";
export type { Semaphore, SemaphoreOptions } from "./facilities/shared/sync/semaphore.ts";
export { semaphore } from "./facilities/shared/sync/semaphore.ts";
export { type SharedCounter, sharedCounter } from "./facilities/shared/tables/counter.ts";
export type { KeyOf, SharedKey, SharedValue } from "./facilities/shared/tables/element.ts";
export { type SharedMap, type SharedMapOptions, sharedMap } from "./facilities/shared/tables/map.ts";
export { type SharedSet, sharedSet } from "./facilities/shared/tables/set.ts";
export type { WaitOptions } from "./ground/wait/options.ts";
