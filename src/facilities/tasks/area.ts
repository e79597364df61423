/** The tasks of a group: its memory, as one of its PEs sees it. All its tables use it, one at a time. */
import { type Views, viewsOf } from "../../ground/item/views.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import { keepsOrder } from "../../ground/memory/order.ts";
import type { Seat } from "../../pe/seat.ts";
import { victimsBy } from "../loop/chunks/victims.ts";
import { blockOf } from "../resilient/block.ts";
import { Deque } from "./deque.ts";
import { blockBytes, DONE, OVER, placeOf, SPAWNED, STOP, WAITING, WAITS } from "./layout.ts";

/** Those of a group, at one PE. */
export class TaskArea {
  readonly seat: Seat;
  readonly heap: Heap;
  readonly views: Views;
  /** Words of the heap: the tasks that this PE has made, and the PEs that wait. */
  readonly spawned: number;
  readonly waiting: number;
  readonly own: Deque;
  /** The deques of the others: nearest first. */
  readonly victims: readonly Deque[];
  /** The number of the run, from 1 on. */
  run = 0;
  /** The run that this PE is in; "" for none. */
  call = "";
  readonly #stop: number;
  readonly #over: number;
  readonly #i32: Int32Array;
  readonly #ordered = keepsOrder();
  readonly #ownDone: number;
  readonly #allSpawned: readonly number[];
  readonly #allDone: readonly number[];
  readonly #waits: readonly number[];
  /** The other PEs: nearest first. */
  readonly #others: readonly number[];
  #nextToWake = 0;

  constructor(seat: Seat) {
    const { heap, rank, size } = seat;
    const at = blockOf(seat, blockBytes(size), "tasks");
    const words = (field: number) => Array.from({ length: size }, (_, pe) => (at + placeOf(pe) + field) / 4);
    this.seat = seat;
    this.heap = heap;
    this.views = viewsOf(heap.buffer);
    this.#stop = (at + STOP) / 4;
    this.#over = (at + OVER) / 4;
    this.waiting = (at + WAITING) / 4;
    this.#allSpawned = words(SPAWNED);
    this.#allDone = words(DONE);
    this.#i32 = heap.i32;
    this.spawned = this.#allSpawned[rank] as number;
    this.#ownDone = this.#allDone[rank] as number;
    this.#waits = words(WAITS);
    this.#others = victimsBy(seat).flat();
    this.own = new Deque(heap, at + placeOf(rank));
    this.victims = this.#others.map((pe) => new Deque(heap, at + placeOf(pe)));
  }

  /** A task has come to its end at this PE, or the source of a run, after it has made what it makes. */
  countDone(): void {
    const i32 = this.#i32;
    const word = this.#ownDone;
    // pairs with the loads in isOver(); nobody else writes it
    if (this.#ordered) i32[word] = ((i32[word] as number) + 1) | 0;
    else Atomics.store(i32, word, ((i32[word] as number) + 1) | 0);
  }

  /**
   * Whether this run is over: the sources of all runs until now and all tasks are done. DONE is read at all PEs before
   * SPAWNED is. A task counts as spawned before it can be done, and is done after those that it makes have counted. So
   * equal sums mean that at the moment between the two readings nothing was under way.
   *
   * Source: Mattern, Algorithms for distributed termination detection, 1987 (counting, of messages).
   */
  isOver(): boolean {
    const { i32 } = this.heap;
    // pairs with the store below: who has seen the end goes on to the next run, whose counts are others
    if (Atomics.load(i32, this.#over) === this.run) return true;
    let under = this.seat.size * this.run;
    for (const word of this.#allDone) under = (under - Atomics.load(i32, word)) | 0;
    for (const word of this.#allSpawned) under = (under + Atomics.load(i32, word)) | 0;
    if (under !== 0) return false;
    Atomics.store(i32, this.#over, this.run);
    return true;
  }

  /** Whether a PE has ended this run early. */
  get isStopped(): boolean {
    // pairs with the exchange in stopNow()
    return Atomics.load(this.heap.i32, this.#stop) === this.run;
  }

  /** Ends the run early. @returns whether this PE is the first to do so */
  stopNow(): boolean {
    const { i32 } = this.heap;
    const before = Atomics.load(i32, this.#stop);
    // pairs with the same exchange by another PE: the first one's error counts
    if (before === this.run || Atomics.compareExchange(i32, this.#stop, before, this.run) !== before) return false;
    i32[this.#stop + 1] = this.seat.rank;
    return true;
  }

  /** The PE that has ended it, in the group: after a barrier, which orders the store of its rank. */
  get stoppedBy(): number {
    return this.heap.i32[this.#stop + 1] as number;
  }

  /** Whether any other PE has a task that may be taken. */
  get canSteal(): boolean {
    for (const victim of this.victims) if (victim.hasTasks) return true;
    return false;
  }

  /** This PE waits, or no longer. */
  set waits(isWaiting: boolean) {
    const i32 = this.#i32;
    // pairs with the loads of spawns (codec.ts), which may come late
    Atomics.add(i32, this.waiting, isWaiting ? 1 : -1);
    // pairs with the load in Seat.posted()
    Atomics.store(i32, this.#waits[this.seat.rank] as number, isWaiting ? 1 : 0);
  }

  /** Wakes one PE, if it waits: another one each time. Who has just begun to wait finds the task by itself. */
  wakeOne(): void {
    const others = this.#others;
    if (others.length === 0) return;
    this.#nextToWake = (this.#nextToWake + 1) % others.length;
    const one = others[this.#nextToWake] as number;
    this.seat.posted(one, this.#waits[one] as number);
  }

  wakeAll(): void {
    for (const one of this.#others) this.seat.posted(one, this.#waits[one] as number);
  }

  /** Forgets the tasks of a run that has ended early. Only while all PEs are between two barriers. */
  clear(): void {
    this.own.clear();
    // the barrier orders these stores: there are no tasks, and this PE's sources until now are done
    this.#i32[this.spawned] = 0;
    this.#i32[this.#ownDone] = this.run;
  }
}

const areas = new WeakMap<Seat, TaskArea>();

/** That of a seat, made with the other PEs at first. @throws HeapError */
export function taskAreaOf(seat: Seat): TaskArea {
  let area = areas.get(seat);
  if (area === undefined) {
    area = new TaskArea(seat);
    areas.set(seat, area);
  }
  return area;
}
