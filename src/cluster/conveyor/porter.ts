/**
 * The porter between nodes: one PE's links of a hop to PEs on other nodes, over MPI. Nothing is copied: a buffer is sent
 * from where it was filled, and received where it is read.
 *
 * What: for every buffer that may come a receive is under way before it does, as the sender has no more than
 * `perLink` buffers under way that have not been read to their end, and learns of that by what comes back.
 * Receives of a link are begun in order and messages meet them in order (MPI 3.1, section 3.5), so buffer n of a link
 * comes into place n modulo perLink.
 *
 * What has been read is told with the next buffer that goes the other way, or once in a turn by an ack. A buffer that
 * has been read and is still being looked at counts as read: what the sender fills is memory of its own. So one
 * message more than there are receives may have come, and waits in MPI.
 *
 * When all is settled at both ends of a link, nothing is on its way: all buffers have been read, so they have come; and
 * the last word of that has come, and with it, as it counts them, all acks. So a conveyor that is not in a session can be
 * given back without a word to the others.
 *
 * Source: the MPI porter of bale's convey, which has one send at a time for each link.
 */
import type { Heap } from "../../memory/heap.ts";
import type { Arrivals, Buffers, Porter } from "../../porter/types.ts";
import { linkTag } from "../tags.ts";
import type { FarLink } from "./far-links.ts";
import {
  ACK_IN,
  ACK_OUT,
  ACKS,
  BYTES,
  COUNT,
  FINISHED,
  farLinkBytes,
  HEAD_ALIGN,
  HEAD_BYTES,
  inAt,
  messageBytes,
  outAt,
  STAMP,
  START,
} from "./layout.ts";
import type { Party, Wire } from "./wire.ts";

/** One PE's links of one hop to other nodes. Links are numbered in here by their place in the list that it is made from. */
export class FarPorter implements Porter, Arrivals, Party {
  readonly links: number;
  source = 0;
  start = 0;
  bytes = 0;
  count = 0;
  stamp = 0;
  /** Buffers that have come and have not been borrowed. */
  arrived = 0;
  readonly #heap: Heap;
  readonly #wire: Wire;
  readonly #buffers: Buffers;
  readonly #perLink: number;
  readonly #far: readonly FarLink[];
  /** By link of the hop: its place in the list; -1 where the friend is on this node. */
  readonly #place: Int32Array;
  /** By place: byte offset of the link, and the tag of what is sent over it; 0 as long as that is not known. */
  readonly #at: Float64Array;
  readonly #tag: Int32Array;
  /** Slots of the wire: buffers in, buffers out, acks in, acks out. */
  readonly #in: number;
  readonly #out: number;
  readonly #acksIn: number;
  readonly #acksOut: number;
  readonly #inViews: readonly Uint8Array[] = [];
  readonly #ackViews: readonly Uint8Array[] = [];
  /** By place and buffer: whether it is being sent; whether one has come. */
  readonly #sending: Uint8Array;
  readonly #came: Uint8Array;
  /** By place: buffers sent; of those read by the receiver; buffers received and given back; read here. */
  readonly #sent: Int32Array;
  readonly #read: Int32Array;
  readonly #got: Int32Array;
  readonly #finished: Int32Array;
  /** By place: what was last told of {@link #finished}; acks sent; acks that have come, and that the friend has sent. */
  readonly #told: Int32Array;
  readonly #acksSent: Int32Array;
  readonly #acksCame: Int32Array;
  readonly #acksSaid: Int32Array;
  readonly #acking: Uint8Array;
  /** Places whose friend is to be told something. */
  #owed: number[] = [];
  readonly #isOwed: Uint8Array;
  /** Buffers that have not been read by their receivers, and those that MPI still sends. */
  #unread = 0;
  #underWay = 0;
  #next = 0;
  #held = -1;
  #isFinished = false;

