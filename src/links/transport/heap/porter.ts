/**
 * The porter of a node: links through the shared heap. Nothing is copied: the sender fills a buffer in the heap, and
 * the receiver reads it there. Links to PEs of other nodes whose heaps this node has mapped are of the same kind
 * (mpi/mapped-links.ts).
 *
 * There is one fence for each sent buffer and one for each released buffer. A word that a PE polls is in a line that
 * only one other PE writes (layout.ts).
 *
 * Source: the local porter of bale's convey, with its counters (produced, emitted, delivered).
 */
import { DOUBLE_ZERO } from "../../../ground/base/for-v8.ts";
import type { Wakers } from "../../../ground/wait/wakers.ts";
import type { Buffers, CompiledLinks, Porter } from "../contract.ts";
import type { SessionWord } from "../session-word.ts";
import {
  BACK,
  BUFFER_WORDS,
  BUFFERS,
  BYTES,
  COUNT,
  COUNTER_MASK,
  LINK_HEAD,
  SENT,
  SESSION,
  STAMP,
  START,
} from "./layout.ts";
import { headAt, type LinkCounters, ownCounters, sharedCounters } from "./link-counters.ts";
import { isLarge, reclaim } from "./reclaim.ts";

/** Offsets of a porter's links, by friend. */
export interface LinkOffsets {
  /** Byte offsets of the links to the friends; 0 if there is none, or before {@link SharedPorter.know}. */
  readonly out: Float64Array;
  /** Byte offsets of the friends' links to this PE. */
  readonly in: Float64Array;
  /** Friends' ranks in the world; -1 for none. */
  readonly peers: Int32Array;
  /** The order in which friends are served. */
  readonly order: Int32Array;
}

/** One PE's links of one hop. */
export class SharedPorter implements Porter, CompiledLinks {
  readonly links: number;
  source = 0;
  start: number = DOUBLE_ZERO;
  bytes = 0;
  count = 0;
  stamp = 0;
  readonly head: number;
  readonly #i32: Int32Array;
  readonly #wakers: Wakers;
  readonly #session: SessionWord;
  readonly #perLink: number;
  readonly #bufferBytes: number;
  readonly #out: Float64Array;
  readonly #in: Float64Array;
  readonly #peers: Int32Array;
  readonly #order: Int32Array;
  /** By link: word index of the own link, and of the friend's; 0 for none. */
  readonly #outWord: Uint32Array;
  readonly #inWord: Uint32Array;
  /** By link: 1 if the friend is on this node; only those links are known from the start. */
  readonly #isNear: Uint8Array;
  /** By link: buffers sent, sent buffers known to be released, buffers received and released. */
  readonly #sent: Int32Array;
  readonly #back: Int32Array;
  readonly #got: Int32Array;
  /** By link: 1 if the last buffer was large, see reclaim.ts. */
  readonly #wasLarge: Uint8Array;
  /** Position in the order where the search for the next buffer begins. */
  #next = 0;
  #held = false;
  #finished = false;
  /** Links before this one are settled. */
  #settled = 0;

  /** @param at byte offset of its counters, if a loop in compiled code moves buffers, too: see link-counters.ts */
  constructor(
    i32: Int32Array,
    wakers: Wakers,
    session: SessionWord,
    { bytes, perLink }: Buffers,
    places: LinkOffsets,
    at?: number,
  ) {
    this.#session = session;
    this.#i32 = i32;
    this.#wakers = wakers;
    this.#perLink = perLink;
    this.#bufferBytes = bytes;
    this.#out = places.out;
    this.#in = places.in;
    this.#peers = places.peers;
    this.#order = places.order;
    this.links = places.peers.length;
    this.#outWord = Uint32Array.from(places.out, (offset) => offset / 4);
    this.#inWord = Uint32Array.from(places.in, (offset) => offset / 4);
    this.#isNear = Uint8Array.from(places.out, (offset) => (offset === 0 ? 0 : 1));
    const counters = at === undefined ? ownCounters(this.links) : this.#share(at);
    this.#sent = counters.sent;
    this.#back = counters.back;
    this.#got = counters.got;
    this.head = at === undefined ? -1 : at + headAt(this.links);
    this.#wasLarge = new Uint8Array(this.links);
  }

