/**
 * The inbox: the buffer that is being pulled from. The innermost loops read and write its fields.
 *
 *     first             at       next                      limit
 *     ┌────────┬────────┬────────┬────────┬────────┬───────┐
 *     │ pulled │ pulled │ c.item │ to come         …       │
 *     └────────┴────────┴────────┴────────┴────────┴───────┘
 *
 * A buffer is given back when the next one is asked for. The item pulled last is copied aside then, so that
 * it can be looked at until another one has been pulled.
 */

import type { Views } from "../../item/views.ts";
import type { Porter } from "../../transport/contract.ts";
import type { Squeezer } from "../geometry/codec.ts";
import type { Packing } from "../geometry/packing.ts";

export class Inbox {
  /** The item that was pulled last; before the first, a place where nothing is. */
  at: number;
  /** The item that is pulled next; equal to {@link limit} when there is none in this buffer. */
  next = 0;
  limit = 0;
  /** Items before this one cannot be restored. */
  first = 0;
  /** Where the tag of the item at `at` is; that of the next one lies below it. */
  tagAt = 0;
  /** The link over which the buffer at hand came. */
  source = 0;
  /** Of the item that was copied aside: the link over which it came, and its tag. */
  #keptSource = 0;
  #keptTag = 0;
  /** A pull found nothing in the buffer at hand. */
  wanted = false;
  /** A buffer was taken since this was last set to false. */
  fetched = false;
  /** Items pulled in this session, without those of the buffer at hand; items restored count no more. */
  #pulled = 0;
  #packing: Packing = { stride: 1, tagBytes: 0, capacity: 0, base: 0, unit: 1 };
  #held = false;
  readonly #porter: Porter;
  readonly #views: Views;
  readonly #aside: number;
  readonly #squeezer: Squeezer | null;

  /**
   * @param porter of the last hop
   * @param aside byte offset of memory for one item
   * @param squeezer where the last hop is compressed
   */
  constructor(porter: Porter, views: Views, aside: number, squeezer: Squeezer | null) {
    this.#porter = porter;
    this.#views = views;
    this.#aside = aside;
    this.at = aside;
    this.#squeezer = squeezer;
  }

  /** Before a session. */
  begin(packing: Packing): void {
    this.#packing = packing;
    this.#pulled = 0;
    this.wanted = false;
  }

  /** The next buffer to pull from; gives the last one back. Only when that has been pulled to its end. */
  fetch(): boolean {
    this.drop();
    const porter = this.#porter;
    if (!porter.borrow()) return false;
    this.#held = true;
    this.fetched = true;
    // what was pulled of it, before the next advance, stays
    this.wanted = false;
    const { start, bytes, count } = porter;
    const { stride, tagBytes, unit } = this.#packing;
    const items = Math.abs(count);
    const tags = items * tagBytes;
    const base = start + tags;
    const whole =
      count < 0 && this.#squeezer !== null
        ? this.#squeezer.decompress(base, bytes - tags, unit, items * stride)
        : base;
    this.source = porter.source;
    this.tagAt = base;
    this.first = whole;
    this.next = whole;
    this.limit = whole + items * stride;
    return true;
  }

  /** Fetches, if that was asked for. */
  serve(): void {
    if (!this.wanted) return;
    this.wanted = false;
    if (this.next === this.limit) this.fetch();
  }

  /** Gives the buffer back, whatever is in it; the item pulled last can be looked at still. */
  drop(): void {
    if (!this.#held) return;
    this.#held = false;
    if (this.at < this.limit && this.next > this.at) {
      this.#keptTag = this.tag;
      this.#keptSource = this.source;
      this.#views.u8.copyWithin(this.#aside, this.at, this.next);
      this.at = this.#aside;
    }
    this.#pulled = this.pulled;
    this.next = 0;
    this.limit = 0;
    this.first = 0;
    this.#porter.release();
  }

  /**
   * A buffer that has been pulled to its end counts as read from now on, though it is not given back yet, and
   * nothing of it can be restored. Whether there was one.
   */
  finish(): boolean {
    if (!this.#held || this.next !== this.limit || this.first === this.limit) return false;
    this.#pulled = this.pulled;
    this.first = this.limit;
    this.#porter.finish();
    return true;
  }

  /** Puts back the item of `bytes` bytes that was pulled last; false when it cannot be. */
  restore(bytes: number): boolean {
    if (this.next <= this.first) return false;
    this.next -= bytes;
    // the one before it shows again, where there is one in this buffer
    this.at = this.next - bytes >= this.first ? this.next - bytes : this.#aside;
    this.tagAt += this.#packing.tagBytes;
    return true;
  }

  /** Pulls all that is left of this buffer at once, which is something; gives how many items it was. */
  take(): number {
    const { stride, tagBytes } = this.#packing;
    const count = (this.limit - this.next) / stride;
    this.next = this.limit;
    this.at = this.limit - stride;
    this.tagAt -= count * tagBytes;
    return count;
  }

  /** The tag of the item that was pulled `back` items before the last one, of those that were taken at once. */
  tagBefore(back: number): number {
    return this.#tagAt(this.tagAt + back * this.#packing.tagBytes);
  }

  /** Items of this buffer that wait to be pulled; bytes of them, where they have lengths of their own. */
  get waiting(): number {
    return (this.limit - this.next) / this.#packing.stride;
  }

  /** Items pulled in this session, but for those that were restored. */
  get pulled(): number {
    return this.#pulled + (this.next - this.first) / this.#packing.stride;
  }

  /** The tag of the item pulled last. */
  get tag(): number {
    return this.at === this.#aside ? this.#keptTag : this.#tagAt(this.tagAt);
  }

  /** The link over which the item pulled last came. */
  get link(): number {
    return this.at === this.#aside ? this.#keptSource : this.source;
  }

  #tagAt(at: number): number {
    const { u8, u16, u32 } = this.#views;
    switch (this.#packing.tagBytes) {
      case 1:
        return u8[at];
      case 2:
        return u16[at >>> 1];
      case 4:
        return u32[at >>> 2];
      default:
        return 0;
    }
  }
}
