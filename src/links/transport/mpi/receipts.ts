/**
 * Receipts: each PE reports to its senders on other nodes how many of their buffers it has read, and receives such
 * reports. A receipt is sent with the next buffer in the other direction, or in an ack, at most once in a turn; at most
 * one ack for each link is in flight.
 *
 * Acks are counted, as an ack may be seen later than a buffer that was sent after it.
 *
 * A quiet buffer gets no ack. It is the last one of a session and short, and all before it that were not quiet were
 * read. So a small session takes one message in each direction, and no time for another one that says that it was read:
 *
 *     A  ──── items, last, quiet ───▶  B          both are complete when they have what the other one has sent
 *     A  ◀─── items, last, quiet ────  B
 *
 * MPI needs no more calls of this PE for so short a message once the send is over: no more than two of a link are
 * unread at any time, as the friend's last buffer of a session is sent after it has read all of the session before, and
 * says so. That is also why the first buffer of a session can be opened, if a link has two.
 */
import type { Heap } from "../../../ground/memory/heap.ts";
import { linkTag } from "../messages/tags.ts";
import { ACK_IN, ACK_OUT, ACKS, FINISHED, HEAD_BYTES, QUIET } from "./layout.ts";
import type { Party, Wire } from "./pending.ts";
import type { RemoteLink } from "./remote-links.ts";

/** The links of a hop to other nodes; from here on `place` is a link's index in this list. */
export interface RemoteEnds {
  readonly remote: readonly RemoteLink[];
  /** By index: byte offset of the link's memory. */
  readonly at: Float64Array;
  /** By index: the tag for sending; 0 until it is known. */
  readonly tag: Int32Array;
}

/** Bytes of the longest quiet message: an MPI sends those at once, and they fit in what a network holds. */
const QUIET_BYTES = 2048;

/** Receipts of one hop, sent and received. */
export class Receipts implements Party {
  /** By index: buffers sent over the link, and the number of them known to have been read; modulo 2^32. */
  readonly sent: Int32Array;
  readonly read: Int32Array;
  /** By index: `sent` after the last buffer that was not quiet: so many must be known to have been read. */
  readonly #needed: Int32Array;
  readonly #heap: Heap;
  readonly #wire: Wire;
  readonly #ends: RemoteEnds;
  readonly #acksIn: number;
  readonly #acksOut: number;
  readonly #views: readonly Uint8Array[];
  /** By index: buffers read here; how many of those were reported; acks sent; received; known to be sent. */
  readonly #finished: Int32Array;
  readonly #told: Int32Array;
  readonly #acksSent: Int32Array;
  readonly #acksCame: Int32Array;
  readonly #acksSaid: Int32Array;
  readonly #acking: Uint8Array;
  /** Indices of links with unreported buffers. */
  #owed: number[] = [];
  readonly #isOwed: Uint8Array;

  constructor(heap: Heap, wire: Wire, ends: RemoteEnds) {
    const n = ends.remote.length;
    this.#heap = heap;
    this.#wire = wire;
    this.#ends = ends;
    this.#acksIn = wire.reserve(this, n);
    this.#acksOut = wire.reserve(this, n);
    this.#views = [ACK_IN, ACK_OUT].flatMap((where) =>
      Array.from(ends.at, (link) => heap.u8.subarray(link + where, link + where + HEAD_BYTES)),
    );
    const numbers = () => new Int32Array(n);
    [this.sent, this.read, this.#needed, this.#finished, this.#told] = [0, 0, 0, 0, 0].map(numbers);
    [this.#acksSent, this.#acksCame, this.#acksSaid] = [0, 0, 0].map(numbers);
    this.#acking = new Uint8Array(n);
    this.#isOwed = new Uint8Array(n);
  }

  /** Posts the receives; called when the wire has begun. */
  begin(): void {
    const { remote, at } = this.#ends;
    for (const [place, { node }] of remote.entries()) {
      this.#wire.prepare(this.#acksIn + place, this.#views[place], node, linkTag(at[place]) + 1);
      this.#wire.start(this.#acksIn + place);
    }
  }

  /** Counts a buffer that is sent now, and says in its head whether it is quiet. @param mayBe whether it can be */
  count(place: number, head: number, bytes: number, mayBe: boolean): void {
    const sent = ++this.sent[place];
    const isQuiet = mayBe && bytes <= QUIET_BYTES && ((this.#needed[place] - this.read[place]) | 0) <= 0;
    this.#heap.i32[head + QUIET] = isQuiet ? 1 : 0;
    // of a quiet one it follows what was read: the counts are modulo 2^32
    this.#needed[place] = isQuiet ? this.read[place] : sent;
  }

  /** A buffer of a link was read. @param head its own */
  finish(place: number, head: number): void {
    this.#finished[place]++;
    if (this.#heap.i32[head + QUIET] !== 0 || this.#isOwed[place] !== 0) return;
    this.#isOwed[place] = 1;
    this.#owed.push(place);
  }

  /** Writes into a head how many buffers were read here. */
  tell(place: number, head: number): void {
    const { i32 } = this.#heap;
    this.#told[place] = this.#finished[place];
    i32[head + FINISHED] = this.#finished[place];
    i32[head + ACKS] = this.#acksSent[place];
  }

  /** Reads the receipt in a friend's head. Heads may be seen in another order than they were sent in. */
  hear(place: number, head: number): void {
    const { i32 } = this.#heap;
    const read = i32[head + FINISHED];
    if (((read - this.read[place]) | 0) > 0) this.read[place] = read;
    const acks = i32[head + ACKS];
    if (((acks - this.#acksSaid[place]) | 0) > 0) this.#acksSaid[place] = acks;
  }

  /** Sends acks for read buffers that were not reported with other messages. */
  acknowledge(): void {
    if (this.#owed.length === 0) return;
    const { remote, at, tag } = this.#ends;
    const later: number[] = [];
    for (const place of this.#owed) {
      const isTold = this.#told[place] === this.#finished[place];
      if (!isTold && this.#acking[place] !== 0) {
        later.push(place);
        continue;
      }
      this.#isOwed[place] = 0;
      if (isTold) continue;
      this.#acking[place] = 1;
      this.#acksSent[place]++;
      this.tell(place, (at[place] + ACK_OUT) / 4);
      const view = this.#views[remote.length + place];
      this.#wire.send(this.#acksOut + place, view, remote[place].node, tag[place] + 1);
    }
    this.#owed = later;
  }

  over(slot: number): void {
    if (slot >= this.#acksOut) {
      this.#acking[slot - this.#acksOut] = 0;
      return;
    }
    const place = slot - this.#acksIn;
    this.#acksCame[place]++;
    this.hear(place, (this.#ends.at[place] + ACK_IN) / 4);
    this.#wire.start(slot);
  }

  /** Whether all buffers that were read were reported. */
  get areTold(): boolean {
    return this.#owed.length === 0;
  }

  /** Index of a link of which a receipt is missing, or an ack; -1 for none. */
  get open(): number {
    for (let place = 0; place < this.sent.length; place++) if (this.isOpen(place)) return place;
    return -1;
  }

  /** Whether not all sent buffers but quiet ones were read, or not all acks were received. */
  isOpen(place: number): boolean {
    return ((this.#needed[place] - this.read[place]) | 0) > 0 || this.#acksCame[place] !== this.#acksSaid[place];
  }
}
