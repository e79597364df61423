/**
 * The PEs that wait for an object, as a set in the heap (layout.ts). A set, not a list: a PE may leave it at any time,
 * by a timeout, and may be lost in it, and nobody has to mend a chain then.
 *
 * No PE is missed: one that waits adds itself, and then looks at what it waits for; one that changes that looks at the
 * set afterwards. All of these are atomic operations.
 */
import type { Seat } from "../../../pe/seat.ts";
import { AWAITED, slotWord, TOLD, WAITING } from "./layout.ts";
import { type Succession, successionOf } from "./succession.ts";

/** As one PE has it. Ranks are of the group. */
export class WaitingSet {
  readonly #seat: Seat;
  readonly #i32: Int32Array;
  /** First word of the object. */
  readonly #at: number;
  readonly #slot: number;
  readonly #succession: Succession;
  /** Waits of this PE. */
  #own = 0;

  /** @param at first word of the object */
  constructor(seat: Seat, at: number) {
    this.#seat = seat;
    this.#i32 = seat.heap.i32;
    this.#at = at;
    this.#slot = at + slotWord(seat.rank);
    this.#succession = successionOf(seat);
  }

  /** This PE waits. It looks at what it waits for afterwards. */
  add(): void {
    if (this.#own++ > 0) return;
    const i32 = this.#i32;
    i32[this.#slot + TOLD] = 0;
    i32[this.#slot + AWAITED] = 1;
    // pairs with the loads in next(), and publishes the two words
    Atomics.or(i32, this.#word(this.#seat.rank), bitOf(this.#seat.rank));
  }

  /** It waits on, though it was dropped when it was told. It looks once more afterwards. */
  renew(): void {
    const { rank } = this.#seat;
    // pairs as in add()
    if (!this.has(rank)) Atomics.or(this.#i32, this.#word(rank), bitOf(rank));
  }

  /** It waits no more. */
  remove(): void {
    if (--this.#own > 0) return;
    this.drop(this.#seat.rank);
    this.#i32[this.#slot + AWAITED] = 0;
  }

  /** A PE waits no more: this one, or one that has been served, or is gone. @returns whether it did */
  drop(rank: number): boolean {
    const bit = bitOf(rank);
    // pairs with itself at other PEs: only one of those that drop a PE gets true
    return (Atomics.and(this.#i32, this.#word(rank), ~bit) & bit) !== 0;
  }

  /**
   * The PE that comes next; -1 if no other one waits.
   * @param farFirst whether this domain has had its share
   */
  next(farFirst = false): number {
    const { near, far } = this.#succession;
    for (;;) {
      const first = this.#firstOf(farFirst ? far : near);
      const found = first >= 0 ? first : this.#firstOf(farFirst ? near : far);
      if (found < 0 || !isGone(this.#seat, found)) return found;
      this.drop(found);
    }
  }

  /** Whether a PE is near this one. */
  isNear(rank: number): boolean {
    return this.#succession.near.includes(rank);
  }

  #firstOf(ranks: Int32Array): number {
    const i32 = this.#i32;
    let word = -1;
    let bits = 0;
    for (let k = 0; k < ranks.length; k++) {
      const rank = ranks[k] as number;
      const own = this.#word(rank);
      // pairs with the addition in add(): once for each word, as most PEs of a domain share one
      if (own !== word) bits = Atomics.load(i32, own);
      word = own;
      if ((bits & bitOf(rank)) !== 0) return rank;
    }
    return -1;
  }

  /** Has a PE look at what it waits for, and wakes it if it sleeps; nothing if it was told and has not looked yet. */
  tell(rank: number): void {
    const slot = this.#at + slotWord(rank);
    // pairs with the store in isTold(): the PE looks after that, and sees what was changed before this
    if (Atomics.exchange(this.#i32, slot + TOLD, 1) === 0) this.#seat.posted(rank, slot + AWAITED);
  }

  /** Has all look. */
  tellAll(): void {
    const { size, rank } = this.#seat;
    for (let one = 0; one < size; one++) if (one !== rank && this.has(one)) this.tell(one);
  }

  /** Whether this PE was told to look since it has looked last. */
  isTold(): boolean {
    const i32 = this.#i32;
    if (Atomics.load(i32, this.#slot + TOLD) === 0) return false;
    // before the look: what comes later tells anew
    Atomics.store(i32, this.#slot + TOLD, 0);
    return true;
  }

  has(rank: number): boolean {
    return (Atomics.load(this.#i32, this.#word(rank)) & bitOf(rank)) !== 0;
  }

  /** All that wait but this one, by rank in the world. */
  others(): number[] {
    const { members, rank } = this.#seat;
    return members.filter((_, one) => one !== rank && this.has(one));
  }

  #word(rank: number): number {
    return this.#at + WAITING + (rank >>> 5);
  }
}

const bitOf = (rank: number): number => 1 << (rank & 31);

/** Whether a PE makes no further call: it is lost, or has returned from its main. @param rank in the group */
export const isGone = (seat: Seat, rank: number): boolean => seat.hasReturned(rank) || seat.lossOf(rank) !== null;
