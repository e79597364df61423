/**
 * The registry of a node in its heap (registry.ts).
 *
 *     control   ┌────────────┬─────────────┬─────────────┬────────┬─────────────────────┐
 *               │ LOCK i32   │ FIRST u32   │ NEWS i32    │ unused │ slot of each PE …   │
 *               └────────────┴─────────────┴─────────────┴────────┴─────────────────────┘
 *     entry     ┌──────────┬──────────┬──────────┬──────────────┬──────────┬──────────┬─────────────┬───────────┐
 *               │ NEXT u32 │ KEY0 i32 │ KEY1 i32 │ INSTANCE i32 │ SIZE i32 │ CAME i32 │ ADDRESS u32 │ ORDER i32 │
 *               └──────────┴──────────┴──────────┴──────────────┴──────────┴──────────┴─────────────┴───────────┘
 *     slot      ┌───────────┬──────────┬──────────┬──────────────┬───────────┬────────┐
 *               │ STATE i32 │ KEY0 i32 │ KEY1 i32 │ INSTANCE i32 │ ORDER i32 │ unused │
 *               └───────────┴──────────┴──────────┴──────────────┴───────────┴────────┘
 *
 * NEXT and FIRST are byte offsets of entries, 0 at the end; an entry is a block of its own. NEWS counts the events that
 * waiting PEs poll for. Everything is written by the owner of the lock. A thread that dies all the same while it holds
 * the lock (ground/base/shield.ts, limits) leaves it held; a PE that waits for it gives up after a timeout.
 */
import { LINE } from "../../ground/memory/heap-layout.ts";

// words of the control
export const LOCK = 0;
export const FIRST = 1;
export const NEWS = 2;

// words of an entry
export const NEXT = 0;
// the same words of a slot, whose first word is its state
export const KEY0 = 1;
export const KEY1 = 2;
export const INSTANCE = 3;
export const SIZE = 4;
export const CAME = 5;
export const ADDRESS = 6;
export const ORDER = 7;

// words of a slot
export const STATE = 0;
export const SLOT_ORDER = 4;
export const SLOT_WORDS = 8;

// states of a slot
export const NOTHING = 0;
export const WAITING = 1;
export const REFUSED = 2;

/** Bytes of the registry of a node. */
export const registryBytes = (pes: number): number => LINE + pes * 4 * SLOT_WORDS;
