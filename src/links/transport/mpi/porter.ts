/**
 * The porter between nodes: one PE's links of a hop to PEs on other nodes, over MPI. Nothing is copied: a buffer is
 * sent from where it was filled, and received where it is read.
 *
 * For every buffer that may arrive, a receive is posted before it is sent: the sender has no more than `perLink`
 * buffers in flight that were not read to their end, and receipts tell it how many were. Receives of a link are posted
 * in order and messages match them in order (MPI 3.1, section 3.5), so buffer n of a link is received into slot n
 * modulo perLink.
 *
 * Receipts are sent with the next buffer in the other direction, or in an ack, at most once in a turn. A buffer that
 * was read but is still accessible counts as read: the sender fills memory of its own. So one more message than there
 * are receives may arrive, and waits in MPI.
 *
 * When an end of a link is settled, nothing is in transit to it: all buffers that it has sent were read, or are quiet
 * (receipts.ts), the last receipt was received, and with it, as it counts them, all acks; and it has told what it has
 * read. Of what comes to it, it has read the last buffer (hop-end.ts), or all have voted. So a conveyor that is not in
 * a session can be freed without a message.
 *
 * Source: the MPI porter of bale's convey, which has one send at a time for each link.
 */
import type { Heap } from "../../../ground/memory/heap.ts";
import { type Arrivals, type Buffers, LAST, type Porter } from "../contract.ts";
import { isLarge, reclaim } from "../heap/reclaim.ts";
import { linkTag } from "../messages/tags.ts";
import type { SessionWord } from "../session-word.ts";
import {
  BYTES,
  COUNT,
  HEAD_ALIGN,
  HEAD_BYTES,
  inAt,
  messageBytes,
  outAt,
  remoteLinkBytes,
  SESSION,
  STAMP,
  START,
} from "./layout.ts";
import type { Party, Wire } from "./pending.ts";
import { Receipts, type RemoteEnds } from "./receipts.ts";
import type { RemoteLink } from "./remote-links.ts";

/** One PE's links of one hop to other nodes. */
export class RemotePorter implements Porter, Arrivals, Party {
  readonly links: number;
  source = 0;
  start = 0;
  bytes = 0;
  count = 0;
  stamp = 0;
  readonly receipts: Receipts;
  readonly #heap: Heap;
  readonly #wire: Wire;
  readonly #session: SessionWord;
  readonly #buffers: Buffers;
  readonly #ends: RemoteEnds;
  /** By link of the hop: its index among those to other nodes; -1 if the friend is on this node. */
  readonly #place: Int32Array;
  /** First slots of the wire: for incoming buffers, for outgoing ones. */
  readonly #in: number;
  readonly #out: number;
  readonly #views: readonly Uint8Array[];
  /** By index and buffer: whether it is being sent; whether it was received. */
  readonly #sending: Uint8Array;
  readonly #came: Uint8Array;
  /** By index: buffers received and released, modulo 2^32. */
  readonly #got: Int32Array;
  /** By index: the session word of the last buffer of a session that came last. */
  readonly #ended: Int32Array;
  /** By index: 1 if the last buffer was large, see reclaim.ts. */
  readonly #wasLarge: Uint8Array;
  /** Number of buffers that MPI is still sending. */
  #underWay = 0;
  /** Received buffers that were not borrowed. */
  #waiting = 0;
  #next = 0;
  /** Of the borrowed buffer: the index of its link, and the word index of its head. */
  #held = -1;
  #head = 0;
  #isFinished = false;

