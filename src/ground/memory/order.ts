/**
 * How words that PEs poll are accessed. On x86 plain stores take effect in the order of the program, and so do plain
 * loads, and no compiler used here reorders them: there a word is published by a plain store, and first looked at by a
 * plain load, as an atomic access is a call in V8, 12 ns. Elsewhere, and with TUNDISH_ORDERED_STORES=off, all are
 * atomic.
 *
 * Further looks are atomic everywhere: at most one in 12 ns. Looking more often takes the cache line away from the PE
 * that is about to write it: a barrier of 67 ns instead of 57.
 */
import { setting } from "../base/settings.ts";

const PROCESSORS = ["x64", "ia32"];

/** Whether plain accesses keep their order. @throws UsageError for a TUNDISH_ORDERED_STORES other than on and off */
export const keepsOrder = (): boolean => setting("orderedStores") === "on" && PROCESSORS.includes(process.arch);
