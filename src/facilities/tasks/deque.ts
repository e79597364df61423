/**
 * The deque of a PE's tasks: its owner puts them in (codec.ts) and takes the newest, thieves take the oldest, which
 * have the most work below them.
 *
 * Limits: CAPACITY tasks. A slot is written again only when TOP has gone past it, so what a thief has read from one is
 * whole if its exchange of TOP succeeds, and is not used if it fails.
 *
 * Source: Chase and Lev, Dynamic circular work-stealing deque, 2005; the orders of Lê, Pop, Cohen and Zappa Nardelli,
 * Correct and efficient work-stealing for weak memory models, 2013 (sequentially consistent here).
 */
import type { Heap } from "../../ground/memory/heap.ts";
import { keepsOrder } from "../../ground/memory/order.ts";
import { BOTTOM, CAPACITY, LEFT, TASK_BYTES, TASKS, TOP } from "./layout.ts";

const F64_OF_TASK = TASK_BYTES / 8;

/** That of one PE, as it or a thief sees it. */
export class Deque {
  /** Words of the heap. */
  readonly top: number;
  readonly bottom: number;
  /** Byte offsets: of the first slot, and of the one for a task that has left. */
  readonly tasks: number;
  readonly left: number;
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #ordered = keepsOrder();

  /** @param at byte offset of what the PE has (layout.ts) */
  constructor({ i32, f64 }: Heap, at: number) {
    this.#i32 = i32;
    this.#f64 = f64;
    this.top = (at + TOP) / 4;
    this.bottom = (at + BOTTOM) / 4;
    this.tasks = at + TASKS;
    this.left = at + LEFT;
  }

  /** Takes the owner's newest task. @returns byte offset of its slot, valid until the next is put in; -1 for none */
  take(): number {
    const i32 = this.#i32;
    // only the owner writes it
    const newest = ((i32[this.bottom] as number) - 1) | 0;
    // before TOP is loaded: a thief that comes later sees that the task is not there. Pairs with the loads in steal()
    Atomics.store(i32, this.bottom, newest);
    // the store before is a fence; an atomic load is a call in V8
    const oldest = this.#ordered ? (i32[this.top] as number) : Atomics.load(i32, this.top);
    const left = (newest - oldest) | 0;
    if (left > 0) return this.tasks + (newest & (CAPACITY - 1)) * TASK_BYTES;
    return this.#takeLast(newest, oldest);
  }

  #takeLast(newest: number, oldest: number): number {
    const i32 = this.#i32;
    // a thief may take it at the same time. Pairs with the exchange in steal()
    const isThere = ((newest - oldest) | 0) === 0;
    const isOwn = isThere && Atomics.compareExchange(i32, this.top, oldest, (oldest + 1) | 0) === oldest;
    Atomics.store(i32, this.bottom, (newest + 1) | 0);
    return isOwn ? this.tasks + (newest & (CAPACITY - 1)) * TASK_BYTES : -1;
  }

  /** Whether a thief sees a task. */
  get hasTasks(): boolean {
    const oldest = Atomics.load(this.#i32, this.top);
    return ((Atomics.load(this.#i32, this.bottom) - oldest) | 0) > 0;
  }

  /** Takes the oldest task for another PE: copies it. @param to byte offset @returns whether it has got one */
  steal(to: number): boolean {
    const i32 = this.#i32;
    const f64 = this.#f64;
    for (;;) {
      // in this order: pairs with the store and the load in take(), and with the store of who puts one in
      const oldest = Atomics.load(i32, this.top);
      if (((Atomics.load(i32, this.bottom) - oldest) | 0) <= 0) return false;
      const slot = (this.tasks + (oldest & (CAPACITY - 1)) * TASK_BYTES) / 8;
      f64.copyWithin(to / 8, slot, slot + F64_OF_TASK);
      // pairs with the same exchange by another thief, and by the owner for its last task
      if (Atomics.compareExchange(i32, this.top, oldest, (oldest + 1) | 0) === oldest) return true;
    }
  }

  /** Drops what is left. Only the owner, while nobody steals. */
  clear(): void {
    Atomics.store(this.#i32, this.bottom, Atomics.load(this.#i32, this.top));
  }
}
