/**
 * The inbox: the buffer that items are pulled from. The innermost loops read and write its fields.
 *
 *     first             at       next                      limit
 *     ┌────────┬────────┬────────┬────────┬────────┬───────┐
 *     │ pulled │ pulled │ c.item │ not pulled yet  …       │
 *     └────────┴────────┴────────┴────────┴────────┴───────┘
 *
 * A buffer is released when the next one is fetched. The last pulled item is then copied aside, so that it stays
 * readable until another item is pulled.
 */

import type { Views } from "../../../ground/item/views.ts";
import type { Porter } from "../../../links/transport/contract.ts";
import type { Squeezer } from "../../../route/geometry/codec.ts";
import type { Packing } from "../../../route/geometry/packing.ts";
import type { HopReceiver } from "./receiver.ts";

export class Inbox {
  /** Position of the last pulled item; before the first pull, of unused memory. */
  at = 0;
  /** Position of the next item; equal to {@link limit} if there is none in this buffer. */
  next = 0;
  limit = 0;
  /** Items before this position cannot be restored. */
  first = 0;
  /** Position of the tag of the item at `at`; the next item's tag is below it. */
  tagAt = 0;
  /** The link of the current buffer. */
  source = 0;
  /** Of the item copied aside: its link and its tag. */
  #keptSource = 0;
  #keptTag = 0;
  /** A pull found the current buffer empty. */
  wanted = false;
  /** Views of the current buffer were handed out: they are valid until the next pull, so only a pull releases it. */
  lent = false;
  /** Items show themselves as views of the buffer, so that every buffer counts as lent. */
  #showsViews = false;
  /** A buffer was taken since this was last set to false. */
  fetched = false;
  /** Items pulled in this session, without those of the current buffer; restored items do not count. */
  #pulled = 0;
  #packing: Packing = { stride: 1, tagBytes: 0, capacity: 0, base: 0, unit: 1 };
  #held = false;
  readonly #receiver: HopReceiver;
  readonly #porter: Porter;
  readonly #views: Views;
  readonly #aside: number;
  readonly #squeezer: Squeezer | null;

  /**
   * @param receiver of the last hop
   * @param aside byte offset of memory for one item
   * @param squeezer if the last hop is compressed
   */
  constructor(receiver: HopReceiver, views: Views, aside: number, squeezer: Squeezer | null) {
    this.#receiver = receiver;
    this.#porter = receiver.porter;
    this.#views = views;
    this.#aside = aside >>> 0;
    this.at = this.#aside;
    this.#squeezer = squeezer;
  }

  /** Before a session. @param showsViews whether items are read as views of their bytes */
  begin(packing: Packing, showsViews = false): void {
    this.#packing = packing;
    this.#showsViews = showsViews;
    this.#pulled = 0;
    this.wanted = false;
  }

  /**
   * Takes the next buffer and releases the current one. Allowed only when all items of the current one were pulled.
   */
  fetch(): boolean {
    this.drop();
    const receiver = this.#receiver;
    const porter = this.#porter;
    if (!receiver.borrow()) {
      // an advance fetches what comes later, so that an awaited one notices it
      this.wanted = true;
      return false;
    }
    this.#held = true;
    this.fetched = true;
    this.lent = this.#showsViews;
    // keeps the wanted flag of a pull before the next advance
    this.wanted = false;
    const { start, bytes } = porter;
    const { stride, tagBytes, unit } = this.#packing;
    const { count: items, isCompressed } = receiver;
    const tags = items * tagBytes;
    // a small integer, whatever the porter has computed with: V8 would make an object of a number for each pull
    const base = (start + tags) >>> 0;
    const whole =
      isCompressed && this.#squeezer !== null
        ? this.#squeezer.decompress(base, bytes - tags, unit, items * stride)
        : base;
    this.source = porter.source;
    this.tagAt = base;
    this.first = whole;
    this.next = whole;
    this.limit = whole + items * stride;
    return true;
  }

  /** Takes a buffer that a loop in compiled code has borrowed. There must be none. */
  show(source: number, start: number, items: number): void {
    this.#held = true;
    this.fetched = true;
    this.lent = this.#showsViews;
    this.wanted = false;
    this.source = source;
    this.tagAt = start;
    this.first = start;
    this.next = start;
    this.limit = start + items * this.#packing.stride;
  }

  /** Fetches a buffer if a pull asked for one. */
  serve(): void {
    if (!this.wanted) return;
    this.wanted = false;
    if (this.next === this.limit) this.fetch();
  }

  /** Whether all of the current buffer was pulled, and what shows it is valid until the next pull. */
  get isKept(): boolean {
    return this.lent && this.#held && this.next === this.limit;
  }

  /** Releases the buffer with any items left in it; the last pulled item stays readable. */
  drop(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#leave();
    this.#porter.release();
  }

  /** As drop, where a loop in compiled code releases the buffer: gives its link; -1 if there is none. */
  part(): number {
    if (!this.#held) return -1;
    this.#held = false;
    this.#leave();
    return this.source;
  }

  /** Shows no buffer any more; the last pulled item stays readable. */
  #leave(): void {
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
  }

  /**
   * Marks a completely pulled buffer as read, although it is not released yet; its items cannot be restored any more.
   * Returns whether there was one.
   */
  finish(): boolean {
    if (!this.seal()) return false;
    this.#porter.finish();
    return true;
  }

  /** As finish, where its sender need not know. */
  seal(): boolean {
    if (!this.#held || this.next !== this.limit || this.first === this.limit) return false;
    this.#pulled = this.pulled;
    this.first = this.limit;
    return true;
  }

  /** Puts back the last pulled item, of `bytes` bytes; false if that is not possible. */
  restore(bytes: number): boolean {
    if (this.next <= this.first) return false;
    // a pull that found nothing before is answered by this item
    this.wanted = false;
    this.next -= bytes;
    // the item before it becomes the current one, if it is in this buffer
    this.at = this.next - bytes >= this.first ? this.next - bytes : this.#aside;
    this.tagAt += this.#packing.tagBytes;
    return true;
  }

  /** Pulls the rest of this buffer, which must not be empty; returns the number of items. */
  take(): number {
    const count = this.waiting;
    this.pass(count);
    return count;
  }

  /** Pulls some items of this buffer. */
  pass(count: number): void {
    if (count === 0) return;
    const { stride, tagBytes } = this.#packing;
    this.next += count * stride;
    this.at = this.next - stride;
    this.tagAt -= count * tagBytes;
  }

  /** The tag of the next item, which must be in this buffer. */
  get nextTag(): number {
    return this.tagBefore(this.tagAt, -1);
  }

  /** The tag of the item `back` items before the one whose tag is at `at`. */
  tagBefore(at: number, back: number): number {
    return this.#tagAt(at + back * this.#packing.tagBytes);
  }

  /** Items of this buffer that are not pulled yet; bytes, if items have lengths of their own. */
  get waiting(): number {
    return (this.limit - this.next) / this.#packing.stride;
  }

  /** Items pulled in this session, without restored ones. */
  get pulled(): number {
    return this.#pulled + (this.next - this.first) / this.#packing.stride;
  }

  /** The tag of the last pulled item. */
  get tag(): number {
    return this.at === this.#aside ? this.#keptTag : this.#tagAt(this.tagAt);
  }

  /** The link of the last pulled item. */
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
