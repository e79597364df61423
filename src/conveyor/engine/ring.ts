/**
 * The ring: places in which the replies of a biconveyor wait for their turn.
 *
 * What: a query takes the next place when it is pushed, and the reply to it lies there until it is pulled. Replies from one PE come
 * in the order of the queries to it (V4 of docs/contract.md), so no number goes with them: the places that wait for one PE
 * are a list.
 *
 *     pulled next ↓                           ↓ pushed next
 *     ┌─────────┬─────────┬─────────┬─────────┬───────┐
 *     │ PE 1  ✓ │ PE 0    │ PE 1    │ PE 0  ✓ │ free  │      here the list of PE 1 is place 2, that of PE 0 place 1
 *     └─────────┴─────────┴─────────┴─────────┴───────┘
 *
 * The innermost loops have copies of {@link Ring.add}, {@link Ring.claim} and {@link Ring.take} in them (bi-code.ts), where V8 knows
 * the arrays.
 */
import { fixedArray } from "../../memory/fixed-array.ts";

/** Nothing may be pushed or pulled; both; an answer is being worked out. */
export const SHUT = 0;
export const OPEN = 1;
export const ANSWERING = 2;

export class Ring {
  /** Queries that may be without a pulled reply at once. */
  readonly window: number;
  /** One more than that: the place of the reply that was pulled last is not used before the next one is pulled. */
  readonly places: number;
  /** One of the three above. */
  state: number = SHUT;
  /** Queries that may be pushed now. */
  free: number;
  /** By place: the reply has come; the next place that waits for the same PE. */
  readonly present: Uint8Array;
  readonly next: Uint32Array;
  /** By PE: the place of the reply that comes next, the last one, and how many wait. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly missing: Uint32Array;
  /** The place of the query that is pushed next, and of the reply that is pulled next. */
  tail = 0;
  head = 0;
  /** How often `head` has gone round in this session. */
  rounds = 0;

  constructor(window: number, pes: number) {
    this.window = window;
    this.places = window + 1;
    this.free = window;
    this.present = new Uint8Array(new ArrayBuffer(this.places));
    this.next = fixedArray(this.places);
    this.first = fixedArray(pes);
    this.last = fixedArray(pes);
    this.missing = fixedArray(pes);
  }

  /** Before a session: all places are free. */
  begin(): void {
    this.free = this.window;
    this.tail = 0;
    this.head = 0;
    this.rounds = 0;
    this.state = OPEN;
  }

  /** The next place, which must be free, is that of a query to a PE. */
  add(dest: number): void {
    const place = this.tail;
    if (this.missing[dest]++ === 0) this.first[dest] = place;
    else this.next[this.last[dest]] = place;
    this.last[dest] = place;
    this.tail = place + 1 === this.places ? 0 : place + 1;
    this.free--;
  }

  /** The place of the next reply from a PE. */
  claim(from: number): number {
    const place = this.first[from];
    this.first[from] = this.next[place];
    this.missing[from]--;
    this.present[place] = 1;
    return place;
  }

  /** As {@link add}, for the queries `first` to `end` - 1. */
  addAll(dests: Uint32Array, first: number, end: number): void {
    for (let i = first; i < end; i++) this.add(dests[i]);
  }

  /** Takes the replies, up to `most`, that have come and lie side by side from `head` on: how many, 0 for none. */
  takeAll(most: number): number {
    const { present, places, head } = this;
    const stop = Math.min(places, head + most);
    let end = head;
    while (end < stop && present[end] === 1) end++;
    const count = end - head;
    present.fill(0, head, end);
    this.head = end;
    this.#goRound();
    this.free += count;
    return count;
  }

  /** The place of the reply that is pulled next, which is free then; -1 when it has not come. */
  take(): number {
    const place = this.head;
    if (this.present[place] === 0) return -1;
    this.present[place] = 0;
    this.head = place + 1;
    this.#goRound();
    this.free++;
    return place;
  }

  #goRound(): void {
    if (this.head < this.places) return;
    this.head = 0;
    this.rounds++;
  }

  /** Replies pulled in this session. */
  get pulled(): number {
    return this.rounds * this.places + this.head;
  }
}
