/**
 * The belt of packets: what conveyors share whose items have lengths of their own, whatever is made of the bytes. Items
 * larger than a buffer (oversized items) are stored outside the buffers; a reference travels in the buffer instead, so
 * that the order is kept. The layout of a packet is in engine/packets.ts.
 *
 * Source: Maley and DeVinney, "Conveyors" (docs/papers.md), section 3.6; bale's elastic.c, which has one oversized
 * item in flight at a time.
 */

import { HeapError, MisfitError, OverflowError, type UsageError } from "../../../ground/base/errors.ts";
import { noInline } from "../../../ground/base/for-v8.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Views } from "../../../ground/item/views.ts";
import { COMPLETE, type Status, WORKING } from "../../../links/status/state.ts";
import { storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import { originOf } from "../../../route/geometry/route.ts";
import { assemble, type Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { PushEntry } from "../engine/outbox.ts";
import {
  commit,
  fullPackets,
  HEAD,
  PACKET_ALIGN,
  PacketMover,
  packetBytes,
  REFERENCE_BYTES,
  reserve,
} from "../engine/packets.ts";
import { type ConveyorFeatures, Session } from "../engine/session.ts";

/** Largest item in bytes: twice its length must fit in 32 bits. */
const MAX_ITEM_BYTES = 2 ** 31 - 1;

/** A conveyor of packets, as seen by one PE. @typeParam Pushed what is copied into it */
export abstract class PacketBelt<Pushed> extends Session {
  protected readonly frame: Frame;
  protected readonly views: Views;
  protected readonly outbox: PushEntry;
  protected readonly inbox: Inbox;
  /** Items pushed and pulled in this session. */
  protected pushed = 0;
  protected pulled = 0;
  /** Of the item pulled last: its sender and its length in bytes. */
  protected lastFrom = 0;
  protected lastBytes = 0;
  /** Whether it can be put back. */
  protected restorable = false;
  /** Of the same: the bytes of its packet, and its reference if it is oversized. */
  #packet = 0;
  #reference = 0;
  /** Position of the bytes of an oversized item. */
  #oversized = 0;

  constructor(frame: Frame) {
    super(assemble(frame, (joint) => new PacketMover(frame.site, joint)));
    this.frame = frame;
    this.views = frame.site.views;
    this.outbox = this.machinery.entry;
    this.inbox = this.machinery.inbox;
  }

  get features(): ConveyorFeatures {
    const { choice, squeezer } = this.machinery;
    return { elastic: true, steady: choice.steady, compressed: squeezer !== null };
  }

  /** Copies an item that is not empty into the heap, to byte `at`, a multiple of {@link PACKET_ALIGN} */
  protected abstract copy(item: Pushed, at: number): void;

  /** The bytes of an item, where they are. */
  protected abstract bytesOf(item: Pushed): Uint8Array;

  /** The error for what is no item. */
  protected abstract noItem(item: unknown): UsageError;

  /**
   * Copies an item into the conveyor, for PE `dest`
   * @param length of the item in bytes; negative for what is no item
   * @returns false if there is no room now
   * @throws StateError, RankRangeError, UsageError, OverflowError; nothing changes then
   */
  put(dest: number, item: Pushed, length: number): boolean {
    if (this.phase !== WORKING) throw this.refusal("push");
    this.checkRank(dest);
    if (length < 0) throw this.noItem(item);
    const { choice } = this.frame;
    const { ways } = this.machinery;
    const { u32 } = this.views;
    const link = ways.link[dest];
    const isOversized = length > choice.bufferBytes;
    const size = isOversized ? HEAD + REFERENCE_BYTES : packetBytes(length);
    const at = this.#place(dest, link, size);
    if (at === 0) return false;
    if (isOversized) {
      const reference = this.#leave(dest, item, length);
      if (reference === 0) {
        // there will be room when the waiting items were sent and pulled
        this.outbox.overflow = true;
        return this.refused(dest);
      }
      u32[(at >>> 2) + 2] = reference;
      u32[(at >>> 2) + 3] = length;
    } else if (length > 0) {
      this.copy(item, at + HEAD);
    }
    u32[at >>> 2] = ways.tag[dest];
    u32[(at >>> 2) + 1] = length * 2 + (isOversized ? 1 : 0);
    commit(this.outbox, link, size);
    // the memory of an oversized item is in use until it is pulled, so its reference is sent at once
    if ((isOversized || length > this.outbox.direct) && !this.outbox.hold) this.outbox.hasDirect(link);
    this.pushed++;
    return true;
  }

  /** As {@link reserve}; without room the push is refused. */
  #place(dest: number, link: number, size: number): number {
    const { at, end } = this.outbox;
    // what comes next is called for the first item of each buffer, and so before V8 compiles this
    if (at[link] !== 0 && at[link] + size <= end[link]) return at[link];
    return noInline(this.#makeRoom, this, dest, link, size);
  }

  #makeRoom(dest: number, link: number, size: number): number {
    const at = reserve(this.outbox, link, size);
    if (at === 0) this.refused(dest);
    return at;
  }

  #leave(dest: number, item: Pushed, length: number): number {
    if (length > MAX_ITEM_BYTES) {
      throw new OverflowError(`push: expected at most ${MAX_ITEM_BYTES} bytes, got ${length}`);
    }
    try {
      return this.machinery.site.oversized.leave(dest, this.bytesOf(item), length);
    } catch (cause) {
      if (!(cause instanceof HeapError)) throw cause;
      this.settleRefusals();
      throw new OverflowError(
        `push: the heap has no room for an item of ${length} bytes, and this PE has no oversized item in flight that ` +
          "could free some. Make the heap larger (heapBytes), or push the item in pieces.",
        { cause },
      );
    }
  }

  /**
   * Pulls the next received item
   * @param length the required length; an item of another length stays the next item. @default any
   * @returns false if there is none now
   * @throws StateError before begin; MisfitError for another length
   */
  protected next(length?: number): boolean {
    if (!this.isBegun) throw this.refusal("pull");
    this.drop();
    this.restorable = false;
    const { inbox } = this;
    if (inbox.next === inbox.limit && (this.phase === COMPLETE || !inbox.fetch())) return false;
    const { u32 } = this.views;
    const at = inbox.next;
    const word = at >>> 2;
    const descriptor = u32[word + 1];
    const isOversized = (descriptor & 1) === 1;
    const found = isOversized ? u32[word + 3] : descriptor >>> 1;
    if (length !== undefined && found !== length) {
      throw new MisfitError(
        `pull: expected an item of ${shortText(length)} bytes, got one of ${found} bytes. It stays the next item; pull() accepts any length.`,
      );
    }
    const source = originOf(this.frame.choice.route, inbox.source, u32[word]);
    if (isOversized) {
      const oversized = this.machinery.site.oversized.find(source, u32[word + 2], found);
      if (oversized < 0) return false;
      this.#oversized = oversized;
      this.#reference = u32[word + 2];
    }
    this.lastFrom = source;
    this.lastBytes = found;
    this.#packet = isOversized ? HEAD + REFERENCE_BYTES : packetBytes(found);
    this.restorable = true;
    inbox.at = at;
    inbox.next = at + this.#packet;
    this.pulled++;
    return true;
  }

  /** The byte offset of the last pulled item; a multiple of {@link PACKET_ALIGN} */
  get place(): number {
    return this.#reference === 0 ? this.inbox.at + HEAD : this.#oversized;
  }

  /** The last pulled item is shown by a view: its memory stays what it is until the next pull. */
  protected lend(): void {
    if (this.#reference === 0) this.inbox.lent = true;
  }

  /** Number of the bytes of the last pulled item. */
  get byteLength(): number {
    return this.lastBytes;
  }

  /** The bytes of the last pulled item: a view of memory that the next pull may reuse. */
  get bytes(): Uint8Array {
    this.lend();
    const at = this.place;
    return this.views.u8.subarray(at, at + this.lastBytes);
  }

  /** The sender of the last pulled item. */
  get from(): number {
    return this.lastFrom;
  }

  /** Puts the last pulled item back, right after its pull; whether that was possible. */
  unpull(): boolean {
    if (!this.isBegun) throw this.refusal("unpull");
    if (!this.restorable || !this.inbox.restore(this.#packet)) return false;
    this.restorable = false;
    this.#reference = 0;
    this.unpulls++;
    return true;
  }

  /** Releases the last oversized item: its bytes are not read any more. */
  protected drop(): void {
    if (this.#reference === 0) return;
    this.machinery.site.oversized.drop(this.lastFrom, this.#reference);
    this.#reference = 0;
    this.lastBytes = 0;
  }

  protected override get waiting(): number {
    return Math.sign(super.waiting);
  }

  protected prepare(): string {
    const { choice } = this.frame;
    const capacity = storedBytes(choice.bufferBytes);
    const { outboxes, inbox } = this.machinery;
    const packing = { stride: 1, tagBytes: 0, capacity, base: 0, unit: PACKET_ALIGN };
    const margin = capacity - fullPackets(choice);
    for (const outbox of outboxes) outbox.begin(packing, margin);
    inbox.begin(packing);
    this.pushed = 0;
    this.pulled = 0;
    // any length: there is nothing to agree about
    return "";
  }

  protected override release(): void {
    this.drop();
    this.restorable = false;
    super.release();
  }

  /** Whoever still reads an oversized item of this PE gives its memory back itself. */
  protected override ended(): void {
    this.machinery.site.oversized.abandon();
  }

  override proceed(done: boolean): Status {
    this.machinery.site.oversized.sweep();
    return super.proceed(done);
  }

  protected tally(): { pushes: number; pulls: number } {
    return { pushes: this.pushed, pulls: this.pulled };
  }
}
