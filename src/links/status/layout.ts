/**
 * The status area: the reported state of every PE, for diagnoses of hangs. A PE writes its own part with plain stores:
 * once in an advance, and when a wait of its has lasted for a while. A reader may see values that are slightly out of
 * date.
 *
 *     PE      ┌──────────┬───────────┬────────────┬──────────┬─────────────────────────────────┐
 *     wait 0  │ KIND i32 │ SINCE u32 │ LENGTH i32 │ RUNS i32 │ ENDED u32 │ … │ WHOM: runs of the ranks that it waits for,
 *             │ MOST_RUNS times: i32, i32                                                       │
 *             ├─────────────────────────────────────────────────────────────────────────────────┤
 *             │ TEXT: the call, UTF-8, LENGTH bytes of TEXT_BYTES                               │
 *             ├─────────────────────────────────────────────────────────────────────────────────┤
 *     wait 1… │                                                                                 │  WAITS in all
 *             ├─────────────────────────────────────────────────────────────────────────────────┤
 *     slot 0  │ a conveyor: the words below, then NAME, UTF-8, NAME_BYTES                        │
 *             ├─────────────────────────────────────────────────────────────────────────────────┤
 *     slot 1… │                                                                                 │  SLOTS in all
 *             ├─────────────────────────────────────────────────────────────────────────────────┤
 *     caller  │ LENGTH i32, then UTF-8: the call of the program in which it heard that the world has ended │
 *             └─────────────────────────────────────────────────────────────────────────────────┘
 *
 * Times are ms of the machine's clock, which never steps, modulo 2^32. KIND is 0 while the other words of a wait are
 * written.
 */
import { machineClock } from "../../ground/base/event-loop/timers.ts";
import { LINE } from "../../ground/memory/heap-layout.ts";

/** Conveyors of a PE that are reported; further ones are not. */
export const SLOTS = 15;
/** Bytes of a slot. */
const SLOT_BYTES: number = 2 * LINE;

/** Waits of a PE that are reported, those of Async calls and the one that blocks its thread; further ones are not. */
export const WAITS = 6;

// words of a wait
export const KIND = 0;
export const SINCE = 1;
export const LENGTH = 2;
export const RUNS = 3;
/** When it ended, if it lingers. */
export const ENDED = 4;
/** The first and the last rank of each run. */
export const WHOM = 6;
export const MOST_RUNS: number = (LINE / 4 - WHOM) / 2;
/** Offset of the text from the start of the wait, bytes. */
export const TEXT: number = LINE;
export const TEXT_BYTES: number = 2 * LINE;
const WAIT_BYTES: number = TEXT + TEXT_BYTES;

// bits of KIND
export const WAITING_NOW = 1;
/** It blocks the thread. */
export const BLOCKS = 2;
/** One of the PEs can end it; else all are needed. */
export const NEEDS_ONE = 4;
/** A collective of the world, or of a group. */
export const IN_WORLD = 8;
export const IN_GROUP = 16;
/**
 * It is over, and was one of many short waits of a call that may go on: the next one is reported when it sleeps. Until
 * {@link LINGER_MS} after ENDED it counts as under way.
 */
export const LINGERS = 32;
export const LINGER_MS = 200;

// words of a slot
/** Identifies the conveyor, the same at all PEs; 0: the slot is free. */
export const ID = 0;
/** This PE's rank in it, and the number of PEs. */
export const RANK = 1;
export const SIZE = 2;
/** A state of links/status/state.ts, as a number. */
export const STATE = 3;
/** Time when the state was entered: the last one that the PE had read from the clock then. */
export const STATE_SINCE = 4;
/** Times of the last advance, and of the last one with progress. */
export const ADVANCED = 5;
export const MOVED = 6;
/** Items in the current buffer that are not pulled yet, -1 if only a pull can end what it shows; buffers behind it. */
export const WAITING = 7;
export const ARRIVED = 8;
/** Items pulled, without those that were put back, and the time when that number last changed. */
export const PULLED = 9;
export const PULLED_AT = 10;
/** Items put back. */
export const UNPULLS = 11;
/** Which of the user's functions runs inside a call of this conveyor. */
export const PLACE = 12;
/** The name of an exchange; one that its user has named is `NAME (exchange)`. All others are of conveyors. */
export const EXCHANGE = "exchange";

/** Bytes of the name. */
export const NAME_LENGTH = 13;
/** PEs of the conveyor on this node. */
export const HERE = 14;
/** Number of its last session, from 1 on; 0 before the first. */
export const SESSION = 15;
/** Offset of the name from the start of the slot, bytes. */
export const NAME: number = LINE;
export const NAME_BYTES: number = LINE;

// PLACE
export const IN_OWN_CODE = 0;
export const IN_SINK = 1;
export const IN_ANSWER = 2;
export const IN_SOURCE = 3;
/** None; and the PE is not done because another mailbox of the selector is not complete. */
export const AWAITING = 4;

const slotsAt: number = WAITS * WAIT_BYTES;
const callerOffset: number = slotsAt + SLOTS * SLOT_BYTES;
/** Bytes of the text. */
export const CALLER_BYTES: number = 2 * LINE - 4;
const bytesPerPE: number = callerOffset + 4 + CALLER_BYTES;

/** Bytes of the area for `pes` PEs. */
export const statusBytes = (pes: number): number => pes * bytesPerPE;

/** Word index of one of a PE's waits. */
export const waitAt = (offset: number, pe: number, wait: number): number =>
  (offset + pe * bytesPerPE + wait * WAIT_BYTES) / 4;

/** Word index of one of its slots. */
export const slotAt = (offset: number, pe: number, slot: number): number =>
  (offset + pe * bytesPerPE + slotsAt + slot * SLOT_BYTES) / 4;

/** Word index of the length of a PE's caller; its text follows. */
export const callerAt = (offset: number, pe: number): number => (offset + pe * bytesPerPE + callerOffset) / 4;

/** The current time as stored in the area. */
export const clock = (): number => machineClock() >>> 0;
