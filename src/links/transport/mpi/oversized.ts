/**
 * Oversized items between nodes. If they have mapped each other's heaps, and the receiver has a link to the sender's
 * node, it is as within a node (heap/oversized.ts). Else the sender copies an item into a block of its heap and sends
 * it under a tag that is the reference; the receiver of the reference receives it into a block of its own.
 *
 * After its first item a PE sends another one only if that leaves room for one received item for each PE of the node. A
 * received item that finds no room waits for a while. Otherwise two nodes whose heaps are full of items to send could
 * not receive.
 *
 * Items are sent synchronously: the send completes when the receive has begun, so no more than {@link MOST} of a PE's
 * items wait anywhere, however many MPI would buffer.
 */

import { HeapError } from "../../../ground/base/errors.ts";
import { monotonic } from "../../../ground/base/event-loop/timers.ts";
import type { Heap } from "../../../ground/memory/heap.ts";
import { LINE } from "../../../ground/memory/heap-layout.ts";
import type { Oversized } from "../contract.ts";
import { MOST } from "../heap/oversized.ts";
import type { OversizedRoom } from "../heap/oversized-room.ts";
import { BY_MPI } from "../nodes.ts";
import type { MappedLinks } from "./mapped-links.ts";
import type { Party, Wire } from "./pending.ts";

/** The parts of oversized items. */
export interface RemoteOversizedSetup {
  readonly heap: Heap;
  readonly wire: Wire;
  /** The memory of the oversized items on this node, sent and received. */
  readonly room: OversizedRoom;
  /** Oversized items to PEs of this node. */
  readonly near: Oversized;
  readonly mapped: MappedLinks;
  /** The number on this node of a PE of the conveyor; -1 if it is on another node. */
  readonly seatOf: (rank: number) => number;
  /** The node of a PE of the conveyor. */
  readonly nodeOf: (rank: number) => number;
  /** A tag that is not in use on this node. */
  readonly newTag: () => number;
  /** Number of PEs of the conveyor on this node. */
  readonly pes: number;
  /** Limit of the bytes in flight; one oversized item is always allowed. */
  readonly maxBytes: number;
}

/** Longest time without room for a received item, ms: items of other PEs occupy memory until they are received. */
const ROOM_TIMEOUT_MS = 15_000;

/** Blocks of the heap for one direction. */
class Blocks {
  readonly #room: OversizedRoom;
  /** Time since which there has been no block, ms; 0 if there was one. */
  #fullSince = 0;

  constructor(room: OversizedRoom) {
    this.#room = room;
  }

  /**
   * A block; -1 if there may be one later.
   * @param isCertain whether something that this PE waits for will free memory, however long that takes
   * @throws HeapError
   */
  take(bytes: number, isCertain: boolean): number {
    try {
      const block = this.#room.take(bytes);
      this.#fullSince = 0;
      return block;
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      const now = monotonic();
      if (isCertain || this.#fullSince === 0) this.#fullSince = now;
      else if (now - this.#fullSince > ROOM_TIMEOUT_MS) throw error;
      return -1;
    }
  }
}

/** An oversized item that is being received, or was received. */
interface Incoming {
  readonly source: number;
  readonly reference: number;
  readonly block: number;
  isThere: boolean;
}

/** Oversized items to and from PEs of any node. */
export class JointOversized implements Oversized, Party {
  readonly #place: RemoteOversizedSetup;
  readonly #out: number;
  readonly #in: number;
  /** By slot: the block that is being sent, and its bytes; 0 for none. */
  readonly #blocks: Float64Array = new Float64Array(MOST);
  readonly #sizes: Float64Array = new Float64Array(MOST);
  #bytes = 0;
  #pending = 0;
  #incoming: Incoming | null = null;
  readonly #blocksOut: Blocks;
  readonly #blocksIn: Blocks;

  constructor(place: RemoteOversizedSetup) {
    this.#place = place;
    this.#blocksOut = new Blocks(place.room);
    this.#blocksIn = new Blocks(place.room);
    this.#out = place.wire.reserve(this, MOST);
    this.#in = place.wire.reserve(this, 1);
  }

  leave(dest: number, bytes: Uint8Array, length: number): number {
    const { heap, wire, near, mapped, seatOf, nodeOf, newTag, maxBytes, pes } = this.#place;
    const seat = seatOf(dest);
    if (seat >= 0 || mapped.isReadBy(dest)) return near.leave(seat, bytes, length);
    if (this.#pending === MOST || (this.#pending > 0 && this.#bytes + length > maxBytes)) return 0;
    if (this.#pending > 0 && heap.unused < (pes + 1) * length) return 0;
    // the block of a sent item is freed once the item was received
    const block = this.#blocksOut.take(length, this.#pending > 0);
    if (block < 0) return 0;
    heap.u8.set(bytes, block);
    const index = this.#blocks.indexOf(0);
    this.#blocks[index] = block;
    this.#sizes[index] = length;
    this.#bytes += length;
    this.#pending++;
    const reference = newTag();
    wire.sendSynchronously(this.#out + index, heap.u8.subarray(block, block + length), nodeOf(dest), reference);
    return reference;
  }

  over(slot: number): void {
    if (slot === this.#in) {
      (this.#incoming as Incoming).isThere = true;
      return;
    }
    const index = slot - this.#out;
    this.#place.room.give(this.#blocks[index]);
    this.#blocks[index] = 0;
    this.#bytes -= this.#sizes[index];
    this.#pending--;
  }

  find(source: number, reference: number, bytes: number): number {
    const { heap, wire, near, mapped, seatOf, nodeOf } = this.#place;
    const seat = seatOf(source);
    if (seat >= 0) return near.find(seat, reference, bytes);
    const at = mapped.heapOf(source);
    if (at !== BY_MPI) return at + near.find(seat, reference, bytes);
    let incoming = this.#incoming;
    if (incoming === null) {
      const block = this.#blocksIn.take(bytes, false);
      if (block < 0) return -1;
      incoming = { source, reference, block, isThere: false };
      this.#incoming = incoming;
      wire.receive(this.#in, heap.u8.subarray(block, block + bytes), nodeOf(source), reference);
      wire.poll();
    } else if (incoming.source !== source || incoming.reference !== reference) {
      throw new Error(
        `oversized item ${reference} of PE ${source} was asked for before ${incoming.reference} was dropped`,
      );
    }
    return incoming.isThere ? incoming.block : -1;
  }

  drop(source: number, reference: number): void {
    const { room, near, mapped, seatOf } = this.#place;
    const seat = seatOf(source);
    if (seat >= 0) {
      near.drop(seat, reference);
    } else if (mapped.heapOf(source) !== BY_MPI) {
      mapped.drop(source, reference * LINE);
    } else if (this.#incoming !== null) {
      room.give(this.#incoming.block);
      this.#incoming = null;
    }
  }

  sweep(): void {
    this.#place.near.sweep();
  }

  get isEmpty(): boolean {
    return this.#pending === 0 && this.#place.near.isEmpty;
  }

  abandon(): void {
    this.#place.near.abandon();
  }
}
