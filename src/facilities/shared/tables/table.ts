/**
 * The table of a shared map as one PE has it: which one it is now, room for new keys, growth, and entries that another
 * PE has locked. The entries themselves are the kernels' (kernels/assembly/table.ts).
 *
 * Growth: one PE at a time, by a mutex, makes a table of 1.5 times the slots, or of as many where most entries are
 * deleted ones; moves each entry, after which nobody changes it in the old one; and shows the new table. Others read on
 * in the old one meanwhile, and what they find there is true until the new one is shown; who changes something waits. A
 * PE that is lost while it grows the map has changed nothing that others see: the next one begins again.
 */
import { UsageError } from "../../../ground/base/errors.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import { NamedCondition } from "../../../ground/wait/named-condition.ts";
import type { SharedBlock } from "../block.ts";
import { type SharedKernels, sharedKernels } from "../kernels/kernels.ts";
import { blockIn } from "../sync/driver.ts";
import { Mutex } from "../sync/mutex.ts";
import { isGone, WaitingSet } from "../sync/waiting-set.ts";
import { BUDGET, COUNT, GEN, META_BYTES, mapPlaces, OLD, OLD_GEN, SEEN, SLOTS, STAGE, TABLE } from "./layout.ts";

// what kernels return
export const THERE = 1;
export const ADDED = 2;
export const BUSY = -1;
const GROWING = -2;
export const NO_ROOM = -3;

/** Share of the slots that is used at most: linear probing looks at 8.5 slots then for a key that is not there. */
const MOST_FULL = 0.75;
/** Slots that a PE takes in reserve at once, at most. */
const RESERVE = 64;
const LEAST_SLOTS = 16;
/** By halves: of a table that has just grown half of the slots are used, so that an entry takes at most two. */
const GROWTH = 1.5;

/** Bytes of keys and values, and how many entries have room at first. */
export interface Shape {
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly capacity: number;
}

/** Of one PE. */
export class SharedTable {
  /** Byte offsets: of its entries, and of the key in the stage. */
  at = 0;
  slots = 0;
  readonly stage: number;
  readonly me: number;
  /** Slots in reserve for new keys. */
  room = 0;
  readonly kernels: SharedKernels;
  readonly #block: SharedBlock;
  readonly #shape: Shape;
  readonly #i32: Int32Array;
  readonly #mutex: Mutex;
  readonly #waiting: WaitingSet;
  /** Words: of what all share, of PE 0, and how many a PE has. */
  readonly #head: number;
  readonly #first: number;
  readonly #each: number;
  #gen = 0;

  constructor(block: SharedBlock, shape: Shape) {
    const { seat, offset, what } = block;
    const places = mapPlaces(seat.size, stageBytesOf(shape));
    this.#block = block;
    this.#shape = shape;
    this.#i32 = seat.heap.i32;
    this.kernels = sharedKernels(seat.heap.memory);
    this.#mutex = new Mutex(seat, offset, `${what}, which grows`, true);
    this.#waiting = new WaitingSet(seat, (offset + places.waiting) / 4);
    this.#head = (offset + places.head) / 4;
    this.#first = (offset + places.own) / 4;
    this.#each = places.each / 4;
    this.me = seat.rank + 1;
    // behind the key is the value, at a multiple of 8
    const own = offset + places.own + seat.rank * places.each + STAGE;
    this.stage = own + ((8 - (shape.keyBytes % 8)) % 8);
  }

  /** Whether this PE has to {@link refresh} before it uses the table. */
  get isStale(): boolean {
    return this.#i32[this.#head + GEN] !== this.#gen;
  }

