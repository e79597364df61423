/** Writes a PE's state into the status area (layout.ts). */

import { CallSite } from "../../ground/base/call-site/call-site.ts";
import type { StatusWriter } from "../transport/contract.ts";
import * as at from "./layout.ts";
import { WaitWriter } from "./waits.ts";

const encoder = new TextEncoder();
const MOST_LOOKS = 16;

/** One PE's part of the area. */
export class PEStatus {
  readonly waits: WaitWriter;
  readonly #i32: Int32Array;
  readonly #u8: Uint8Array;
  readonly #offset: number;
  readonly #rank: number;
  /** How often it looks for the program in a stack: those of timers do not have it. */
  #looks = MOST_LOOKS;

  constructor(i32: Int32Array, u8: Uint8Array, offset: number, rank: number) {
    this.#i32 = i32;
    this.#u8 = u8;
    this.#offset = offset;
    this.#rank = rank;
    this.waits = new WaitWriter(i32, u8, offset, rank);
  }

  /** Notes in which call the program is, when it hears that the world has ended: once, and if the stack tells. */
  noteCaller(): void {
    if (this.#looks === 0) return;
    this.#looks--;
    const { caller } = new CallSite();
    if (caller === null) return;
    this.#looks = 0;
    const word = at.callerAt(this.#offset, this.#rank);
    const text = encoder.encode(`${caller.call}${caller.call === "" ? "" : " "}at ${caller.line}`);
    if (text.length > at.CALLER_BYTES) return;
    this.#u8.set(text, word * 4 + 4);
    // publishes the text: pairs with the load in links/diagnose/callers.ts
    Atomics.store(this.#i32, word, text.length);
  }

  /**
   * Takes a slot for a conveyor.
   * @param id not 0, the same at all PEs of the node
   * @param among the PE's rank in the conveyor, the number of PEs, and the number of those on this node
   */
  slot(
    id: number,
    name: string,
    { rank, size, here }: { readonly rank: number; readonly size: number; readonly here: number },
  ): StatusWriter {
    const i32 = this.#i32;
    for (let slot = 0; slot < at.SLOTS; slot++) {
      const word = at.slotAt(this.#offset, this.#rank, slot);
      if (i32[word + at.ID] !== 0) continue;
      i32.fill(0, word, word + at.NAME / 4);
      const text = encoder.encode(name).subarray(0, at.NAME_BYTES);
      this.#u8.set(text, word * 4 + at.NAME);
      i32[word + at.NAME_LENGTH] = text.length;
      i32[word + at.RANK] = rank;
      i32[word + at.SIZE] = size;
      i32[word + at.HERE] = here;
      i32[word + at.ID] = id;
      return new Slot(i32, word);
    }
    return SILENT;
  }
}

/** Advances between two reads of the clock, as long as advances are frequent: with progress, and without. */
const CLOCK_EVERY = 8;
const IDLE_CLOCK_EVERY = 32;
const QUICK_MS = 20;

/** The slot of one conveyor of one PE. */
class Slot implements StatusWriter {
  readonly #i32: Int32Array;
  readonly #word: number;
  #left = 0;
  /** Progress was made since the last report. */
  #moved = false;
  /** The last advance made no progress; what was told then. */
  #isIdle = false;
  #pulled = 0;
  #waiting = 0;
  #read = 0;

  constructor(i32: Int32Array, word: number) {
    this.#i32 = i32;
    this.#word = word;
  }

  begin(number: number): void {
    this.#i32[this.#word + at.SESSION] = number;
    this.#read = at.clock();
  }

  state(state: number): void {
    const i32 = this.#i32;
    const word = this.#word;
    if (i32[word + at.STATE] === state) return;
    // a small session is over before the clock has gone on; else the next advance corrects it
    const now = this.#read;
    this.#left = 0;
    i32[word + at.STATE] = state;
    i32[word + at.STATE_SINCE] = now;
    i32[word + at.ADVANCED] = now;
    i32[word + at.MOVED] = now;
    i32[word + at.PULLED_AT] = now;
  }

  advance(moved: boolean, pulled: number, unpulls: number, waiting: number): void {
    if (moved) {
      this.#moved = true;
      // what comes now may take longer than turns that wait
      if (this.#left > CLOCK_EVERY) this.#left = CLOCK_EVERY;
    }
    const isNews = !moved && !(this.#isIdle && pulled === this.#pulled && waiting === this.#waiting);
    this.#isIdle = !moved;
    // reading the clock takes as long as a small advance, and V8 makes an object of the time: a PE that spins in
    // advance would fill its memory, and then all PEs wait for the collector
    if (!isNews && --this.#left > 0) return;
    const i32 = this.#i32;
    const word = this.#word;
    const now = at.clock();
    const isQuick = (now - this.#read) >>> 0 < QUICK_MS;
    this.#left = isQuick ? (moved ? CLOCK_EVERY : IDLE_CLOCK_EVERY) : 1;
    this.#read = now;
    this.#pulled = pulled;
    this.#waiting = waiting;
    i32[word + at.ADVANCED] = now;
    // includes progress of the advances since the last read of the clock
    if (this.#moved) i32[word + at.MOVED] = now;
    this.#moved = false;
    if (i32[word + at.PULLED] !== (pulled | 0)) {
      i32[word + at.PULLED] = pulled;
      i32[word + at.PULLED_AT] = now;
    }
    i32[word + at.UNPULLS] = unpulls;
    i32[word + at.WAITING] = waiting;
  }

  arrived(buffers: number): void {
    this.#i32[this.#word + at.ARRIVED] = buffers;
  }

  place(place: number): void {
    this.#i32[this.#word + at.PLACE] = place;
  }

  free(): void {
    this.#i32[this.#word + at.ID] = 0;
  }
}

/** Reports nothing: for the virtual machine, and for conveyors beyond the slots. */
export const SILENT: StatusWriter = {
  begin() {},
  state() {},
  advance() {},
  arrived() {},
  place() {},
  free() {},
};
