/**
 * The address board: where PEs show each other memory to read from. The base of all collectives that move large data:
 * one PE writes, many read, and nothing is copied twice.
 *
 *     ┌───────────┬─────┬────────────────────────────────────────────┬───────────────────────┬────────┐
 *     │ PHASE i32 │ pad │ ADDRESS u32, BYTES u32, EXTRA i32, TAG i32 │ the same, odd phases  │ unused │  line of PE 0
 *     ├───────────┼─────┼────────────────────────────────────────────┼───────────────────────┼────────┤
 *     │ …         │     │                                            │                       │        │  line of PE 1 …
 *     └───────────┴─────┴────────────────────────────────────────────┴───────────────────────┴────────┘
 *
 * PHASE counts the steps of its PE through all collectives on the board. Every collective advances all PEs by the same
 * number of phases, so "PE j has reached phase p" means the same at every PE. The entry that a PE shows in one phase
 * stays valid during the next phase, too. Before the PE overwrites it, all its readers must have reached the next
 * phase; each collective ensures this.
 *
 * Source: single-copy collectives, as in Open MPI's xhc; the flags are those of Smelt.
 */
import { LINE } from "../../ground/memory/heap-layout.ts";
import { keepsOrder } from "../../ground/memory/order.ts";
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";

const PHASE = 0;
/** First word of the entry of even phases; that of odd phases follows. */
const ENTRIES = 4;
const ENTRY_WORDS = 4;
// words in an entry
const ADDRESS = 0;
const BYTES = 1;
const EXTRA = 2;
const TAG = 3;

/** More phases than a PE is ahead of another one. */
const MOST_AHEAD = 2 ** 20;
/** A PE writes its phase once in so many at least, as a word that is 2^31 phases old seems to be ahead. */
const WRITTEN_MASK = 2 ** 16 - 1;

/** The condition that a PE has reached a phase. It is set again for each wait. */
export class Reached implements Condition {
  readonly peer: number;
  readonly #i32: Int32Array;
  readonly #ordered = keepsOrder();
  #word = 0;
  #phase = 0;
  /** The highest phase seen so far. */
  #seen = 0;

  constructor(i32: Int32Array, peer: number) {
    this.#i32 = i32;
    this.peer = peer;
  }

  /** @param word where the PE writes that phase, or a later one */
  set(word: number, phase: number): this {
    this.#word = word;
    this.#phase = phase;
    return this;
  }

  ready(): boolean {
    return this.spin(1);
  }

  spin(looks: number): boolean {
    const phase = this.#phase;
    // phases only grow, so one that was seen need not be loaded again; but they wrap, and it may be old
    if ((this.#seen - phase) >>> 0 < MOST_AHEAD) return true;
    const i32 = this.#i32;
    const word = this.#word;
    // pairs with the stores in AddressBoard.next() and EagerSlots.show(): everything the peer wrote before is visible
    let seen = this.#ordered === true ? i32[word] : Atomics.load(i32, word);
    for (let i = 1; i < looks && ((seen - phase) | 0) < 0; i++) seen = Atomics.load(i32, word);
    if (((seen - phase) | 0) < 0) return false;
    this.#seen = seen;
    return true;
  }
}

/** The board, as seen by one PE of a team. */
export class AddressBoard {
  phase = 0;
  readonly #i32: Int32Array;
  readonly #base: number;
  readonly #own: number;
  readonly #rank: number;
  readonly #wakers: Wakers;
  readonly #wakerWords: readonly number[];
  readonly #reached: readonly Reached[];

  /** @param members the PEs' ranks on the node, by rank in the team */
  constructor(i32: Int32Array, offset: number, rank: number, members: readonly number[], wakers: Wakers) {
    this.#i32 = i32;
    this.#base = offset / 4;
    this.#own = (offset + rank * LINE) / 4;
    this.#rank = rank;
    this.#wakers = wakers;
    this.#wakerWords = members.map((member) => wakers.word(member));
    this.#reached = members.map((member) => new Reached(i32, member));
  }

  #line(rank: number): number {
    return this.#base + (rank * LINE) / 4;
  }

  #entry(rank: number, phase: number): number {
    return this.#line(rank) + ENTRIES + (phase & 1) * ENTRY_WORDS;
  }

  show(tag: number, address: number, bytes: number, extra: number, to = -1): void {
    const entry = this.#entry(this.#rank, this.phase + 1);
    this.#i32[entry + ADDRESS] = address;
    this.#i32[entry + BYTES] = bytes;
    this.#i32[entry + EXTRA] = extra;
    this.next(tag, to);
  }

  next(tag: number, to = -1): void {
    this.phase = (this.phase + 1) | 0;
    this.#i32[this.#entry(this.#rank, this.phase) + TAG] = tag;
    // publishes what this PE shows and has written: pairs with the load in Reached.spin()
    this.#wakers.publish(this.#own + PHASE, this.phase);
    const words = this.#wakerWords;
    if (to >= 0) this.#wakers.check(words[to]);
    else for (let i = 0; i < words.length; i++) if (i !== this.#rank) this.#wakers.check(words[i]);
  }

  skip(): void {
    this.phase = (this.phase + 1) | 0;
    if ((this.phase & WRITTEN_MASK) === 0) this.#wakers.publish(this.#own + PHASE, this.phase);
  }

  reached(rank: number, phase: number): Condition {
    return this.#reached[rank].set(this.#line(rank) + PHASE, phase);
  }

  isOf(rank: number, phase: number, tag: number): boolean {
    return this.#i32[this.#entry(rank, phase) + TAG] === tag;
  }

  address(rank: number, phase: number): number {
    return this.#i32[this.#entry(rank, phase) + ADDRESS] >>> 0;
  }

  bytes(rank: number, phase: number): number {
    return this.#i32[this.#entry(rank, phase) + BYTES] >>> 0;
  }

  extra(rank: number, phase: number): number {
    return this.#i32[this.#entry(rank, phase) + EXTRA];
  }
}