  /** Takes the present table. */
  refresh(): void {
    const i32 = this.#i32;
    for (;;) {
      // pairs with the store in #show(): the other words are those of this table, or of a later one
      const gen = Atomics.load(i32, this.#head + GEN);
      if (gen === 0) {
        this.grow();
        continue;
      }
      const line = (i32[this.#head + TABLE] as number) >>> 0;
      // after the last look at earlier tables: pairs with the loads in #freeOld()
      Atomics.store(i32, this.#own(SEEN), gen);
      // this table is not freed from now on, if it was the present one until now
      if (Atomics.load(i32, this.#head + GEN) !== gen) continue;
      this.at = (line + 1) * LINE;
      this.slots = i32[line * (LINE / 4) + SLOTS] as number;
      this.#gen = gen;
      this.room = 0;
      if (this.#mutex.takeAtOnce()) {
        this.#freeOld();
        this.#giveMutex();
      }
      return;
    }
  }

  /** Entries of all PEs. */
  get size(): number {
    let sum = 0;
    for (let one = 0; one < this.#block.seat.size; one++) {
      sum += Atomics.load(this.#i32, this.#first + one * this.#each + COUNT);
    }
    return sum;
  }

  /** Bytes of the present table. */
  get bytes(): number {
    const { keyBytes, valueBytes } = this.#shape;
    return LINE + this.slots * (META_BYTES + keyBytes + valueBytes);
  }

  /** This PE has added so many entries. */
  counted(by: number): void {
    const word = this.#own(COUNT);
    // pairs with the loads in `size`
    Atomics.store(this.#i32, word, (this.#i32[word] as number) + by);
  }

  /** What keeps a kernel from its work is put right, so that it can be called again. @param result of the kernel */
  clear(result: number, call: string): void {
    if (result === BUSY) this.#untilFree(this.kernels.lastEntry(), call);
    else if (result === NO_ROOM) this.#makeRoom();
    else if (result === GROWING) this.grow();
    if (this.isStale) this.refresh();
  }

  /** Tells PEs that wait for an entry that one is free. */
  tellWaiting(): void {
    this.#waiting.tellAll();
  }

  #untilFree(entry: number, call: string): void {
    const { kernels } = this;
    const owner = kernels.ownerOf(entry);
    if (owner === 0) return;
    const { seat, what } = this.#block;
    if (owner === this.me) {
      throw new UsageError(
        `${call}: this PE is in an update of the ${what}, whose function may not change the map. Return the value.`,
      );
    }
    this.#waiting.add();
    try {
      const wait = new EntryWait(what, [seat.members[owner - 1] as number], () => {
        this.#waiting.isTold();
        if (isGone(seat, owner - 1)) kernels.free(entry, owner);
        return kernels.ownerOf(entry) !== owner;
      });
      blockIn(
        this.#block,
        call,
        (function* () {
          yield wait;
        })(),
        undefined,
      );
    } finally {
      this.#waiting.remove();
    }
  }

  /** Takes some slots in reserve; grows if there are none. */
  #makeRoom(): void {
    const i32 = this.#i32;
    const word = this.#head + BUDGET;
    const wanted = Math.max(1, Math.min(RESERVE, this.slots >> 6));
    for (;;) {
      const left = Atomics.load(i32, word);
      if (left <= 0) {
        this.grow();
        return;
      }
      const some = Math.min(left, wanted);
      // pairs with itself at other PEs. Where the table was replaced in between, the slots are those of the next one
      if (Atomics.compareExchange(i32, word, left, left - some) !== left) continue;
      this.room = some;
      return;
    }
  }

  /** Replaces the table, or waits until another PE has. @throws HeapError: nothing is changed then */
  grow(): void {
    const before = this.#gen;
    if (!this.#mutex.takeFree()) blockIn(this.#block, "the growth of the map", this.#mutex.taking("grow"), undefined);
    try {
      if (Atomics.load(this.#i32, this.#head + GEN) === before) this.#replace();
    } finally {
      this.#giveMutex();
    }
  }

  #giveMutex(): void {
    if (!this.#mutex.giveAtOnce()) this.#mutex.give("grow");
  }

  #replace(): void {
    const { heap } = this.#block.seat;
    const { keyBytes, valueBytes, capacity } = this.#shape;
    const i32 = this.#i32;
    const isFirst = this.#gen === 0;
    const first = Math.max(LEAST_SLOTS, Math.ceil(capacity / MOST_FULL));
    // where most entries are deleted ones, they make room
    const isFull = this.size > this.slots * MOST_FULL * 0.7;
    const slots = isFirst ? first : Math.ceil(this.slots * (isFull ? GROWTH : 1));
    const bytes = LINE + slots * (META_BYTES + keyBytes + valueBytes);
    const next = heap.allocate(bytes, {
      what: `${this.#block.what} of ${slots} slots`,
      lower: () => "Make it with a smaller type, or delete entries.",
    });
    const moved = isFirst ? 0 : this.#moveTo(next + LINE, slots);
    i32[next / 4 + OLD] = isFirst ? 0 : this.at / LINE - 1;
    i32[next / 4 + OLD_GEN] = this.#gen;
    i32[next / 4 + SLOTS] = slots;
    Atomics.store(i32, this.#head + BUDGET, Math.floor(slots * MOST_FULL) - moved);
    i32[this.#head + TABLE] = next / LINE;
    // publishes the table: pairs with the loads in refresh() and isStale
    Atomics.store(i32, this.#head + GEN, this.#gen + 1);
    if (!isFirst) this.#freeOld();
  }

  /** @returns how many entries were moved */
  #moveTo(next: number, nextSlots: number): number {
    const { keyBytes, valueBytes } = this.#shape;
    const { slots } = this;
    for (let slot = 0; ; ) {
      slot = this.kernels.moveTo(this.at, slots, slot, next, nextSlots, keyBytes, valueBytes);
      if (slot === slots) return this.kernels.movedEntries();
      this.#untilFree(this.kernels.lastEntry(), "the growth of the map");
    }
  }

  /** Frees tables that no PE reads any more. This PE has the mutex. */
  #freeOld(): void {
    const { seat } = this.#block;
    const i32 = this.#i32;
    let least = Atomics.load(i32, this.#head + GEN);
    for (let one = 0; one < seat.size; one++) {
      if (isGone(seat, one)) continue;
      // pairs with the store in refresh(). One that has seen none begins with the present one
      const seen = Atomics.load(i32, this.#first + one * this.#each + SEEN);
      if (seen > 0) least = Math.min(least, seen);
    }
    this.#freeBehind(((i32[this.#head + TABLE] as number) >>> 0) * (LINE / 4), least);
  }

  /** Frees the tables before the one at a word, of generations before `least`. */
  #freeBehind(table: number, least: number): void {
    const { heap } = this.#block.seat;
    const i32 = this.#i32;
    for (let at = table; ; ) {
      const old = (i32[at + OLD] as number) >>> 0;
      if (old === 0) return;
      const word = old * (LINE / 4);
      if ((i32[at + OLD_GEN] as number) >= least) {
        at = word;
        continue;
      }
      i32[at + OLD] = i32[word + OLD] as number;
      i32[at + OLD_GEN] = i32[word + OLD_GEN] as number;
      heap.free(old * LINE);
    }
  }

  /** Frees all tables: nobody uses the map any more. */
  freeAll(): void {
    if (Atomics.load(this.#i32, this.#head + GEN) === 0) return;
    const line = (this.#i32[this.#head + TABLE] as number) >>> 0;
    this.#freeBehind(line * (LINE / 4), Number.POSITIVE_INFINITY);
    this.#block.seat.heap.free(line * LINE);
  }

  #own(word: number): number {
    return this.#first + (this.me - 1) * this.#each + word;
  }
}

/** Bytes of a key and a value in the stage, with room to align the value. */
export const stageBytesOf = ({ keyBytes, valueBytes }: Shape): number => keyBytes + valueBytes + 16;

/** The wait for an entry that another PE has locked. */
class EntryWait extends NamedCondition {
  readonly call: string;
  readonly awaited: readonly number[];
  readonly pollMs = 1;
  readonly #isFree: () => boolean;

  constructor(what: string, awaited: readonly number[], isFree: () => boolean) {
    super();
    this.call = `an entry of the ${what}`;
    this.awaited = awaited;
    this.#isFree = isFree;
  }

  ready(): boolean {
    return this.#isFree();
  }

  override absent(): string {
    return "Another PE updates that entry.";
  }
}
