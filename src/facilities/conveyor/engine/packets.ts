/**
 * Packets: items of any length in the buffers of a hop.
 *
 *     ┌─────────┬─────────────────┬────────────────────────────┐
 *     │ tag u32 │ descriptor u32  │ the bytes, padded to 8     │
 *     └─────────┴─────────────────┴────────────────────────────┘
 *
 * The descriptor is twice the number of bytes, plus one for an oversized item. The packet of an oversized item contains
 * a reference to its bytes: reference u32, then their number, u32.
 *
 * Source: Maley and DeVinney, "Conveyors" (docs/papers.md), section 3.6; elastic.c and pivot.h of bale's convey.
 */
import { roundUp } from "../../../ground/item/item-type.ts";
import type { Site } from "../../../links/transport/contract.ts";
import type { Squeezer } from "../../../route/geometry/codec.ts";
import { type CompleteChoice, storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import type { Pivot } from "../../../route/geometry/route.ts";
import { fractionsOf } from "../../../route/geometry/sending.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";
import type { Joint, Pass } from "./assembly.ts";
import { FULL } from "./causes.ts";
import type { Outbox, PushEntry } from "./outbox.ts";
import type { HopReceiver } from "./receiver.ts";
import type { Mover } from "./tensor.ts";

/** Alignment of packets. */
export const PACKET_ALIGN = 8;
/** Bytes before those of the item. */
export const HEAD = 8;
/** Bytes of an oversized item's reference. */
export const REFERENCE_BYTES = 8;

/** Bytes of a packet that holds `bytes` bytes, which a buffer has room for: 32 bits, so that nothing is divided. */
export const packetBytes = (bytes: number): number => HEAD + ((bytes + PACKET_ALIGN - 1) & -PACKET_ALIGN);

/** Bytes of packets with more than which a buffer is full. */
export function fullPackets({ bufferBytes, sending }: CompleteChoice): number {
  const { threshold } = fractionsOf(sending);
  if (threshold === null) return storedBytes(bufferBytes) - PACKET_ALIGN;
  return Math.max(PACKET_ALIGN, roundUp(Math.ceil(threshold * bufferBytes), PACKET_ALIGN)) - PACKET_ALIGN;
}

/**
 * Reserves `size` bytes in the buffer of a link; returns their position, or 0 if there is no room now. A buffer with
 * too little room is sent, unless the outbox holds full buffers.
 */
export function reserve(outbox: PushEntry, link: number, size: number): number {
  if (outbox.at[link] !== 0 && outbox.at[link] + size > outbox.end[link]) {
    if (outbox.extend(link, size)) return outbox.at[link];
    // the limit of all buffers may have sent it
    if (outbox.at[link] !== 0) outbox.leave(link, FULL);
    if (outbox.hold) return 0;
  }
  if (outbox.at[link] === 0 && !outbox.open(link, size)) return 0;
  return outbox.at[link];
}

/** Called when the reserved packet was written. */
export function commit(outbox: PushEntry, link: number, size: number): void {
  const at = outbox.at[link] + size;
  outbox.at[link] = at;
  outbox.packets[link]++;
  if (at + outbox.margin > outbox.end[link]) outbox.filled(link);
}

/** Forwards packets from one hop to the next. */
export class PacketMover implements Mover {
  readonly #receiver: HopReceiver;
  readonly #outbox: Outbox;
  /** What the packets go into: that outbox, or those of all hops. */
  readonly #target: PushEntry;
  readonly #pass: Pass | null;
  readonly #kernels: ConveyorKernels;
  readonly #u32: Uint32Array;
  /** Byte offset of a word that the kernel uses while it runs. */
  readonly #word: number;
  readonly #turn: Pivot;
  readonly #squeezer: Squeezer | null;
  #at = 0;
  #end = 0;

  constructor({ memory, views, places }: Site, { receiver, turn, outbox, pass, squeezer }: Joint) {
    this.#receiver = receiver;
    this.#outbox = outbox;
    this.#target = pass?.entry ?? outbox;
    this.#pass = pass;
    this.#kernels = conveyorKernels(memory);
    this.#u32 = views.u32;
    this.#word = places.staging;
    this.#turn = turn;
    this.#squeezer = squeezer;
  }

  get isIdle(): boolean {
    return this.#at === this.#end;
  }

  step(): boolean {
    const { porter } = this.#receiver;
    if (this.#at === this.#end) {
      if (!this.#receiver.borrow()) return false;
      const { start, bytes } = porter;
      const { count, isCompressed } = this.#receiver;
      this.#at =
        isCompressed && this.#squeezer !== null ? this.#squeezer.decompress(start, bytes, PACKET_ALIGN, count) : start;
      this.#end = this.#at + count;
    }
    const from = this.#at;
    while (this.#at < this.#end && this.#move());
    const moved = this.#at > from;
    if (this.#at === this.#end) {
      porter.release();
      if (this.#receiver.isUrgent) this.#target.urgeAll();
    }
    return moved;
  }

  /** Forwards packets until a link has to be sent, or opened; returns false if that link has no room. */
  #move(): boolean {
    const outbox = this.#target;
    const pass = this.#pass;
    // an address comes with a sign
    this.#at = (pass === null ? this.#turnOn() : this.#passOn(pass)) >>> 0;
    const stop = this.#u32[this.#word >>> 2];
    const link = stop >>> 1;
    // the sender waits for memory of oversized items, so their references are sent at once
    const isDirect = (stop & 1) === 1;
    if (isDirect) {
      outbox.hasDirect(link);
      return true;
    }
    if (outbox.at[link] === 0) return outbox.open(link, this.#sizeAt(this.#at));
    if (outbox.isFull(link)) {
      outbox.filled(link);
      if (outbox.at[link] === 0) return true;
    }
    // a full one may be kept until all PEs exchange, or as long as there is room for the next packet
    return this.#at === this.#end || reserve(outbox, link, this.#sizeAt(this.#at)) !== 0;
  }

  /** Bytes of the packet at a place. */
  #sizeAt(at: number): number {
    const descriptor = this.#u32[(at >>> 2) + 1];
    return (descriptor & 1) === 1 ? HEAD + REFERENCE_BYTES : packetBytes(descriptor >>> 1);
  }

  /** All go on over the next hop. @returns where the first packet is that was not copied */
  #turnOn(): number {
    const { address, stride, margin, direct } = this.#outbox;
    const { linkShift, linkMask, sourceShift, keepShift, keepMask } = this.#turn;
    const mark = this.#receiver.porter.source << sourceShift;
    return this.#kernels.pivotPackets(
      ...([this.#at, this.#end, mark, linkShift, linkMask, keepShift, keepMask] as const),
      ...([address, stride, this.#word, margin, direct] as const),
    );
  }

  /** Some leave out hops. @returns the same */
  #passOn({ entry, own, field, fields, at }: Pass): number {
    const { margin, direct } = this.#outbox;
    const mark = this.#receiver.porter.source << this.#turn.sourceShift;
    return this.#kernels.pivotPacketsMesh(
      ...([this.#at, this.#end, mark, own, field, fields, at] as const),
      ...([entry.address, entry.stride, this.#word, margin, direct] as const),
    );
  }
}
