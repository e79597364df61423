/**
 * Elastic conveyors: items of any length, including empty ones. Items larger than a buffer (oversized items) are stored
 * outside the buffers; a reference travels in the buffer instead, so that the order is kept.
 *
 * Source: papers/conveyors.txt, section 3.6; bale's elastic.c, which has one oversized item in flight at a time.
 */

import { lengthOf } from "../../../ground/base/byte-length.ts";
import { OverflowError, UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { COMPLETE, WORKING } from "../../../links/status/state.ts";
import { detached } from "../codegen/code.ts";
import type { Frame } from "../engine/assembly.ts";
import { packetBytes } from "../engine/packets.ts";
import { renamed, wrongCount } from "../engine/refusal.ts";
import { PacketBelt } from "./packet-belt.ts";
import {
  checkPacketColumns,
  type ElasticBatch,
  offsetsError,
  PacketBatch,
  type PacketColumns,
  PacketPusher,
} from "./packet-columns.ts";
import { checkPushedRange } from "./pushed-range.ts";

/** An elastic conveyor, as seen by one PE. */
export class ElasticBelt extends PacketBelt<Uint8Array> {
  readonly #pusher: PacketPusher;
  readonly #batch: PacketBatch;

  /** @internal see makeElasticConveyor */
  constructor(frame: Frame) {
    super(frame);
    this.#pusher = new PacketPusher(frame, this.outbox, this.machinery.ways);
    this.#batch = new PacketBatch(frame, this.inbox);
  }

  /**
   * Copies `bytes` into the conveyor, for PE `dest`; any length from 0 on.
   * @returns false if there is no room now: advance, and try again
   * @throws StateError, UsageError; OverflowError for an item that the heap could never hold; nothing changes then
   */
  push(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("push");
    if (arguments.length !== 2) wrongCount("push", arguments.length);
    return this.put(dest, bytes, lengthOf(bytes));
  }

  /**
   * As {@link push}, and then {@link flush} of the item's destination: the item, and all before it, waits in no buffer.
   * @throws as push
   */
  pushUrgent(dest: number, bytes: Uint8Array): boolean {
    if (this === undefined) detached("pushUrgent");
    if (arguments.length !== 2) wrongCount("pushUrgent", arguments.length);
    try {
      if (!this.push(dest, bytes)) return false;
    } catch (error) {
      throw renamed(error, "pushUrgent");
    }
    this.flush(dest);
    return true;
  }

  protected copy(bytes: Uint8Array, at: number): void {
    this.views.u8.set(bytes, at);
  }

  protected bytesOf(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  protected noItem(bytes: unknown): UsageError {
    return new UsageError(`push: expected a rank and a Uint8Array that is not detached, got ${shortText(bytes)}`);
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
  pushAll(dests: Uint32Array, bytes: Uint8Array, offsets: Uint32Array, first = 0, end: number = dests?.length): number {
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
      this.pushed += pusher.next - i;
      i = pusher.next;
      if (stop === "alone" && this.#pushOne(columns, i, i === first)) continue;
      if (stop === "no room") this.refused(dests[i], end - i);
      if (i === first) {
        if (stop === "no rank") this.checkRank(dests[i], `pushAll: dests[${i}]`);
        if (stop === "no bytes") throw offsetsError(columns, i);
      }
      return i;
    }
  }

  /**
   * Pushes an oversized item, or one that is longer than the cutoff; false if it cannot be now.
   * @param throws whether it may throw what push throws
   */
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
    this.drop();
    this.restorable = false;
    const inbox = this.inbox;
    if (inbox.next === inbox.limit && (this.phase === COMPLETE || !inbox.fetch())) return null;
    const batch = this.#batch;
    const last = batch.show();
    if (last < 0) {
      if (!this.pull()) return null;
      this.restorable = false;
      batch.showOne(this.bytes, this.lastFrom);
      return batch;
    }
    const { count, offsets, from } = batch;
    this.lastFrom = from[count - 1];
    this.lastBytes = offsets[count] - offsets[count - 1];
    inbox.at = last;
    inbox.next = last + packetBytes(this.lastBytes);
    this.pulled += count;
    return batch;
  }

  /**
   * Pulls the next received item; read it with {@link bytes}, and its sender with {@link from}.
   * @param length the required length; an item of another length stays the next item. @default any
   * @returns false if there is none now; more items may still arrive
   * @throws StateError before begin; MisfitError for another length
   */
  pull(length?: number): boolean {
    if (this === undefined) detached("pull");
    return this.next(length);
  }
}
