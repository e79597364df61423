/**
 * The memory of the tasks of a group, in the heap of its node: one block.
 *
 *     control  ┌──────────┬────────┬──────────┬─────────────┬────────┐
 *              │ STOP i32 │ BY i32 │ OVER i32 │ WAITING i32 │ unused │
 *              └──────────┴────────┴──────────┴─────────────┴────────┘
 *     PE 0     ┌─────────┬────────┐
 *              │ TOP i32 │ unused │                              thieves write it
 *              ├─────────┴──┬─────┴───────┬──────────┬────────┐
 *              │ BOTTOM i32 │ SPAWNED u32 │ DONE u32 │ unused │    its owner writes them for each task
 *              ├───────────┬┴───────┬─────┴──────────┴────────┘
 *              │ WAITS i32 │ unused │                              and this one when it waits: others look at it often
 *              ├───────────┴┬───────┴┬─────────────────────────┐
 *              │ NUMBER i32 │ unused │ arguments, 56 bytes     │   task 0, 1 … CAPACITY - 1; the one that has left
 *              └────────────┴────────┴─────────────────────────┘
 *     PE 1 …
 *
 * The tasks from TOP to BOTTOM, both modulo CAPACITY, are still to be run. The owner takes them from BOTTOM, thieves
 * from TOP. NUMBER is that of a handler, whose arguments are an item (codec.ts). The one that has left is a task that
 * the PE has stolen, or for which there was no room, and that it runs now. SPAWNED counts the tasks that the PE has
 * made; DONE those that it has run to their ends, and its sources. WAITS is 1 while the PE waits for tasks.
 *
 * STOP is the number of the last run that was ended early, BY the rank of the PE that has done it; OVER is the number
 * of the last run that is known to be over. WAITING counts the PEs whose WAITS is 1.
 */
import { LINE } from "../../ground/memory/heap-layout.ts";

// bytes from the control line on
export const STOP = 0;
export const OVER = 8;
export const WAITING = 12;

// bytes from what a PE has on
export const TOP = 0;
export const BOTTOM: number = LINE;
export const SPAWNED: number = LINE + 4;
export const DONE: number = LINE + 8;
export const WAITS: number = 2 * LINE;
export const TASKS: number = 3 * LINE;

/** Tasks of a PE that are still to be run: a power of two. One more is run at once. */
export const CAPACITY = 256;
export const TASK_BYTES = 64;
export const ARGUMENTS = 8;
export const MOST_BYTES: number = TASK_BYTES - ARGUMENTS;
/** The one that has left. */
export const LEFT: number = TASKS + CAPACITY * TASK_BYTES;

const PE_BYTES = LEFT + LINE;

/** Bytes from the block on. */
export const placeOf = (pe: number): number => LINE + pe * PE_BYTES;
export const blockBytes = (size: number): number => placeOf(size);
