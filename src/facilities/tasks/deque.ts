/**
 * The deque of a PE's tasks: its owner puts them in and takes the newest, thieves take the oldest, which have the most
 * work below them.
 *
 * Limits: CAPACITY tasks. A slot is written again only when TOP has gone past it, so what a thief has read from one is
 * whole if its exchange of TOP succeeds, and is not used if it fails.
 *
 * Source: Chase and Lev, Dynamic circular work-stealing deque, 2005; the orders of Lê, Pop, Cohen and Zappa Nardelli,
 * Correct and efficient work-stealing for weak memory models, 2013 (sequentially consistent here).
 */
import type { Heap } from "../../ground/memory/heap.ts";
import { keepsOrder } from "../../ground/memory/order.ts";
import { BOTTOM, CAPACITY, TASK_BYTES, TASKS, TOP } from "./layout.ts";

const SLOT_MASK = CAPACITY - 1;
const F64_OF_TASK = TASK_BYTES / 8;

/** That of one PE, as it or a thief sees it. */
export class Deque {
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #top: number;
  readonly #bottom: number;
  readonly #tasks: number;
  readonly #ordered = keepsOrder();
  /** What the owner knows of both. */
  #newest = 0;
  #oldest = 0;

  /** @param at byte offset of what the PE has (layout.ts) */
  constructor({ i32, f64 }: Heap, at: number) {
    this.#i32 = i32;
    this.#f64 = f64;
    this.#top = (at + TOP) / 4;
    this.#bottom = (at + BOTTOM) / 4;
    this.#tasks = (at + TASKS) / 8;
  }

  /** Whether the owner may {@link put} one more. */
  hasRoom(): boolean {
    if (((this.#newest - this.#oldest) | 0) < CAPACITY) return true;
    // pairs with the exchanges of TOP by thieves: they have read what is written over now
    this.#oldest = Atomics.load(this.#i32, this.#top);
    return ((this.#newest - this.#oldest) | 0) < CAPACITY;
  }

  /** Puts a task of the owner's in: the number of its handler, and arguments, of which it need not have all. */
  put(number: number, a: number, b: number, c: number, d: number, e: number, f: number, g: number): void {
    const f64 = this.#f64;
    const slot = this.#slot(this.#newest);
    f64[slot] = number;
    f64[slot + 1] = a;
    f64[slot + 2] = b;
    f64[slot + 3] = c;
    f64[slot + 4] = d;
    f64[slot + 5] = e;
    f64[slot + 6] = f;
    f64[slot + 7] = g;
    this.#newest = (this.#newest + 1) | 0;
    // pairs with the load in steal(): the task is there, and counted
    if (this.#ordered) this.#i32[this.#bottom] = this.#newest;
    else Atomics.store(this.#i32, this.#bottom, this.#newest);
  }

  /** Takes the owner's newest task. @returns the index of its slot, valid until the next {@link put}; -1 for none */
  take(): number {
    const newest = (this.#newest - 1) | 0;
    // before TOP is loaded: a thief that comes later sees that the task is not there. Pairs with the loads in steal()
    Atomics.store(this.#i32, this.#bottom, newest);
    // the store before is a fence; an atomic load is a call in V8
    const oldest = this.#ordered ? (this.#i32[this.#top] as number) : Atomics.load(this.#i32, this.#top);
    const left = (newest - oldest) | 0;
    if (left > 0) {
      this.#newest = newest;
      return this.#slot(newest);
    }
    // the last one: a thief may take it at the same time. Pairs with the exchange in steal()
    const isOwn = left === 0 && Atomics.compareExchange(this.#i32, this.#top, oldest, (oldest + 1) | 0) === oldest;
    Atomics.store(this.#i32, this.#bottom, this.#newest);
    return isOwn ? this.#slot(newest) : -1;
  }

  /** Whether a thief sees a task. */
  get hasTasks(): boolean {
    const oldest = Atomics.load(this.#i32, this.#top);
    return ((Atomics.load(this.#i32, this.#bottom) - oldest) | 0) > 0;
  }

  /** Takes the oldest task for another PE: copies it to `to`. @returns whether it has got one */
  steal(to: Float64Array): boolean {
    const i32 = this.#i32;
    const f64 = this.#f64;
    for (;;) {
      // in this order: pairs with the store and the load in take(), and with the store in put()
      const oldest = Atomics.load(i32, this.#top);
      if (((Atomics.load(i32, this.#bottom) - oldest) | 0) <= 0) return false;
      const slot = this.#slot(oldest);
      for (let i = 0; i < F64_OF_TASK; i++) to[i] = f64[slot + i] as number;
      // pairs with the same exchange by another thief, and by the owner for its last task
      if (Atomics.compareExchange(i32, this.#top, oldest, (oldest + 1) | 0) === oldest) return true;
    }
  }

  /** Drops what is left. Only the owner, while nobody steals. */
  clear(): void {
    this.#newest = Atomics.load(this.#i32, this.#top);
    this.#oldest = this.#newest;
    Atomics.store(this.#i32, this.#bottom, this.#newest);
  }

  #slot(task: number): number {
    return this.#tasks + (task & SLOT_MASK) * F64_OF_TASK;
  }
}
