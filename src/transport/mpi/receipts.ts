/**
 * Receipts: each PE reports to its senders on other nodes how many of their buffers it has read, and receives such
 * reports. A receipt is sent with the next buffer in the other direction, or in an ack, at most once in a turn; at most
 * one ack for each link is in flight.
 *
 * Acks are counted, as an ack may be seen later than a buffer that was sent after it.
 */
import type { Heap } from "../../memory/heap.ts";
import { linkTag } from "../messages/tags.ts";
import { ACK_IN, ACK_OUT, ACKS, FINISHED, HEAD_BYTES } from "./layout.ts";
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

/** Receipts of one hop, sent and received. */
export class Receipts implements Party {
  /** By index: buffers sent over the link, and the number of them known to have been read; modulo 2^32. */
  readonly sent: Int32Array;
  readonly read: Int32Array;
  readonly #heap: Heap;
  readonly #wire: Wire;
  readonly #ends: RemoteEnds;
  readonly #acksIn: number;
  readonly #acksOut: number;
  readonly #views: readonly Uint8Array[];
  /**
   * By index: buffers read here; how many of those were reported; acks sent; acks received, and acks known to have been
   * sent.
   */
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
    [this.sent, this.read, this.#finished, this.#told] = [0, 0, 0, 0].map(numbers);
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

  /** A buffer of a link was read. */
  finish(place: number): void {
    this.#finished[place]++;
    if (this.#isOwed[place] !== 0) return;
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

  /** Index of a link whose sent buffers were not all read, or whose acks were not all received; -1 for none. */
  get open(): number {
    for (let place = 0; place < this.sent.length; place++) {
      if (this.sent[place] !== this.read[place]) return place;
      if (this.#acksCame[place] !== this.#acksSaid[place]) return place;
    }
    return -1;
  }
}
