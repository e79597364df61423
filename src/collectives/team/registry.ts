/**
 * The registry of groups and conveyors: the PEs of one find its block of the heap without messages.
 *
 * The first PE to arrive allocates a block and enters it. The others find it by their ranks and by how many
 * reservations with the same ranks they made before. The last one removes the entry. The order of the ranks is not part
 * of the key; a PE whose order differs from the first one's gets an error.
 *
 * If there is no room, a PE stores its request in its slot, and tries again when memory has been freed or another PE
 * has entered the block. When all PEs of a reservation have stored their requests, none of them can free memory any
 * more: the last one to arrive that finds no room then refuses the reservation for all. So either all PEs get the
 * block, or none does.
 *
 * Its memory: registry-layout.ts.
 */

import { HeapError, MismatchError } from "../../ground/base/errors.ts";
import { monotonic } from "../../ground/base/event-loop/timers.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import { shield } from "../../ground/base/shield.ts";
import type { Heap } from "../../ground/memory/heap.ts";
import { ALLOCATOR_USED, LINE } from "../../ground/memory/heap-layout.ts";
import type { HeapNeed } from "../../ground/memory/refusal.ts";
import {
  ADDRESS,
  CAME,
  FIRST,
  INSTANCE,
  KEY0,
  KEY1,
  LOCK,
  NEWS,
  NEXT,
  NOTHING,
  ORDER,
  REFUSED,
  SIZE,
  SLOT_ORDER,
  SLOT_WORDS,
  STATE,
  WAITING,
} from "./registry-layout.ts";

const LOCK_TIMEOUT_MS = 5000;
/** Looks at the lock before a sleep. */
const LOOKS = 1000;
/** Basis of the second of two hashes. */
const OTHER_BASIS = 0x2f0b4a27;

/** The block that PEs request together. */
export interface Reservation {
  readonly bytes: number;
  /** Its purpose, for messages: "a conveyor of u32". */
  readonly making: string;
  /** Its purpose, for the error. */
  readonly need: HeapNeed;
  /** Further terms that the PEs must agree about; not empty for a conveyor, which has its own instances. @default "" */
  readonly terms?: string;
  /** The thing made with these terms, for the error. @default a conveyor or an exchange with them */
  readonly made?: string;
  /** Distinguishes reservations with the same ranks on this node. @default "" */
  readonly scope?: string;
  /** Zeroes what has to be zero in a block that was in use before, by its byte offset. @default all of it is zeroed */
  readonly clear?: (offset: number) => void;
}

/** A pending reservation of this PE. */
export interface Request {
  readonly ranks: readonly number[];
  readonly reservation: Reservation;
  readonly key0: number;
  readonly key1: number;
  readonly instance: number;
  readonly order: number;
}

/** The key of a reservation: the same at all its PEs, for the same ranks, terms and scope. */
interface Keys {
  readonly ranks: readonly number[];
  readonly terms: string;
  readonly scope: string;
  readonly name: string;
  readonly key0: number;
  readonly key1: number;
  readonly order: number;
}

function keysOf(ranks: readonly number[], terms: string, scope: string): Keys {
  const sorted = ranks.toSorted((a, b) => a - b);
  const name = scope + (terms === "" ? "" : "conveyor ") + sorted.join(",");
  const keyed = [...Buffer.from(scope), ...(terms === "" ? sorted : [-1, ...sorted])];
  const [key0, key1] = [fnv1a(keyed), fnv1a(keyed, OTHER_BASIS)];
  const order = fnv1a([...ranks, ...Buffer.from(terms)]);
  return { ranks: [...ranks], terms, scope, name, key0, key1, order };
}

function isFor(keys: Keys, ranks: readonly number[], terms: string, scope: string): boolean {
  if (keys.terms !== terms || keys.scope !== scope || keys.ranks.length !== ranks.length) return false;
  for (let i = 0; i < ranks.length; i++) if (keys.ranks[i] !== ranks[i]) return false;
  return true;
}

/** What a PE has of the registry before it makes a reservation: the code is loaded then. */
export interface RegistrySeat {
  readonly heap: Heap;
  readonly offset: number;
  /** In the world. */
  readonly rank: number;
  /** Rank of the node's first PE. */
  readonly first: number;
  /** Reservations of this PE so far: by name, which has the ranks, and how often. */
  readonly made: Map<string, number>;
  opened: Registry | null;
}

