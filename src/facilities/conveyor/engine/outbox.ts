/**
 * The outbox: for each link of a hop the buffer that is being filled.
 *
 * A full buffer is sent at once, or, where items are pushed one by one, with the next item or the next advance; a
 * partial buffer is sent in the endgame, or for one of the other causes of causes.ts. A buffer has two lanes around a
 * base: items grow upwards from it and their tags downwards. So the used part is contiguous, however full the buffer
 * is, and items need no padding.
 *
 *                  start                base                      at          end
 *     ┌────────────┬──────┬──────┬──────┬────────┬────────┬────────┬───────────┐
 *     │ unused     │ tag2 │ tag1 │ tag0 │ item 0 │ item 1 │ item 2 │ free      │
 *     └────────────┴──────┴──────┴──────┴────────┴────────┴────────┴───────────┘
 *
 * The innermost loops read and write `at`, `end` and `tagAt` themselves: an item is written at `at`, its tag at
 * `tagAt`. When `at` equals `end` there is no room; {@link Outbox.open} then makes room or returns false, and {@link
 * Outbox.sendFull} sends what is full. Where all buffers together are limited, `end` is before the end of the buffer
 * (buffered-limit.ts).
 */
import { DOUBLE_ZERO } from "../../../ground/base/for-v8.ts";
import type { Porter } from "../../../links/transport/contract.ts";
import type { Squeezer } from "../../../route/geometry/codec.ts";
import type { LinkOrder } from "../../../route/geometry/link-order.ts";
import type { LinkTable } from "../../../route/geometry/link-table.ts";
import type { Packing } from "../../../route/geometry/packing.ts";
import { BufferedLimit } from "./buffered-limit.ts";
import { CAUSES, type Cause, CUTOFF, DELAY, END, EXCHANGE, FLUSH, FULL, STEADY } from "./causes.ts";
import { buffersNumber } from "./receiver.ts";
import { SlowStart } from "./slow-start.ts";

/** Visits after which a partial buffer of a steady conveyor is sent. Source: PATIENCE in bale's porter.c. */
const PATIENCE = 2;
const UNKNOWN = -1;
/** Before the first advance of a session: it counts as progress, as a program begins to push after it. */
const NO_TRACE = -1;
/** Longer than any item. */
const ANY_LENGTH = 2 ** 32 - 1;

/** The entry that items are pushed into: the outbox of the first hop, in a mesh those of all hops (joint-outbox.ts). */
export type PushEntry = Pick<
  Outbox,
  "at" | "end" | "packets" | "address" | "stride" | "hold" | "overflow" | "items" | "pending" | "margin" | "direct"
> &
  Pick<
    Outbox,
    "open" | "pushed" | "extend" | "filled" | "isFull" | "leave" | "hasDirect" | "sendFull" | "urge" | "urgeAll"
  >;