  /** Its counters at a byte offset. */
  #share(at: number): LinkCounters {
    const links = Array.from(this.#peers, (peer, link) => ({
      out: this.#out[link],
      in: this.#in[link],
      waker: 4 * this.#wakers.word(peer),
      order: this.#order[link],
    }));
    return sharedCounters(this.#i32, at, links);
  }

  get compiled(): CompiledLinks | undefined {
    return this.head < 0 ? undefined : this;
  }

  hold(link: number): void {
    this.source = link;
    this.#held = true;
    this.#finished = false;
  }

  part(): void {
    this.#held = false;
  }

  wake(link: number): void {
    this.#wakers.notify(this.#peers[link]);
  }

  /** The byte offset of the link to a friend, before anything is sent over it. */
  know(link: number, offset: number): void {
    this.#out[link] = offset;
    this.#outWord[link] = offset / 4;
  }

  open(link: number): number {
    const sent = this.#sent[link];
    if (!this.#isFree(link, sent)) return -1;
    const start = this.#out[link] + LINK_HEAD + (sent % this.#perLink) * this.#bufferBytes;
    if (this.#wasLarge[link] !== 0) reclaim(this.#i32, start, this.#bufferBytes);
    return start;
  }

  hasAnother(link: number): boolean {
    return this.#isFree(link, (this.#sent[link] + 1) & COUNTER_MASK);
  }

  /** Whether a link has a buffer in flight less than it has buffers, once so many were sent. */
  #isFree(link: number, sent: number): boolean {
    if (((sent - this.#back[link]) & COUNTER_MASK) < this.#perLink) return true;
    // pairs with the store in release(): the receiver no longer reads buffers that it has released
    const back = Atomics.load(this.#i32, this.#outWord[link] + BACK) >>> 1;
    this.#back[link] = back;
    return ((sent - back) & COUNTER_MASK) < this.#perLink;
  }

  send(link: number, start: number, bytes: number, count: number, _items: number, stamp = 0): void {
    const i32 = this.#i32;
    const word = this.#outWord[link];
    const sent = this.#sent[link];
    const about = word + BUFFERS + (sent % this.#perLink) * BUFFER_WORDS;
    i32[about + START] = start - this.#out[link];
    i32[about + BYTES] = bytes;
    i32[about + COUNT] = count;
    i32[about + STAMP] = stamp;
    i32[about + SESSION] = this.#session.value;
    const next = (sent + 1) & COUNTER_MASK;
    this.#sent[link] = next;
    this.#settled = 0;
    // of the link to itself no other CPU has read the lines
    const isOwn = word === this.#inWord[link];
    this.#wasLarge[link] = !isOwn && isLarge(bytes, this.#bufferBytes) ? 1 : 0;
    // pairs with the load in borrow(): the buffer and its description are visible with it
    this.#wakers.post(word + SENT, next, this.#wakers.word(this.#peers[link]));
  }

  borrow(): boolean {
    const order = this.#order;
    const { length } = order;
    let at = this.#next;
    for (let looked = 0; looked < length; looked++) {
      const link = order[at];
      at = at + 1 === length ? 0 : at + 1;
      const got = this.#got[link];
      const word = this.#inWord[link];
      // pairs with the store in send()
      if (Atomics.load(this.#i32, word + SENT) === got) continue;
      const about = word + BUFFERS + (got % this.#perLink) * BUFFER_WORDS;
      if (!this.#session.admits(this.#i32[about + SESSION])) continue;
      this.#next = at;
      this.source = link;
      this.start = this.#in[link] + this.#i32[about + START];
      this.bytes = this.#i32[about + BYTES];
      this.count = this.#i32[about + COUNT];
      this.stamp = this.#i32[about + STAMP];
      this.#held = true;
      this.#finished = false;
      return true;
    }
    return false;
  }

  /** Number of received buffers of the open session, with something in them, that were not borrowed. */
  get arrived(): number {
    const perLink = this.#perLink;
    return this.#order.reduce((sum, link) => {
      const word = this.#inWord[link];
      // pairs with the store in send()
      const sent = Atomics.load(this.#i32, word + SENT);
      const got = this.#got[link] + (this.#held && link === this.source ? 1 : 0);
      let count = 0;
      for (let k = (sent - got) & COUNTER_MASK; k > 0; k--) {
        const about = word + BUFFERS + ((sent - k) & (perLink - 1)) * BUFFER_WORDS;
        if (this.#i32[about + BYTES] > 0 && this.#i32[about + SESSION] === this.#session.value) count++;
      }
      return sum + count;
    }, 0);
  }

  finish(): void {
    if (!this.#held || this.#finished) return;
    this.#finished = true;
    this.#answer((this.#got[this.source] << 1) | 1);
  }

  release(): void {
    if (!this.#held) return;
    const link = this.source;
    const got = (this.#got[link] + 1) & COUNTER_MASK;
    this.#got[link] = got;
    this.#held = false;
    this.#answer(got << 1);
  }

  /** Stores the count for the sender of the borrowed buffer; pairs with the loads in open() and settled(). */
  #answer(back: number): void {
    const link = this.source;
    this.#wakers.post(this.#inWord[link] + BACK, back, this.#wakers.word(this.#peers[link]));
  }

  settled(): boolean {
    for (let link = this.#settled; link < this.links; link++) {
      this.#settled = link;
      if (!this.isRead(link)) return false;
    }
    this.#settled = this.links;
    return true;
  }

  /** A sent buffer is where its receiver reads it. */
  handedOver(): boolean {
    return true;
  }

  /** In the same heap; in a mapped one (mpi/mapped-links.ts) buffers are at other distances for readers. */
  reads(link: number): boolean {
    return this.#isNear[link] !== 0;
  }

  isSending(): boolean {
    return false;
  }

  /** Whether all buffers that were sent over a link were finished. */
  isRead(link: number): boolean {
    // also where there is no friend, or none that is known
    if (this.#outWord[link] === 0) return true;
    // pairs with the stores in finish() and release()
    const back = Atomics.load(this.#i32, this.#outWord[link] + BACK);
    const read = ((back >>> 1) + (back & 1)) & COUNTER_MASK;
    return read === this.#sent[link];
  }
}