  /**
   * @param links of the hop
   * @param remote those to other nodes
   * @param at byte offset of their memory: zeroed
   */
  constructor(
    heap: Heap,
    wire: Wire,
    session: SessionWord,
    buffers: Buffers,
    links: number,
    { remote, at }: { readonly remote: readonly RemoteLink[]; readonly at: number },
  ) {
    const n = remote.length * buffers.perLink;
    this.#heap = heap;
    this.#wire = wire;
    this.#session = session;
    this.#buffers = buffers;
    this.#ends = {
      remote,
      at: Float64Array.from(remote, (_, place) => at + place * remoteLinkBytes(buffers)),
      tag: new Int32Array(remote.length),
    };
    this.links = links;
    this.#place = new Int32Array(links).fill(-1);
    for (const [place, { link }] of remote.entries()) this.#place[link] = place;
    this.#in = wire.reserve(this, n);
    this.#out = wire.reserve(this, n);
    this.#views = Array.from({ length: n }, (_, index) => {
      const link = this.#ends.at[Math.floor(index / buffers.perLink)];
      const from = link + inAt(buffers, index % buffers.perLink);
      return heap.u8.subarray(from, from + messageBytes(buffers));
    });
    this.#sending = new Uint8Array(n);
    this.#came = new Uint8Array(n);
    this.#got = new Int32Array(remote.length);
    this.#ended = new Int32Array(remote.length);
    this.#wasLarge = new Uint8Array(remote.length);
    this.receipts = new Receipts(heap, wire, this.#ends);
  }

  /** Posts the receives; called when the wire has begun. */
  begin(): void {
    const { perLink } = this.#buffers;
    for (const [index, view] of this.#views.entries()) {
      const place = Math.floor(index / perLink);
      const { node } = this.#ends.remote[place] as RemoteLink;
      this.#wire.prepare(this.#in + index, view, node, this.tagOf(place));
      this.#wire.start(this.#in + index);
    }
    this.receipts.begin();
  }

  /** The tag of messages received over a link. */
  tagOf(place: number): number {
    return linkTag(this.#ends.at[place]);
  }

  /** Sets the tag under which the friend receives over a link of the hop. */
  know(link: number, tag: number): void {
    const place = this.#place[link];
    if (place >= 0) this.#ends.tag[place] = tag;
  }

  open(link: number): number {
    const place = this.#place[link];
    const buffer = this.#free(place, this.receipts.sent[place]);
    if (buffer < 0) return -1;
    const start = this.#ends.at[place] + outAt(this.#buffers, buffer);
    if (this.#wasLarge[place] !== 0) reclaim(this.#heap.i32, start, this.#buffers.bytes);
    return start;
  }

  hasAnother(link: number): boolean {
    const place = this.#place[link];
    return this.#free(place, this.receipts.sent[place] + 1) >= 0;
  }

  /** The number of the next buffer once so many were sent; -1 if it is in flight. */
  #free(place: number, sent: number): number {
    const { perLink } = this.#buffers;
    // as Int32: the counts are modulo 2^32
    if (((sent - this.receipts.read[place]) | 0) >= perLink) return -1;
    const buffer = (sent >>> 0) % perLink;
    return this.#sending[place * perLink + buffer] === 0 ? buffer : -1;
  }

  send(link: number, start: number, bytes: number, count: number, _items: number, stamp = 0): void {
    const place = this.#place[link];
    const { receipts } = this;
    const { i32, u8 } = this.#heap;
    const from = ((start - HEAD_BYTES) & -HEAD_ALIGN) >>> 0;
    const head = from / 4;
    i32[head + START] = start - from;
    i32[head + BYTES] = bytes;
    i32[head + COUNT] = count;
    i32[head + STAMP] = stamp;
    i32[head + SESSION] = this.#session.value;
    receipts.tell(place, head);
    const { perLink } = this.#buffers;
    const index = place * perLink + ((receipts.sent[place] >>> 0) % perLink);
    const length = start + bytes - from;
    // with one buffer the next session could send nothing before an ack
    receipts.count(place, head, length, (count & LAST) !== 0 && perLink > 1);
    this.#wasLarge[place] = isLarge(bytes, this.#buffers.bytes) ? 1 : 0;
    this.#sending[index] = 1;
    this.#underWay++;
    const { remote, tag } = this.#ends;
    this.#wire.send(this.#out + index, u8, remote[place].node, tag[place], length, from);
  }

  over(slot: number): void {
    if (slot >= this.#out) {
      this.#sending[slot - this.#out] = 0;
      this.#underWay--;
      return;
    }
    const index = slot - this.#in;
    const place = Math.floor(index / this.#buffers.perLink);
    const head = this.#views[index].byteOffset / 4;
    const { i32 } = this.#heap;
    this.#came[index] = 1;
    this.#waiting++;
    if ((i32[head + COUNT] & LAST) !== 0) this.#ended[place] = i32[head + SESSION];
    this.receipts.hear(place, head);
  }

  /** Received buffers of the open session, with something in them, that were not borrowed. */
  get arrived(): number {
    const { i32 } = this.#heap;
    return this.#views.filter(({ byteOffset }, index) => {
      if (this.#came[index] === 0 || i32[byteOffset / 4 + BYTES] === 0) return false;
      return i32[byteOffset / 4 + SESSION] === this.#session.value;
    }).length;
  }

  borrow(): boolean {
    if (this.#waiting === 0) return false;
    const { remote } = this.#ends;
    const { perLink } = this.#buffers;
    for (let looked = 0; looked < remote.length; looked++) {
      const place = this.#next;
      this.#next = place + 1 === remote.length ? 0 : place + 1;
      const index = place * perLink + ((this.#got[place] >>> 0) % perLink);
      if (this.#came[index] === 0) continue;
      const { i32 } = this.#heap;
      const from = this.#views[index].byteOffset;
      const head = from / 4;
      if (!this.#session.admits(i32[head + SESSION])) continue;
      this.#came[index] = 0;
      this.#waiting--;
      this.source = remote[place].link;
      this.start = from + i32[head + START];
      this.bytes = i32[head + BYTES];
      this.count = i32[head + COUNT];
      this.stamp = i32[head + STAMP];
      this.#held = place;
      this.#head = head;
      this.#isFinished = false;
      return true;
    }
    return false;
  }

  finish(): void {
    if (this.#held < 0 || this.#isFinished) return;
    this.#isFinished = true;
    this.receipts.finish(this.#held, this.#head);
  }

  release(): void {
    const place = this.#held;
    if (place < 0) return;
    this.finish();
    this.#held = -1;
    const buffer = (this.#got[place] >>> 0) % this.#buffers.perLink;
    this.#got[place]++;
    this.#wire.start(this.#in + place * this.#buffers.perLink + buffer);
  }

  settled(): boolean {
    // the friends need the receipts after this PE has freed the conveyor
    return this.#underWay === 0 && this.receipts.open < 0 && this.receipts.areTold;
  }

  /** Oversized items of this conveyor are sent over the same wire, and need this PE. */
  handedOver(): boolean {
    return !this.#wire.isSending && this.settled();
  }

  reads(): boolean {
    return false;
  }

  isSending(link: number): boolean {
    const { perLink } = this.#buffers;
    const first = this.#place[link] * perLink;
    for (let index = first; index < first + perLink; index++) if (this.#sending[index] !== 0) return true;
    return false;
  }

  /** A PE of another node whose message is needed to settle all, or as the session's last one; -1 for none. */
  get awaited(): number {
    const { sent, read } = this.receipts;
    const place = this.#ended.findIndex((ended, at) => {
      if (this.receipts.isOpen(at)) return true;
      // whoever has left has read it, if it has sent its last one
      return sent[at] !== read[at] && ended !== this.#session.value;
    });
    return place < 0 ? -1 : this.#ends.remote[place].peer;
  }
}
