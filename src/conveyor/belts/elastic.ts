/**
 * Elastic conveyors: items of any length, including empty ones. Items larger than a buffer (oversized items) are stored
 * outside the buffers; a reference travels in the buffer instead, so that the order is kept.
 *
 * Source: papers/conveyors.txt, section 3.6; bale's elastic.c, which has one oversized item in flight at a time.
 */

import { lengthOf } from "../../base/byte-length.ts";
import { HeapError, MisfitError, OverflowError, UsageError } from "../../base/errors.ts";
import { shortText } from "../../base/short-text.ts";
import type { Views } from "../../item/views.ts";
import { COMPLETE, type Status, WORKING } from "../../status/state.ts";
import { detached } from "../codegen/code.ts";
import { assemble, type Frame } from "../engine/assembly.ts";
import type { Inbox } from "../engine/inbox.ts";
import type { Outbox } from "../engine/outbox.ts";
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
import { storedBytes } from "../geometry/choice.ts";
import { originOf } from "../geometry/route.ts";
import {
  checkPacketColumns,
  type ElasticBatch,
  offsetsError,
  PacketBatch,
  type PacketColumns,
  PacketPusher,
} from "./packet-columns.ts";
import { checkPushedRange } from "./pushed-range.ts";

/** Largest item in bytes: twice its length must fit in 32 bits. */
const MAX_ITEM_BYTES = 2 ** 31 - 1;

/** An elastic conveyor, as seen by one PE. */
export class ElasticBelt extends Session {
  readonly #frame: Frame;
  readonly #views: Views;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  #pushes = 0;
  #pulls = 0;
  /** Of the item pulled last: its sender, its length, its packet, and its reference if it is oversized. */
  #source = 0;
  #length = 0;
  #packet = 0;
  #reference = 0;
  /** Position of the bytes of an oversized item. */
  #oversized = 0;
  #restorable = false;
  readonly #pusher: PacketPusher;
  readonly #batch: PacketBatch;

  /** @internal see makeElasticConveyor */
  constructor(frame: Frame) {
    super(assemble(frame, (joint) => new PacketMover(frame.site, joint)));
    this.#frame = frame;
    this.#views = frame.site.views;
    this.#outbox = this.machinery.outboxes[0];
    this.#inbox = this.machinery.inbox;
    this.#pusher = new PacketPusher(frame, this.#outbox);
    this.#batch = new PacketBatch(frame, this.#inbox);
  }

  get features(): ConveyorFeatures {
    const { choice, squeezer } = this.machinery;
    return { elastic: true, steady: choice.steady, compressed: squeezer !== null };
  }

