/**
 * The ring: slots in which the replies of a biconveyor wait for their turn.
 *
 * A query takes the next slot when it is pushed, and its reply is stored there until it is pulled. Replies from one PE
 * arrive in the order of the queries to it (V4 of docs/contract.md), so no sequence number travels with them: the slots
 * that wait for one PE form a linked list.
 *
 *     pulled next ↓                           ↓ pushed next
 *     ┌─────────┬─────────┬─────────┬─────────┬───────┐
 *     │ PE 1  ✓ │ PE 0    │ PE 1    │ PE 0  ✓ │ free  │      here the list of PE 1 is slot 2, that of PE 0 slot 1
 *     └─────────┴─────────┴─────────┴─────────┴───────┘
 *
 * The innermost loops contain copies of {@link Ring.add}, {@link Ring.claim} and {@link Ring.take} (bi-code.ts), in
 * which V8 knows the types of the arrays.
 */
import { fixedArrays } from "../../memory/fixed-array.ts";

/** States: neither push nor pull is allowed; both are; an answer is running. */
export const SHUT = 0;
export const OPEN = 1;
export const ANSWERING = 2;

export class Ring {
  /** Largest number of queries without a pulled reply. */
  readonly window: number;
  /** One more than the window: the slot of the last pulled reply is not reused before the next pull. */
  readonly places: number;
  /** One of the three states above. */
  state: number = SHUT;
  /** Queries that may be pushed now. */
  free: number;
  /** By slot: whether the reply was received; the next slot that waits for the same PE. */
  readonly present: Uint8Array;
  readonly next: Uint32Array;
  /** By PE: the slot of the next reply, the last slot, and the number of waiting slots. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly missing: Uint32Array;
  /** The slot of the next query, and of the next reply to be pulled. */
  tail = 0;
  head = 0;
  /** Number of times that `head` has wrapped around in this session. */
  rounds = 0;

  constructor(window: number, pes: number) {
    this.window = window;
    this.places = window + 1;
    this.free = window;
    this.present = new Uint8Array(new ArrayBuffer(this.places));
    [this.next, this.first, this.last, this.missing] = fixedArrays(this.places, pes, pes, pes);
  }

  /** Before a session: all slots are free. */
  begin(): void {
    this.free = this.window;
    this.tail = 0;
    this.head = 0;
    this.rounds = 0;
    this.state = OPEN;
  }

  /** Assigns the next slot, which must be free, to a query to PE `dest`. */
  add(dest: number): void {
    const place = this.tail;
    if (this.missing[dest]++ === 0) this.first[dest] = place;
    else this.next[this.last[dest]] = place;
    this.last[dest] = place;
    this.tail = place + 1 === this.places ? 0 : place + 1;
    this.free--;
  }

  /** Takes the slot of the next reply from a PE. */
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

  /** Takes up to `most` received replies in adjacent slots from `head` on; returns their number. */
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

  /** Takes the next reply and frees its slot; -1 if the reply was not received yet. */
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
