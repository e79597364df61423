/**
 * Slots for the messages of an {@link EagerBoard}, in the heap: a header, and room for a short message behind it, so
 * that who has the header's line soon has the rest.
 *
 *     ┌───────────┬─────────┬───────────┬───────────┬─────────────┬─────┬───────────────────┐
 *     │ PHASE i32 │ TAG i32 │ BYTES u32 │ EXTRA i32 │ ADDRESS u32 │ pad │ EAGER_BYTES bytes │  phases 0, 4, 8 … of PE 0
 *     ├───────────┼─────────┼───────────┼───────────┼─────────────┼─────┼───────────────────┤
 *     │ …         │         │           │           │             │     │                   │  phases 1, 5, 9 …
 *     └───────────┴─────────┴───────────┴───────────┴─────────────┴─────┴───────────────────┘
 *                                 EAGER_SLOTS of them for each PE
 *
 * PHASE is written last. ADDRESS is that of a long message.
 */
import type { Condition } from "../../ground/wait/condition.ts";
import type { Wakers } from "../../ground/wait/wakers.ts";
import { Reached } from "./address-board.ts";
import type { EagerHeaders } from "./boards.ts";
import { isRendezvous } from "./eager-board.ts";
import { EAGER_HEADER_BYTES, EAGER_SLOT_BYTES, EAGER_SLOTS } from "./team-block.ts";

// words in a header
const PHASE = 0;
const TAG = 1;
const BYTES = 2;
const EXTRA = 3;
const ADDRESS = 4;
const SLOT_WORDS = EAGER_SLOT_BYTES / 4;

/** The slots of a team, as seen by one PE. */
export class EagerSlots implements EagerHeaders {
  phase = 0;
  readonly #i32: Int32Array;
  readonly #words: number;
  readonly #rank: number;
  readonly #wakers: Wakers;
  readonly #wakerWords: readonly number[];
  readonly #reached: readonly Reached[];

  /** @param members the PEs' ranks on the node, by rank in the team */
  constructor(i32: Int32Array, offset: number, rank: number, members: readonly number[], wakers: Wakers) {
    this.#i32 = i32;
    this.#words = offset / 4;
    this.#rank = rank;
    this.#wakers = wakers;
    this.#wakerWords = members.filter((_, i) => i !== rank).map((member) => wakers.word(member));
    this.#reached = members.map((member) => new Reached(i32, member));
  }

  #slot(rank: number, phase: number): number {
    return this.#words + (rank * EAGER_SLOTS + (phase & (EAGER_SLOTS - 1))) * SLOT_WORDS;
  }

  buffer(): number {
    return this.#slot(this.#rank, this.phase + 1) * 4 + EAGER_HEADER_BYTES;
  }

  show(tag: number, address: number, bytes: number, extra: number): void {
    this.phase = (this.phase + 1) | 0;
    const i32 = this.#i32;
    const slot = this.#slot(this.#rank, this.phase);
    i32[slot + TAG] = tag;
    i32[slot + BYTES] = bytes;
    i32[slot + EXTRA] = extra;
    i32[slot + ADDRESS] = address;
    // publishes the header and what this PE has written: pairs with the load in Reached.spin()
    this.#wakers.publish(slot + PHASE, this.phase);
    const words = this.#wakerWords;
    for (let i = 0; i < words.length; i++) this.#wakers.check(words[i]);
  }

  reached(rank: number, phase: number): Condition {
    return this.#reached[rank].set(this.#slot(rank, phase) + PHASE, phase);
  }

  isOf(rank: number, phase: number, tag: number): boolean {
    return this.#i32[this.#slot(rank, phase) + TAG] === tag;
  }

  address(rank: number, phase: number): number {
    const slot = this.#slot(rank, phase);
    // of a short message it need not be loaded first
    if (!isRendezvous(this.#i32[slot + BYTES] >>> 0)) return slot * 4 + EAGER_HEADER_BYTES;
    return this.#i32[slot + ADDRESS] >>> 0;
  }

  bytes(rank: number, phase: number): number {
    return this.#i32[this.#slot(rank, phase) + BYTES] >>> 0;
  }

  extra(rank: number, phase: number): number {
    return this.#i32[this.#slot(rank, phase) + EXTRA];
  }
}
