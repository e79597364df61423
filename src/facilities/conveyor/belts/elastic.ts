/** Elastic conveyors: items of any length, including empty ones. */

import { lengthOf } from "../../../ground/base/byte-length.ts";
import { OverflowError, UsageError } from "../../../ground/base/errors.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import { COMPLETE, WORKING } from "../../../links/status/state.ts";
import type { Frame } from "../engine/assembly.ts";
import { packetBytes } from "../engine/packets.ts";
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

  constructor(frame: Frame) {
    super(frame);
    this.#pusher = new PacketPusher(frame, this.outbox, this.machinery.ways);
    this.#batch = new PacketBatch(frame, this.inbox);
  }

  /** Copies an item into the conveyor; false if there is no room now. @throws as {@link put} */
  push(dest: number, bytes: Uint8Array): boolean {
    return this.put(dest, bytes, lengthOf(bytes));
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
   * Copies items `first` to `end` - 1 into the conveyor; gives the index of the first one that was not pushed.
   * @throws if it is item `first` that cannot be pushed; nothing changes then
   */
  pushAll(columns: PacketColumns, first: number, end: number): number {
    const { dests } = columns;
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
   * Pulls all items of the next received buffer, up to an oversized one, which comes by itself; null if there is none
   * now.
   */
  pullAll(): ElasticBatch | null {
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

  /** As {@link next}. */
  pull(length?: number): boolean {
    return this.next(length);
  }
}