  /** @param at byte offset of the memory for all links: zeroed */
  constructor(
    heap: Heap,
    wire: Wire,
    buffers: Buffers,
    links: number,
    { far, at }: { readonly far: readonly FarLink[]; readonly at: number },
  ) {
    const { perLink } = buffers;
    const n = far.length;
    this.#heap = heap;
    this.#wire = wire;
    this.#buffers = buffers;
    this.#perLink = perLink;
    this.#far = far;
    this.links = links;
    this.#place = new Int32Array(links).fill(-1);
    for (const [place, { link }] of far.entries()) this.#place[link] = place;
    this.#at = Float64Array.from(far, (_, place) => at + place * farLinkBytes(buffers));
    this.#in = wire.reserve(this, n * perLink);
    this.#out = wire.reserve(this, n * perLink);
    this.#acksIn = wire.reserve(this, n);
    this.#acksOut = wire.reserve(this, n);
    const view = (from: number, bytes: number) => heap.u8.subarray(from, from + bytes);
    this.#inViews = Array.from({ length: n * perLink }, (_, slot) => {
      const from = this.#at[Math.floor(slot / perLink)] + inAt(buffers, slot % perLink);
      return view(from, messageBytes(buffers));
    });
    this.#ackViews = [ACK_IN, ACK_OUT].flatMap((where) =>
      Array.from(this.#at, (link) => view(link + where, HEAD_BYTES)),
    );
    this.#sending = new Uint8Array(n * perLink);
    this.#came = new Uint8Array(n * perLink);
    const numbers = () => new Int32Array(n);
    [this.#tag, this.#sent, this.#read, this.#got, this.#finished] = [0, 0, 0, 0, 0].map(numbers);
    [this.#told, this.#acksSent, this.#acksCame, this.#acksSaid] = [0, 0, 0, 0].map(numbers);
    this.#acking = new Uint8Array(n);
    this.#isOwed = new Uint8Array(n);
  }

  /** Begins to receive; when the wire has begun. */
  begin(): void {
    for (let place = 0; place < this.#far.length; place++) {
      for (let buffer = 0; buffer < this.#perLink; buffer++) this.#receive(place, buffer);
      this.#receiveAck(place);
    }
  }

  /** The tag of what is to come over a link. */
  tagOf(place: number): number {
    return linkTag(this.#at[place]);
  }

  /** The friend at the other end of a link of the hop receives under this tag. */
  know(link: number, tag: number): void {
    const place = this.#place[link];
    if (place >= 0) this.#tag[place] = tag;
  }

  #receive(place: number, buffer: number): void {
    const index = place * this.#perLink + buffer;
    this.#wire.receive(
      this.#in + index,
      this.#inViews[index],
      this.#far[place].node,
      linkTag(this.#at[place]),
    );
  }

  #receiveAck(place: number): void {
    const { node } = this.#far[place];
    this.#wire.receive(this.#acksIn + place, this.#ackViews[place], node, linkTag(this.#at[place]) + 1);
  }

  open(link: number): number {
    const place = this.#place[link];
    const sent = this.#sent[place];
    // as Int32: the counts are modulo 2^32
    if (((sent - this.#read[place]) | 0) >= this.#perLink) return -1;
    const buffer = (sent >>> 0) % this.#perLink;
    if (this.#sending[place * this.#perLink + buffer] !== 0) return -1;
    return this.#at[place] + outAt(this.#buffers, buffer);
  }

  send(link: number, start: number, bytes: number, count: number, _items: number, stamp = 0): void {
    const place = this.#place[link];
    const { i32, u8 } = this.#heap;
    const from = ((start - HEAD_BYTES) & -HEAD_ALIGN) >>> 0;
    const head = from / 4;
    i32[head + START] = start - from;
    i32[head + BYTES] = bytes;
    i32[head + COUNT] = count;
    i32[head + STAMP] = stamp;
    this.#tell(place, head);
    const index = place * this.#perLink + ((this.#sent[place] >>> 0) % this.#perLink);
    this.#sent[place]++;
    this.#sending[index] = 1;
    this.#unread++;
    this.#underWay++;
    const message = u8.subarray(from, start + bytes);
    this.#wire.send(this.#out + index, message, this.#far[place].node, this.#tag[place]);
  }

  /** Puts into a head what has been read here. */
  #tell(place: number, head: number): void {
    const { i32 } = this.#heap;
    this.#told[place] = this.#finished[place];
    i32[head + FINISHED] = this.#finished[place];
    i32[head + ACKS] = this.#acksSent[place];
  }

  /** Tells those whose buffers have been read and who have not been told with others; whether somebody is left. */
  acknowledge(): void {
    if (this.#owed.length === 0) return;
    const later: number[] = [];
    for (const place of this.#owed) {
      if (this.#told[place] === this.#finished[place]) {
        this.#isOwed[place] = 0;
      } else if (this.#acking[place] !== 0) {
        later.push(place);
      } else {
        this.#isOwed[place] = 0;
        this.#acking[place] = 1;
        this.#acksSent[place]++;
        this.#tell(place, (this.#at[place] + ACK_OUT) / 4);
        const view = this.#ackViews[this.#far.length + place];
        this.#wire.send(this.#acksOut + place, view, this.#far[place].node, this.#tag[place] + 1);
      }
    }
    this.#owed = later;
  }

  over(slot: number): void {
    if (slot >= this.#acksOut) {
      this.#acking[slot - this.#acksOut] = 0;
    } else if (slot >= this.#acksIn) {
      const place = slot - this.#acksIn;
      this.#acksCame[place]++;
      this.#hear(place, (this.#at[place] + ACK_IN) / 4);
      this.#receiveAck(place);
    } else if (slot >= this.#out) {
      this.#sending[slot - this.#out] = 0;
      this.#underWay--;
    } else {
      const index = slot - this.#in;
      this.#came[index] = 1;
      this.arrived++;
      this.#hear(Math.floor(index / this.#perLink), this.#inViews[index].byteOffset / 4);
    }
  }

  /** What a friend says of the buffers that it has had. Heads may be seen in another order than they were sent in. */
  #hear(place: number, head: number): void {
    const { i32 } = this.#heap;
    const read = i32[head + FINISHED];
    const more = (read - this.#read[place]) | 0;
    if (more > 0) {
      this.#read[place] = read;
      this.#unread -= more;
    }
    const acks = i32[head + ACKS];
    if (((acks - this.#acksSaid[place]) | 0) > 0) this.#acksSaid[place] = acks;
  }

  borrow(): boolean {
    if (this.arrived === 0) return false;
    const { length } = this.#far;
    const perLink = this.#perLink;
    for (let looked = 0; looked < length; looked++) {
      const place = this.#next;
      this.#next = place + 1 === length ? 0 : place + 1;
      const index = place * perLink + ((this.#got[place] >>> 0) % perLink);
      if (this.#came[index] === 0) continue;
      const { i32 } = this.#heap;
      const from = this.#inViews[index].byteOffset;
      const head = from / 4;
      this.#came[index] = 0;
      this.arrived--;
      this.source = this.#far[place].link;
      this.start = from + i32[head + START];
      this.bytes = i32[head + BYTES];
      this.count = i32[head + COUNT];
      this.stamp = i32[head + STAMP];
      this.#held = place;
      this.#isFinished = false;
      return true;
    }
    return false;
  }

  finish(): void {
    const place = this.#held;
    if (place < 0 || this.#isFinished) return;
    this.#isFinished = true;
    this.#finished[place]++;
    if (this.#isOwed[place] !== 0) return;
    this.#isOwed[place] = 1;
    this.#owed.push(place);
  }

  release(): void {
    const place = this.#held;
    if (place < 0) return;
    this.finish();
    this.#held = -1;
    const buffer = (this.#got[place] >>> 0) % this.#perLink;
    this.#got[place]++;
    this.#receive(place, buffer);
  }

  settled(): boolean {
    return this.#unread === 0 && this.#underWay === 0 && this.awaited < 0;
  }

  /** A PE on another node from whom something has to come before all is settled; -1 for none. */
  get awaited(): number {
    const place = this.#far.findIndex(
      (_, i) => this.#sent[i] !== this.#read[i] || this.#acksCame[i] !== this.#acksSaid[i],
    );
    return place < 0 ? -1 : this.#far[place].peer;
  }
}