/** The registry, as seen by one PE. */
export class Registry {
  readonly #heap: Heap;
  readonly #control: number;
  readonly #rank: number;
  readonly #first: number;
  readonly #instances: Map<string, number>;
  /** Of the last reservation, as the next one is often alike. */
  #keys: Keys = keysOf([], "", "");
  /** Values at the last attempt: the counter of news, and the lines of the heap in use. */
  #news = 0;
  #used = 0;
  /** The heap's error at the last attempt. */
  #refusal: HeapError | null = null;

  constructor({ heap, offset, rank, first, made }: RegistrySeat) {
    this.#heap = heap;
    this.#instances = made;
    this.#control = offset / 4;
    this.#rank = rank;
    this.#first = first;
  }

  /** Makes a reservation together with the other PEs of `ranks`; call {@link attempt} until it is settled. */
  request(ranks: readonly number[], reservation: Reservation): Request {
    const { terms = "", scope = "" } = reservation;
    if (!isFor(this.#keys, ranks, terms, scope)) this.#keys = keysOf(ranks, terms, scope);
    const { name, key0, key1, order } = this.#keys;
    const instance = this.#instances.get(name) ?? 0;
    this.#instances.set(name, instance + 1);
    return { ranks, reservation, key0, key1, instance, order };
  }

  /**
   * The byte offset of the block: a new one for each reservation that its PEs make together, zeroed, or cleared as the
   * reservation says. 0 if there is no room now and not all PEs have arrived.
   * @throws HeapError when all PEs have arrived and there is no room; MismatchError if another PE has the ranks in
   *   another order, or other terms; after either the reservation is settled
   */
  attempt(request: Request): number {
    // nobody terminates a thread that holds the lock
    return shield(() => this.#attempt(request));
  }

  #attempt(request: Request): number {
    const { i32 } = this.#heap;
    const state = this.#slot(this.#rank) + STATE;
    this.#lock();
    let isOpen = false;
    try {
      // read before the attempt: an event during the attempt causes another one
      this.#news = i32[this.#control + NEWS];
      this.#used = Atomics.load(i32, ALLOCATOR_USED);
      if (i32[state] === REFUSED) throw this.#refusal as HeapError;
      const address = this.#find(request) || this.#take(request);
      isOpen = address === 0;
      return address;
    } finally {
      if (!isOpen) i32[state] = NOTHING;
      this.#unlock();
    }
  }

  /** Whether another {@link attempt} may have another result than the last one. */
  get hasNews(): boolean {
    const { i32 } = this.#heap;
    // pairs with the addition in #tell(); the other value is stored plainly, so it may be seen late
    return Atomics.load(i32, this.#control + NEWS) !== this.#news || Atomics.load(i32, ALLOCATOR_USED) !== this.#used;
  }

  /** The PEs that have not made this reservation, as far as is visible without the lock. */
  missing(request: Request): number[] {
    return request.ranks.filter((rank) => !this.#wants(rank, request));
  }

  /** Withdraws a reservation that is not settled. */
  withdraw(): void {
    // the waits of the others end with the world, so no PE finds this entry
    Atomics.store(this.#heap.i32, this.#slot(this.#rank) + STATE, NOTHING);
  }

  /** The address that another PE has entered; 0 for none. */
  #find({ ranks, reservation, key0, key1, instance, order }: Request): number {
    const { i32 } = this.#heap;
    let link = this.#control + FIRST;
    for (let entry = i32[link] >>> 0; entry !== 0; entry = i32[link] >>> 0) {
      const at = entry / 4;
      if (i32[at + KEY0] === key0 && i32[at + KEY1] === key1 && i32[at + INSTANCE] === instance) {
        if (i32[at + ORDER] !== order) throw mismatch(ranks, reservation);
        const address = i32[at + ADDRESS] >>> 0;
        i32[at + CAME]++;
        if (i32[at + CAME] === i32[at + SIZE]) {
          i32[link] = i32[at + NEXT];
          this.#heap.free(entry);
        }
        return address;
      }
      link = at + NEXT;
    }
    return 0;
  }

  /** Allocates a block and enters it; 0 if there is no room now. */
  #take(request: Request): number {
    const { i32 } = this.#heap;
    const { ranks, reservation, key0, key1, instance, order } = request;
    const others = ranks.filter((rank) => rank !== this.#rank);
    const waiting = others.filter((rank) => this.#wants(rank, request));
    for (const rank of waiting) {
      if (i32[this.#slot(rank) + SLOT_ORDER] !== order) throw mismatch(ranks, reservation);
    }
    try {
      const address = this.#allocate(reservation);
      if (others.length > 0) this.#enter([key0, key1, instance, ranks.length, 1, address, order], address);
      if (waiting.length > 0) this.#tell();
      return address;
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      if (waiting.length < others.length) {
        this.#refusal = error;
        i32.set([WAITING, key0, key1, instance, order], this.#slot(this.#rank));
        return 0;
      }
      for (const rank of others) i32[this.#slot(rank) + STATE] = REFUSED;
      this.#tell();
      throw error;
    }
  }

  #allocate({ bytes, need, clear }: Reservation): number {
    if (clear === undefined) return this.#heap.allocate(bytes, need);
    const { offset, dirtyBytes } = this.#heap.allocateDirty(bytes, need);
    if (dirtyBytes > 0) clear(offset);
    return offset;
  }

  #enter(fields: readonly number[], address: number): void {
    const { i32 } = this.#heap;
    let entry: number;
    try {
      entry = this.#heap.allocate(LINE);
    } catch (error) {
      this.#heap.free(address);
      throw error;
    }
    i32.set([i32[this.#control + FIRST], ...fields], entry / 4);
    i32[this.#control + FIRST] = entry;
  }

  /** Whether a PE waits for this reservation. */
  #wants(rank: number, { key0, key1, instance }: Request): boolean {
    const { i32 } = this.#heap;
    const at = this.#slot(rank);
    return (
      i32[at + STATE] === WAITING &&
      i32[at + KEY0] === key0 &&
      i32[at + KEY1] === key1 &&
      i32[at + INSTANCE] === instance
    );
  }

  /** Word index of a PE's slot. */
  #slot(rank: number): number {
    return this.#control + LINE / 4 + (rank - this.#first) * SLOT_WORDS;
  }

  #tell(): void {
    // pairs with the load in hasNews
    Atomics.add(this.#heap.i32, this.#control + NEWS, 1);
  }

  #lock(): void {
    const { i32 } = this.#heap;
    const until = monotonic() + LOCK_TIMEOUT_MS;
    // pairs with the store in #unlock()
    while (Atomics.compareExchange(i32, this.#control + LOCK, 0, 1) !== 0) {
      // all PEs come at about the same time, and a sleep takes longer than what the owner does
      for (let looks = LOOKS; looks > 0 && Atomics.load(i32, this.#control + LOCK) !== 0; ) looks--;
      if (Atomics.load(i32, this.#control + LOCK) !== 0) Atomics.wait(i32, this.#control + LOCK, 1, 1);
      if (monotonic() > until) {
        throw new HeapError(
          `The registry of groups was locked for ${LOCK_TIMEOUT_MS} ms: the thread that held it was probably killed.`,
        );
      }
    }
  }

  #unlock(): void {
    Atomics.store(this.#heap.i32, this.#control + LOCK, 0);
    Atomics.notify(this.#heap.i32, this.#control + LOCK, 1);
  }
}

function mismatch(ranks: readonly number[], { terms = "", made }: Reservation): MismatchError {
  return terms === "" ? otherOrder(ranks) : otherTerms(made ?? `a conveyor or an exchange with ${terms}`);
}

const otherOrder = (ranks: readonly number[]): MismatchError =>
  new MismatchError(
    `group([${ranks.join(", ")}]): another PE of this group has called it with the same ranks in another order. ` +
      "All PEs of a group must call it with the same ranks in the same order.",
  );

const otherTerms = (made: string): MismatchError =>
  new MismatchError(
    `Another PE has made something else than ${made}. All PEs of a group must make theirs in the same order, ` +
      "with the same item and options.",
  );
