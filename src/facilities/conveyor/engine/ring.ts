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
 * Where all replies have one type, kernels do this for many at a time (item-ring.ts).
 */
import { fixedArrays } from "../../../ground/memory/fixed-array.ts";

/** States: neither push nor pull is allowed; both are; an answer is running. */
export const SHUT = 0;
export const OPEN = 1;
export const ANSWERING = 2;

/**
 * The tables of a ring, by slot and by PE. No number is waiting in `missing`; what is in the others does not matter.
 */
export type RingTables = Pick<Ring, "present" | "next" | "first" | "last" | "missing">;

/** Tables in the PE's own memory. */
export function ringTables(window: number, pes: number): RingTables {
  const [next, first, last, missing] = fixedArrays(window + 1, pes, pes, pes);
  return { present: new Uint8Array(new ArrayBuffer(window + 1)), next, first, last, missing };
}

export class Ring {
  /** Largest number of queries without a pulled reply. */
  readonly window: number;
  /** One more than the window: the slot of the last pulled reply is not reused before the next pull. */
  readonly places: number;
  /** One of the three states above. */
  state: number = SHUT;
  /** By slot, of those from head to tail: whether the reply was received; the next slot that waits for the same PE. */
  readonly present: Uint8Array;
  readonly next: Uint32Array;
  /** By PE: the slot of the next reply, the last slot, and the number of waiting slots. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
  readonly missing: Uint32Array;
  /** The slot of the next query, and of the next reply to be pulled; the same when none is waiting. */
  tail = 0;
  head = 0;
  /** Number of times that `head` has wrapped around in this session. */
  rounds = 0;

  constructor(window: number, { present, next, first, last, missing }: RingTables) {
    this.window = window;
    this.places = window + 1;
    this.present = present;
    this.next = next;
    this.first = first;
    this.last = last;
    this.missing = missing;
  }

  /** Before a session: all slots are free. */
  begin(): void {
    this.tail = 0;
    this.head = 0;
    this.rounds = 0;
    this.state = OPEN;
  }

  /** Queries that may be pushed now. */
  get free(): number {
    const { head, tail, window } = this;
    return head <= tail ? window - (tail - head) : head - tail - 1;
  }

  /** Assigns the next slot, which must be free, to a query to PE `dest`. */
  add(dest: number): void {
    const place = this.tail;
    if (this.missing[dest]++ === 0) this.first[dest] = place;
    else this.next[this.last[dest]] = place;
    this.last[dest] = place;
    this.present[place] = 0;
    this.tail = place + 1 === this.places ? 0 : place + 1;
  }

  /** Takes the slot of the next reply from a PE. */
  claim(from: number): number {
    const place = this.first[from];
    this.first[from] = this.next[place];
    this.missing[from]--;
    this.present[place] = 1;
    return place;
  }

  /** Takes the next reply and frees its slot; -1 if the reply was not received yet. */
  take(): number {
    const place = this.head;
    if (place === this.tail || this.present[place] === 0) return -1;
    this.leave(1);
    return place;
  }

  /** Frees slots from `head` on, as far as the end of the ring at most. */
  protected leave(count: number): void {
    this.head += count;
    if (this.head < this.places) return;
    this.head = 0;
    this.rounds++;
  }

  /** Replies pulled in this session. */
  get pulled(): number {
    return this.rounds * this.places + this.head;
  }
}