  /**
   * Copies `bytes` into the conveyor, for PE `dest`; any length from 0 on.
   * @returns false if there is no room now: advance, and try again
   * @throws StateError, UsageError; OverflowError for an item that the heap could never hold; nothing changes then
   */
  push(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("push");
    if (this.phase !== WORKING) throw this.refusal("push");
    this.checkRank(dest);
    const length = lengthOf(bytes);
    if (length < 0) {
      throw new UsageError(
        `push: expected a rank and a Uint8Array that is not detached, got ${shortText(bytes)}`,
      );
    }
    const { choice } = this.#frame;
    const { route } = choice;
    const { u8, u32 } = this.#views;
    const link = route.link[dest];
    const isOversized = length > choice.bufferBytes;
    const size = isOversized ? HEAD + REFERENCE_BYTES : packetBytes(length);
    const at = reserve(this.#outbox, link, size);
    if (at === 0) return false;
    if (isOversized) {
      const reference = this.#leave(dest, bytes, length);
      if (reference === 0) {
        // there will be room when the waiting items were sent and pulled
        this.#outbox.overflow = true;
        return false;
      }
      u32[(at >>> 2) + 2] = reference;
      u32[(at >>> 2) + 3] = length;
    } else if (length > 0) {
      u8.set(bytes, at + HEAD);
    }
    u32[at >>> 2] = route.tag[dest];
    u32[(at >>> 2) + 1] = length * 2 + (isOversized ? 1 : 0);
    commit(this.#outbox, link, size);
    // the memory of an oversized item is in use until it is pulled, so its reference is sent at once
    if ((isOversized || length > this.#outbox.direct) && !this.#outbox.hold) this.#outbox.hasDirect(link);
    this.#pushes++;
    return true;
  }

  /**
   * As {@link push}, and then {@link flush} of the item's destination: the item, and all before it, waits in no buffer.
   * @throws as push
   */
  pushUrgent(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("pushUrgent");
    if (!this.push(dest, bytes)) return false;
    this.flush(dest);
    return true;
  }

  /**
   * Copies many items into the conveyor, in order: item i is for PE `dests[i]`, and is `bytes` from `offsets[i]` to
   * `offsets[i + 1]` - 1. Arrays of `pe.alloc` are read where they are.
   *
   *     for (let i = 0; c.advance(i === dests.length); ) {
   *       i = c.pushAll(dests, bytes, offsets, i);
   *       for (let batch = c.pullAll(); batch !== null; batch = c.pullAll()) read(batch.bytes, batch.offsets);
   *     }
   *
   * @param offsets one more than there are items
   * @param first index of the first item
   * @param end index after the last item
   * @returns the index of the first item that was not pushed: `end`, or less if there is no room now, or if a destination is
   *   not a rank, or offsets are not in order or not within `bytes`
   * @throws StateError, unless `first` is `end`; UsageError for invalid arrays; if it is item `first` that cannot be pushed,
   *   RankRangeError, UsageError for its offsets, OverflowError as push; nothing changes then
   */
  pushAll(
    dests: Uint32Array,
    bytes: Uint8Array,
    offsets: Uint32Array,
    first = 0,
    end: number = dests?.length,
  ): number {
    if (this === undefined) detached("pushAll");
    const columns: PacketColumns = { dests, bytes, offsets };
    checkPacketColumns(columns);
    checkPushedRange(dests, first, end);
    // allows a loop that keeps pulling after the last push
    if (first === end && this.isBegun) return end;
    if (this.phase !== WORKING) throw this.refusal("pushAll");
    const pusher = this.#pusher;
    for (let i = first; ; i++) {
      const stop = pusher.push(columns, i, end);
      this.#pushes += pusher.next - i;
      i = pusher.next;
      if (stop === "alone" && this.#pushOne(columns, i, i === first)) continue;
      if (i === first) {
        if (stop === "no rank") this.checkRank(dests[i]);
        if (stop === "no bytes") throw offsetsError(columns, i);
      }
      return i;
    }
  }

  /** Pushes an oversized item, or one that is longer than the cutoff; false if it cannot be now. @param throws whether it may throw what push throws */
  #pushOne({ dests, bytes, offsets }: PacketColumns, i: number, throws: boolean): boolean {
    try {
      return this.push(dests[i], bytes.subarray(offsets[i], offsets[i + 1]));
    } catch (error) {
      // it is told at the next call, when it is the first item
      if (throws || !(error instanceof OverflowError)) throw error;
      return false;
    }
  }

  /**
   * Pulls all items of the next received buffer, up to an oversized one, which comes by itself. {@link unpull} does not put
   * them back.
   * @returns null if there is none now; else one object, which always shows the last batch
   * @throws StateError before begin
   */
  pullAll(): ElasticBatch | null {
    if (this === undefined) detached("pullAll");
    if (!this.isBegun) throw this.refusal("pullAll");
    this.#drop();
    this.#restorable = false;
    const inbox = this.#inbox;
    if (inbox.next === inbox.limit && (this.phase === COMPLETE || !inbox.fetch())) return null;
    const batch = this.#batch;
    const last = batch.show();
    if (last < 0) {
      if (!this.pull()) return null;
      this.#restorable = false;
      batch.showOne(this.bytes, this.#source);
      return batch;
    }
    const { count, offsets, from } = batch;
    this.#source = from[count - 1];
    this.#length = offsets[count] - offsets[count - 1];
    inbox.at = last;
    inbox.next = last + packetBytes(this.#length);
    this.#pulls += count;
    return batch;
  }

  #leave(dest: number, bytes: Uint8Array, length: number): number {
    if (length > MAX_ITEM_BYTES) {
      throw new OverflowError(`push: expected at most ${MAX_ITEM_BYTES} bytes, got ${length}`);
    }
    try {
      return this.machinery.site.oversized.leave(dest, bytes, length);
    } catch (cause) {
      if (!(cause instanceof HeapError)) throw cause;
      throw new OverflowError(
        `push: the heap has no room for an item of ${bytes.length} bytes, and this PE has no oversized item in flight that ` +
          "could free some. Make the heap larger (heapBytes), or push the item in pieces.",
        { cause },
      );
    }
  }

  /**
   * Pulls the next received item; read it with {@link bytes}, and its sender with {@link from}.
   * @param length the required length; an item of another length stays the next item. @default any
   * @returns false if there is none now; more items may still arrive
   * @throws StateError before begin; MisfitError for another length
   */
  pull(length?: number): boolean {
    if (this === undefined) detached("pull");
    if (!this.isBegun) throw this.refusal("pull");
    this.#drop();
    this.#restorable = false;
    const inbox = this.#inbox;
    if (inbox.next === inbox.limit && (this.phase === COMPLETE || !inbox.fetch())) return false;
    const { u32 } = this.#views;
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
    const source = originOf(this.#frame.choice.route, inbox.source, u32[word]);
    if (isOversized) {
      const oversized = this.machinery.site.oversized.find(source, u32[word + 2], found);
      if (oversized < 0) return false;
      this.#oversized = oversized;
      this.#reference = u32[word + 2];
    }
    this.#source = source;
    this.#length = found;
    this.#packet = isOversized ? HEAD + REFERENCE_BYTES : packetBytes(found);
    this.#restorable = true;
    inbox.at = at;
    inbox.next = at + this.#packet;
    this.#pulls++;
    return true;
  }

  /** The bytes of the last pulled item: a view of memory that the next pull may reuse, so copy what you keep. */
  get bytes(): Uint8Array {
    const inbox = this.#inbox;
    if (this.#reference === 0) inbox.lent = true;
    const at = this.#reference === 0 ? inbox.at + HEAD : this.#oversized;
    return this.#views.u8.subarray(at, at + this.#length);
  }

  /** The sender of the last pulled item. */
  get from(): number {
    return this.#source;
  }

  /**
   * Puts the last pulled item back, to be pulled again. It must be called right after the pull, and works for one item
   * only.
   * @returns whether the item was put back
   * @throws StateError when dormant
   */
  unpull(): boolean {
    if (!this.isBegun) throw this.refusal("unpull");
    if (!this.#restorable || !this.#inbox.restore(this.#packet)) return false;
    this.#restorable = false;
    this.#reference = 0;
    this.unpulls++;
    return true;
  }

  /** Releases the last oversized item: its bytes are not read any more. */
  #drop(): void {
    if (this.#reference === 0) return;
    this.machinery.site.oversized.drop(this.#source, this.#reference);
    this.#reference = 0;
    this.#length = 0;
  }

  protected override get waiting(): number {
    return Math.sign(super.waiting);
  }

  protected prepare(): string {
    const { choice } = this.#frame;
    const capacity = storedBytes(choice.bufferBytes);
    const { outboxes, inbox } = this.machinery;
    const packing = { stride: 1, tagBytes: 0, capacity, base: 0, unit: PACKET_ALIGN };
    const margin = capacity - fullPackets(choice);
    for (const outbox of outboxes) outbox.begin(packing, margin);
    inbox.begin(packing);
    this.#pushes = 0;
    this.#pulls = 0;
    return this.agreed;
  }

  protected override release(): void {
    this.#drop();
    this.#restorable = false;
    super.release();
  }

  /** Whoever still reads an oversized item of this PE gives its memory back itself. */
  protected override ended(): void {
    this.machinery.site.oversized.abandon();
  }

  /** @internal */
  override proceed(done: boolean): Status {
    this.machinery.site.oversized.sweep();
    return super.proceed(done);
  }

  protected tally(): { pushes: number; pulls: number } {
    return { pushes: this.#pushes, pulls: this.#pulls };
  }
}
