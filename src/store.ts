/**
 * A replicated key-value store. See docs/store.md.
 *
 * @module tundish/store
 */

export type { FsyncPolicy } from "./facilities/store/log/options.ts";
export type { StoreOptions } from "./facilities/store/options.ts";
export type { Store, StoreWaitOptions } from "./facilities/store/store.ts";
export { openStore } from "./facilities/store/stores.ts";
export type { StoreValue } from "./facilities/store/value.ts";
export { CorruptLogError, LogError, LogLockedError } from "./ground/base/errors.ts";
