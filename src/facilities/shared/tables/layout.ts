/**
 * Layout of a shared map: what its PEs share, and its table, a block of its own that is replaced as the map grows.
 *
 *     ┌──────────────────────────────────────────────────────────┐
 *     │ the mutex of who replaces the table (sync/layout.ts)     │
 *     ├──────────────────────────────────────────────────────────┤
 *     │ the PEs that wait for an entry (sync/layout.ts)          │
 *     ├─────────┬───────────┬─────────────┬──────────────────────┤
 *     │ GEN i32 │ TABLE u32 │ BUDGET i32  │ unused               │  line
 *     ├─────────┼───────────┼─────────────┼──────────────────────┤
 *     │ SEEN    │ COUNT i32 │ unused      │ STAGE                │  lines of PE 0; PE 1 …
 *     └─────────┴───────────┴─────────────┴──────────────────────┘
 *     table   ┌─────────┬─────────┬───────────┬────────────────────┐
 *             │ OLD u32 │ GEN i32 │ SLOTS u32 │ unused             │  line
 *             ├─────────┴─────────┴───────────┴────────────────────┤
 *             │ SLOTS entries: META  u32, key, value               │
 *             └────────────────────────────────────────────────────┘
 *     META    bit 31 … 14: version   13 … 4: owner + 1   3: it is written   2: moved   1, 0: empty, full, deleted
 *
 * GEN counts the tables; it is stored last; in a table it is that of OLD. TABLE and OLD are lines of the heap: the
 * table, and the one before it, which PEs may still read: those whose SEEN is less than GEN. A PE that has seen a table
 * never looks at earlier ones: when all have, those are freed. BUDGET is how many slots new keys may take that no PE
 * has in reserve. COUNT is the entries that a PE has added less those that it has deleted. STAGE is the PE's own: a key
 * and a value for the kernels.
 *
 * Source of the way tables are freed: McKenney, Slingwine, "Read-copy update" (1998), by quiescent states.
 */
import { roundUp } from "../../../ground/item/item-type.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import { syncBytes } from "../sync/layout.ts";

// words of the line that all share
export const GEN = 0;
export const TABLE = 1;
export const BUDGET = 2;
// words of a PE
export const SEEN = 0;
export const COUNT = 1;
// words of a table
export const OLD = 0;
export const OLD_GEN = 1;
export const SLOTS = 2;

/** Bytes from the lines of a PE on. */
export const STAGE = 64;

/** Byte offsets in a map of `size` PEs with stages of so many bytes; the last one is its length. */
export function mapPlaces(
  size: number,
  stageBytes: number,
): Record<"waiting" | "head" | "own" | "each" | "bytes", number> {
  const waiting = syncBytes(size);
  const head = 2 * waiting;
  const own = head + LINE;
  const each = roundUp(STAGE + stageBytes, LINE);
  return { waiting, head, own, each, bytes: own + size * each };
}

/** Bytes of an entry before its key. */
export const META_BYTES = 4;
