/**
 * The porter of a hop that sends under a discipline: what its user sends is kept until the discipline lets it go. A
 * link with a kept buffer answers as a full one does. What a PE sends to itself is not kept.
 *
 * A kept buffer is where it was filled: nothing is copied, and each link has one at most.
 *
 * Example: `send(2, …)` keeps; `open(2)` is -1; `sendKept(2)` sends; `open(2)` is the next buffer of the link, if that
 * is free.
 */
import type { Porter } from "../../links/transport/contract.ts";

/** Numbers that are kept for a buffer, by position. */
const START = 0;
const BYTES = 1;
const COUNT = 2;
const ITEMS = 3;
const STAMP = 4;
const FIELDS = 5;

export class DisciplinedPorter implements Porter {
  readonly links: number;
  /** Number of kept buffers. */
  kept = 0;
  readonly #porter: Porter;
  /** The link from this PE to itself; -1 for none. */
  readonly #own: number;
  /** By link: the arguments of its kept buffer's `send`. */
  readonly #fields: Float64Array;
  /** By link: the number of its kept buffer, in the order in which they came; 0 for none. */
  readonly #numbers: Float64Array;
  #number = 0;

  constructor(porter: Porter, own: number) {
    this.links = porter.links;
    this.#porter = porter;
    this.#own = own;
    this.#fields = new Float64Array(FIELDS * porter.links);
    this.#numbers = new Float64Array(porter.links);
  }

  open(link: number): number {
    return this.isKept(link) ? -1 : this.#porter.open(link);
  }

  /** Of a link under the discipline none: what is sent is kept until its turn. */
  hasAnother(link: number): boolean {
    return link === this.#own && this.#porter.hasAnother(link);
  }

  send(link: number, start: number, bytes: number, count: number, items: number, stamp = 0): void {
    if (link === this.#own) {
      this.#porter.send(link, start, bytes, count, items, stamp);
      return;
    }
    const fields = this.#fields;
    const at = FIELDS * link;
    fields[at + START] = start;
    fields[at + BYTES] = bytes;
    fields[at + COUNT] = count;
    fields[at + ITEMS] = items;
    fields[at + STAMP] = stamp;
    this.#numbers[link] = ++this.#number;
    this.kept++;
  }

  isKept(link: number): boolean {
    return this.#numbers[link] !== 0;
  }

  /** The link whose buffer was kept first; -1 if there is none. */
  get oldest(): number {
    if (this.kept === 0) return -1;
    const numbers = this.#numbers;
    let oldest = -1;
    for (let link = 0; link < this.links; link++) {
      if (numbers[link] !== 0 && (oldest < 0 || numbers[link] < numbers[oldest])) oldest = link;
    }
    return oldest;
  }

  /** Sends the kept buffer of a link. */
  sendKept(link: number): void {
    const fields = this.#fields;
    const at = FIELDS * link;
    this.#numbers[link] = 0;
    this.kept--;
    this.#porter.send(
      link,
      fields[at + START],
      fields[at + BYTES],
      fields[at + COUNT],
      fields[at + ITEMS],
      fields[at + STAMP],
    );
  }

  borrow(): boolean {
    return this.#porter.borrow();
  }

  get source(): number {
    return this.#porter.source;
  }

  get start(): number {
    return this.#porter.start;
  }

  get bytes(): number {
    return this.#porter.bytes;
  }

  get count(): number {
    return this.#porter.count;
  }

  get stamp(): number {
    return this.#porter.stamp;
  }

  finish(): void {
    this.#porter.finish();
  }

  release(): void {
    this.#porter.release();
  }

  settled(): boolean {
    return this.kept === 0 && this.#porter.settled();
  }

  handedOver(): boolean {
    return this.kept === 0 && this.#porter.handedOver();
  }

  reads(link: number): boolean {
    return this.#porter.reads(link);
  }

  isSending(link: number): boolean {
    return this.#porter.isSending(link);
  }
}