/** One PE's outgoing buffers of one hop. */
export class Outbox {
  readonly links: number;
  readonly at: Uint32Array;
  readonly end: Uint32Array;
  readonly tagAt: Uint32Array;
  /** Byte offset of `at` 0, for kernels (link-table.ts). */
  readonly address: number;
  /** Words from one array of the link table to the next. */
  readonly stride: number;
  packing: Packing = { stride: 1, tagBytes: 0, capacity: 0, base: 0, unit: 1 };
  /**
   * Whether full buffers are kept until {@link flush}, for engines that exchange all at once; {@link overflow} then
   * reports a full buffer.
   */
  hold = false;
  overflow = false;
  /** Compresses sent buffers; null if compression is off. */
  squeezer: Squeezer | null = null;
  /** Of this session: buffers and bytes sent, and items in them. */
  buffers = 0;
  bytes = 0;
  items = 0;
  /** Of this session: the sum of the filled fractions of the buffers sent; and their number by cause. */
  fills: number = DOUBLE_ZERO;
  readonly causes: Uint32Array = new Uint32Array(CAUSES.length);
  /** A buffer with less room than this is full: what an item takes, or more with a threshold. */
  margin = 1;
  /** Items of more bytes leave at once, with what is before them: the cutoff. */
  direct: number = ANY_LENGTH;
  /** The limit of all buffers together; null for none. */
  limit: BufferedLimit | null = null;
  /**
   * Who pushes waits for room, and that shall happen early too: short buffers of the slow start are sent whether there
   * are others or not.
   */
  isPatient = false;
  /** The items of the next exchange were flushed by the user. */
  #isUrgent = false;
  /** The link that had no room when it was last opened, until it has a buffer again; -1 for none. */
  #refused = -1;
  /** By link: packets in the open buffer, if items have lengths of their own. */
  readonly packets: Uint32Array;
  readonly #porter: Porter;
  /** Number of links with a friend, and by link 1 if there is one. */
  readonly friends: number;
  readonly #friends: Uint8Array;
  /** By link: 1 if its last buffer is not sent yet. */
  readonly #unended: Uint32Array;
  /** Number of links whose last buffer is not sent yet. */
  unended = 0;
  /** By link: where the first item of its open buffer is. */
  readonly #base: Uint32Array;
  /** By link: bytes of items with which its open buffer is full; see {@link fillTo} and {@link SlowStart}. */
  readonly #fullAt: Uint32Array;
  /** Null when it is over. */
  #slowStart: SlowStart | null;
  /** Visits since a partial buffer was opened. */
  readonly #age: Uint8Array;
  /** By link: from when on its oldest item waits, at the earliest; {@link UNKNOWN} before it was looked at. */
  readonly #since: Float64Array;
  /** Bytes of items that a buffer has room for. */
  #room = 0;
  /** Bytes of items with which it is full. */
  whole = 0;
  /** Of items that are all alike: bytes with which it is sent, see {@link fillTo}. */
  #most = 0;
  /** Whether items have lengths of their own; the margin without {@link fillTo}, and without a slow start. */
  #isElastic = false;
  #leastMargin = 1;
  #usualMargin = 1;
  /** Of this session: bytes of items in the buffers sent. */
  #sentBytes = 0;
  /** The order in which links are served, and where it begins and where the next visit is. */
  readonly #order: Int32Array;
  readonly #start: number;
  #visit: number;
  #trace = 0;

  /** @param friends by link: 1 if there is a friend @param startsSlowly see Site */
  constructor(
    porter: Porter,
    { at, end, tagAt, packets, base, full, unended, address, stride }: LinkTable,
    friends: Uint8Array,
    order: LinkOrder,
    startsSlowly = false,
  ) {
    const { links } = porter;
    this.#order = order.links;
    this.#start = order.start;
    this.#visit = order.start;
    this.#porter = porter;
    this.links = links;
    this.at = at;
    this.end = end;
    this.tagAt = tagAt;
    this.address = address;
    this.stride = stride;
    this.packets = packets;
    this.#friends = friends;
    this.friends = friends.reduce((sum, one) => sum + one, 0);
    this.#unended = unended;
    this.#base = base;
    this.#fullAt = full;
    this.#slowStart = startsSlowly ? new SlowStart() : null;
    this.#age = new Uint8Array(links);
    this.#since = new Float64Array(links).fill(UNKNOWN);
  }

  /** All that is buffered keeps to so many bytes. */
  limitTo(bytes: number): void {
    this.limit = new BufferedLimit(this, bytes);
  }

