/**
 * Oversized items between nodes. The sender copies one into a block of its heap and sends
 * it under a tag that is the reference; the receiver that has the reference receives it into a block of its own.
 *
 * Beyond its first one a PE sends only what leaves room for one to come to each PE of the node, and one that comes and
 * finds none waits for a while: otherwise two nodes that are full of what they send could not receive.
 *
 * It is sent synchronously: that is over when the receiver has begun to receive, so no more than {@link MOST} of a PE wait
 * anywhere, however soon MPI would take them.
 */
import { HeapError } from "../../base/errors.ts";
import type { Heap } from "../../memory/heap.ts";
import type { Oversized } from "../contract.ts";
import { MOST } from "../heap/oversized.ts";
import type { OversizedRoom } from "../heap/oversized-room.ts";
import type { Party, Wire } from "./pending.ts";

/** What oversized items are made from. */
export interface RemoteOversizedSeat {
  readonly heap: Heap;
  readonly wire: Wire;
  /** Of the oversized items on this node, whichever way they go. */
  readonly room: OversizedRoom;
  /** Those to PEs of this node. */
  readonly near: Oversized;
  /** The number on this node of a PE of the conveyor; -1 where it is on another. */
  readonly seatOf: (rank: number) => number;
  /** The node of a PE of the conveyor. */
  readonly nodeOf: (rank: number) => number;
  /** A tag that nobody on this node has under way. */
  readonly newTag: () => number;
  /** PEs of the conveyor on this node. */
  readonly pes: number;
  /** Bytes that may be under way at once; one oversized item always may. */
  readonly maxBytes: number;
}

/** How long there may be no room for an oversized item, ms: what other PEs of the node send takes room until it has gone. */
const PATIENCE_MS = 15_000;

/** Blocks of the heap for what goes one way. */
class Blocks {
  readonly #room: OversizedRoom;
  /** Since when there is none, ms; 0 when there was. */
  #fullSince = 0;

  constructor(room: OversizedRoom) {
    this.#room = room;
  }

  /**
   * A block; -1 where there may be one later.
   * @param isCertain something that this PE waits for gives some back in the end, however long that takes
   * @throws HeapError
   */
  take(bytes: number, isCertain: boolean): number {
    try {
      const block = this.#room.take(bytes);
      this.#fullSince = 0;
      return block;
    } catch (error) {
      if (!(error instanceof HeapError)) throw error;
      const now = performance.now();
      if (isCertain || this.#fullSince === 0) this.#fullSince = now;
      else if (now - this.#fullSince > PATIENCE_MS) throw error;
      return -1;
    }
  }
}

/** An oversized item that is received, or has been. */
interface Incoming {
  readonly source: number;
  readonly reference: number;
  readonly block: number;
  isThere: boolean;
}

/** Oversized items to and from PEs of any node. */
export class JointOversized implements Oversized, Party {
  readonly #place: RemoteOversizedSeat;
  readonly #out: number;
  readonly #in: number;
  /** By slot: the block that is sent, and its bytes; 0 for none. */
  readonly #blocks: Float64Array = new Float64Array(MOST);
  readonly #sizes: Float64Array = new Float64Array(MOST);
  #bytes = 0;
  #pending = 0;
  #incoming: Incoming | null = null;
  readonly #blocksOut: Blocks;
  readonly #blocksIn: Blocks;

  constructor(place: RemoteOversizedSeat) {
    this.#place = place;
    this.#blocksOut = new Blocks(place.room);
    this.#blocksIn = new Blocks(place.room);
    this.#out = place.wire.reserve(this, MOST);
    this.#in = place.wire.reserve(this, 1);
  }

  leave(dest: number, bytes: Uint8Array, length: number): number {
    const { heap, wire, near, seatOf, nodeOf, newTag, maxBytes, pes } = this.#place;
    const seat = seatOf(dest);
    if (seat >= 0) return near.leave(seat, bytes, length);
    if (this.#pending === MOST || (this.#pending > 0 && this.#bytes + length > maxBytes)) return 0;
    if (this.#pending > 0 && heap.unused < (pes + 1) * length) return 0;
    // what has been sent gives its block back once it has been received
    const block = this.#blocksOut.take(length, this.#pending > 0);
    if (block < 0) return 0;
    heap.u8.set(bytes, block);
    const index = this.#blocks.indexOf(0);
    this.#blocks[index] = block;
    this.#sizes[index] = length;
    this.#bytes += length;
    this.#pending++;
    const reference = newTag();
    wire.sendSynchronously(
      this.#out + index,
      heap.u8.subarray(block, block + length),
      nodeOf(dest),
      reference,
    );
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
    const { heap, wire, near, seatOf, nodeOf } = this.#place;
    const seat = seatOf(source);
    if (seat >= 0) return near.find(seat, reference, bytes);
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
    const { room, near, seatOf } = this.#place;
    const seat = seatOf(source);
    if (seat >= 0) {
      near.drop(seat, reference);
    } else if (this.#incoming !== null) {
      room.give(this.#incoming.block);
      this.#incoming = null;
    }
  }

  sweep(): void {
    this.#place.near.sweep();
  }

  abandon(): void {
    this.#place.near.abandon();
  }
}
