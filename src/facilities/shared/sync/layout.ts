/**
 * Layout of an object that PEs wait for: a head, the set of those that wait, and a slot for each PE of the group.
 *
 *     ┌───────────┬────────────┬────────────┬────────────┬───────────┬────────┐
 *     │ STATE i32 │ WANTED i32 │ PASSED i32 │ STREAK i32 │ VALUE i32 │ unused │  line
 *     ├───────────┴────────────┴────────────┴────────────┴───────────┴────────┤
 *     │ WAITING: a bit for each PE, in 32 words                               │  line
 *     ├───────────┬─────────────┬──────────┬──────────────────────────────────┤
 *     │ TOLD i32  │ AWAITED i32 │ HELD i32 │ unused                           │  line of PE 0; PE 1 …
 *     └───────────┴─────────────┴──────────┴──────────────────────────────────┘
 *     STATE   bit 31 … 10: version   bit 9 … 0: the rank of the owner + 1; 0: nobody
 *
 * STATE is all of a lock (mutex.ts), WANTED is 0 while nobody waits for it. PASSED and STREAK bound unfairness, only
 * the owner writes them. VALUE is what the object counts. A PE spins on TOLD, in a line of its own, which is 1 once it
 * is told to look; AWAITED is 1 while it waits. HELD is what the PE holds: 1 for a reader, the
 * permits of a semaphore; 1 for a PE that a latch blocks.
 */
import { LINE } from "../../../ground/memory/heap-layout.ts";

const LINE_WORDS = LINE / 4;

// words from the start of the object
export const STATE = 0;
export const WANTED = 1;
export const PASSED = 2;
export const STREAK = 3;
export const VALUE = 4;
export const WAITING: number = LINE_WORDS;

// words of a slot
export const TOLD = 0;
export const AWAITED = 1;
export const HELD = 2;

/** Word of a slot. */
export const slotWord = (rank: number): number => (2 + rank) * LINE_WORDS;

/** Bytes of an object of `size` PEs. */
export const syncBytes = (size: number): number => (2 + size) * LINE;

/** The bits of STATE that name the owner; a version is a multiple of {@link VERSION}. */
export const OWNER = 1023;
export const VERSION = 1024;