  /**
   * Before a session.
   * @param margin of items with lengths of their own, see {@link Outbox.margin}.
   * @default one item, all are alike
   */
  begin(packing: Packing, margin?: number): void {
    const before = this.packing.base;
    this.packing = packing;
    this.#isElastic = margin !== undefined;
    this.margin = margin ?? packing.stride;
    this.#leastMargin = this.margin;
    this.#usualMargin = this.margin;
    this.#room = packing.capacity * packing.stride;
    this.#most = this.#room;
    this.whole = this.#isElastic ? this.#room - this.margin : this.#room;
    this.limit?.begin(packing.stride);
    // a buffer that was opened and left empty
    for (let link = 0; link < this.links; link++) {
      if (this.at[link] !== 0) this.#place(link, this.#base[link] - before);
      this.#unended[link] = this.#friends[link];
    }
    this.unended = this.friends;
    this.#trace = NO_TRACE;
    this.overflow = false;
    this.#isUrgent = false;
    this.#refused = -1;
    this.buffers = 0;
    this.bytes = 0;
    this.items = 0;
    this.fills = 0;
    this.causes.fill(0);
    this.#sentBytes = 0;
  }

  /**
   * From now on a buffer is sent with so many bytes, or one item if that has more; at most with those that it has room
   * for, as before. It is not sent before the link has another one, as long as it has room. Called between pushes: who
   * pushes reads `end` and {@link margin}.
   */
  fillTo(bytes: number): void {
    if (this.#isElastic) {
      this.margin = Math.max(this.#leastMargin, this.#room - bytes);
      this.#usualMargin = this.margin;
      return;
    }
    const { stride } = this.packing;
    this.#most = Math.min(this.#room, Math.max(1, Math.floor(bytes / stride)) * stride);
    const { limit, at, end } = this;
    for (let link = 0; link < this.links; link++) {
      this.#fullAt[link] = this.#most;
      if (at[link] === 0) continue;
      if (limit === null) end[link] = Math.max(at[link], this.#base[link] + this.#most);
      // it is granted more when it is opened again
      else limit.restrict(link, Math.max(at[link], Math.min(end[link], this.#base[link] + this.#most)));
    }
  }

  /** Bytes of items that have come in this session, whether they are sent or not. */
  pushed(): number {
    let bytes = this.#sentBytes;
    for (let link = 0; link < this.links; link++) bytes += this.used(link);
    return bytes;
  }

  /**
   * Opens a buffer for a link that has none with room, after one that is full was sent; false if none is available now.
   * @param size of the item that there is to be room for. @default the stride
   */
  open(link: number, size: number = this.packing.stride): boolean {
    if (this.isFull(link)) this.filled(link);
    const { limit } = this;
    // limited, or kept: by filled, or by a user who is to send it
    if (this.at[link] !== 0) {
      return (this.#isEarly(link) && this.at[link] + size <= this.end[link]) || this.extend(link, size);
    }
    const start = this.#porter.open(link);
    if (start < 0) {
      this.#refused = link;
      return false;
    }
    this.#place(link, start);
    return limit === null || limit.extend(link, size);
  }

  /**
   * Where all buffers are limited: makes room for `size` bytes in the open one of a link; false if there is none now.
   */
  extend(link: number, size: number): boolean {
    return this.limit?.extend(link, size) ?? false;
  }

  /** Whether the link that had no room has some now. It is then open, and this is said once. */
  hasRoomAgain(): boolean {
    return this.#refused >= 0 && this.open(this.#refused);
  }

  /** Assigns the empty buffer at `start` to a link. */
  #place(link: number, start: number): void {
    const { base, tagBytes } = this.packing;
    const full = this.#slowStart === null ? this.#most : this.#short(this.#slowStart);
    this.#fullAt[link] = full;
    this.#base[link] = start + base;
    this.at[link] = start + base;
    this.end[link] = this.limit === null ? start + base + full : start + base;
    this.tagAt[link] = start + base - tagBytes;
    this.#age[link] = 0;
    this.#since[link] = UNKNOWN;
    if (link === this.#refused) this.#refused = -1;
  }

  /** Bytes with which the next buffer is full. Where all are limited there is no slow start. */
  #short(slowStart: SlowStart): number {
    if (slowStart.isOver || this.limit !== null) {
      this.#slowStart = null;
      this.margin = this.#usualMargin;
      return this.#most;
    }
    if (!this.#isElastic) return slowStart.next(this.packing.stride, this.#most);
    // items of any length have room up to the end: less of it makes a buffer full
    this.margin = Math.max(this.#usualMargin, this.#room - slowStart.next(null, this.#room));
    return this.#most;
  }

  /** Whether it is a buffer of the slow start. */
  #isShort(link: number): boolean {
    return this.#isElastic ? this.#slowStart !== null : this.#fullAt[link] < this.#most;
  }

  /** Called when `at` has come to `end`, or there is no room for an item: sends the buffer if it is full. */
  filled(link: number): void {
    if (this.limit !== null && !this.isFull(link)) return;
    if (this.#isEarly(link) && !this.#porter.hasAnother(link)) {
      // it goes on being filled
      if (!this.#isElastic) this.end[link] = this.#base[link] + this.#room;
    } else this.leave(link, FULL);
  }

  /**
   * Whether the buffer of a link is full only as {@link fillTo} or the slow start has said so. Where all are limited,
   * room was not granted beyond that.
   */
  #isEarly(link: number): boolean {
    if (!this.isFull(link)) return false;
    if (this.isPatient && this.#isShort(link)) return false;
    if (this.#isElastic) return this.at[link] + this.#leastMargin <= this.#base[link] + this.#room;
    return this.limit === null && this.at[link] + this.margin <= this.#base[link] + this.#room;
  }

  /** Sends the buffer of a link, or where buffers are held reports that it should be. */
  leave(link: number, cause: Cause): void {
    if (this.hold) this.overflow = true;
    else this.send(link, cause);
  }

  /** Called when an item longer than {@link direct} was added. */
  hasDirect(link: number): void {
    if (this.at[link] !== 0) this.leave(link, CUTOFF);
  }

  /** Sends the buffer of a link, which must be open. @param isLast of this session @param isUrgent see receiver.ts */
  send(link: number, cause: Cause, isLast = false, isUrgent = false): void {
    const { stride, tagBytes, unit } = this.packing;
    const base = this.#base[link];
    const bytes = this.at[link] - base;
    const count = bytes / stride;
    const tags = count * tagBytes;
    const items = this.packets[link] || count;
    const squeezed = this.squeezer === null || bytes === 0 ? bytes : this.squeezer.compress(base, bytes, unit);
    this.limit?.closed(this.end[link] - base);
    this.at[link] = 0;
    this.end[link] = 0;
    this.packets[link] = 0;
    if (count > 0) {
      this.buffers++;
      this.causes[cause]++;
      this.fills += bytes / this.#room;
    }
    this.#sentBytes += bytes;
    this.items += items;
    this.bytes += tags + squeezed;
    const number = buffersNumber(count, squeezed < bytes, isLast, isUrgent);
    this.#porter.send(link, base - tags, tags + squeezed, number, items);
  }

  /** Counts buffers that a loop in compiled code has sent. @param bytes of the items in them */
  count(buffers: number, bytes: number, cause: Cause): void {
    this.buffers += buffers;
    this.causes[cause] += buffers;
    this.fills += bytes / this.#room;
    this.#sentBytes += bytes;
    this.bytes += bytes;
    this.items += bytes / this.packing.stride;
  }

  /** Sends the last buffer of each link, with what is in it; returns whether all are sent. */
  finish(): boolean {
    const left = this.#unended;
    const order = this.#order;
    let at = this.#start;
    for (let looked = 0; looked < order.length && this.unended > 0; looked++) {
      const link = order[at] as number;
      at = at + 1 === order.length ? 0 : at + 1;
      if (left[link] === 0 || (this.at[link] === 0 && !this.open(link))) continue;
      this.send(link, END, true);
      left[link] = 0;
      this.unended--;
    }
    return this.unended === 0;
  }

  /** Sends every buffer that is not empty. */
  flush(cause: Cause = EXCHANGE): void {
    const order = this.#order;
    let at = this.#start;
    for (let looked = 0; looked < order.length; looked++) {
      const link = order[at] as number;
      at = at + 1 === order.length ? 0 : at + 1;
      if (this.used(link) > 0) this.send(link, cause, false, this.#isUrgent);
    }
    this.overflow = false;
    this.#isUrgent = false;
  }

  /** Sends what is in the buffer of a link, for a user who does not want it to wait anywhere. */
  urge(link: number): void {
    if (this.used(link) === 0) return;
    if (this.hold) {
      this.overflow = true;
      this.#isUrgent = true;
    } else this.send(link, FLUSH, false, true);
  }

  /** {@link urge} of all links. */
  urgeAll(): void {
    const order = this.#order;
    let at = this.#start;
    for (let looked = 0; looked < order.length; looked++) {
      const link = order[at] as number;
      at = at + 1 === order.length ? 0 : at + 1;
      this.urge(link);
    }
  }

  /**
   * Sends the buffers whose oldest item has waited for `most`, or for `soon` if the link has another buffer, or for
   * twice that; and those that are full as {@link fillTo} has said, and whose link has another one by now. An item is
   * taken to have come right after the look before, so that none waits longer than that and the time between two looks.
   * @param before when that was @returns when the next one is due; Infinity for none
   */
  sendOld(now: number, before: number, most: number, soon: number): number {
    const since = this.#since;
    const last = Math.min(most, 2 * soon);
    let due = Number.POSITIVE_INFINITY;
    const order = this.#order;
    let turn = this.#start;
    for (let looked = 0; looked < order.length; looked++) {
      const link = order[turn] as number;
      turn = turn + 1 === order.length ? 0 : turn + 1;
      if (this.used(link) === 0) continue;
      if (since[link] === UNKNOWN) since[link] = before;
      const age = now - since[link];
      const isOld = age >= soon;
      if (age >= last || ((isOld || this.#isEarly(link)) && this.#porter.hasAnother(link))) {
        this.leave(link, isOld ? DELAY : FULL);
      } else due = Math.min(due, since[link] + (isOld ? last : soon));
    }
    return due;
  }

  /** Bytes of items in the buffer of a link. */
  used(link: number): number {
    return this.at[link] === 0 ? 0 : this.at[link] - this.#base[link];
  }

  /** Bytes of the open buffer of a link that are behind its `end`. */
  beyond(link: number): number {
    return Math.max(0, this.#base[link] + this.#most - this.end[link]);
  }

  /** Visits one link: a partial buffer is sent at the third visit. Returns whether one was sent. */
  visit(): boolean {
    const order = this.#order;
    const link = order[this.#visit] as number;
    this.#visit = this.#visit + 1 === order.length ? 0 : this.#visit + 1;
    if (this.at[link] <= this.#base[link] || this.at[link] === 0) return false;
    if (this.#age[link]++ < PATIENCE) return false;
    this.send(link, STEADY);
    return true;
  }

  /** Items that are not sent yet. */
  get pending(): number {
    let items = 0;
    for (let link = 0; link < this.at.length; link++) {
      if (this.at[link] !== 0) items += (this.at[link] - this.#base[link]) / this.packing.stride;
    }
    return items;
  }

  /** Whether there is no room for an item in the open buffer of a link, or the threshold is reached. */
  isFull(link: number): boolean {
    return this.at[link] !== 0 && this.at[link] + this.margin > this.#base[link] + this.#fullAt[link];
  }

  /** Sends the buffers that are full; whether an item was added since the last call. */
  sendFull(): boolean {
    // nothing comes any more: to look at many links takes longer than what is done for each buffer that still arrives
    if (this.unended === 0 && this.#trace === (this.buffers | 0)) return false;
    const { at } = this;
    let trace = 0;
    const order = this.#order;
    let turn = this.#start;
    for (let looked = 0; looked < order.length; looked++) {
      const link = order[turn] as number;
      turn = turn + 1 === order.length ? 0 : turn + 1;
      if (this.isFull(link)) this.filled(link);
      trace = (trace + at[link]) | 0;
    }
    trace = (trace + this.buffers) | 0;
    const moved = trace !== this.#trace;
    this.#trace = trace;
    return moved;
  }
}
