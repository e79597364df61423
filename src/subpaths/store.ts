/**
 * A replicated key-value store. See docs/store.md.
 *
 * @module tundish/store
 */
export { openStore } from "../pe/agreement.ts";
export type { FsyncPolicy } from "../store/log/options.ts";
export type { StoreOptions } from "../store/options.ts";
export type { Store, StoreWaitOptions } from "../store/store.ts";
export type { StoreValue } from "../store/value.ts";
