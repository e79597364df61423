/** Forwards buffers of items of one size from one hop to the next. */

import type { Site } from "../../../links/transport/contract.ts";
import type { Squeezer } from "../../../route/geometry/codec.ts";
import type { Packing } from "../../../route/geometry/packing.ts";
import type { Pivot } from "../../../route/geometry/route.ts";
import type { Joint, Pass } from "../engine/assembly.ts";
import type { Outbox, PushEntry } from "../engine/outbox.ts";
import type { HopReceiver } from "../engine/receiver.ts";
import type { Mover } from "../engine/tensor.ts";
import { type ConveyorKernels, conveyorKernels } from "../kernels/kernels.ts";

/** Forwards items between two hops of a rigid tensor. */
export class RigidMover implements Mover {
  readonly #receiver: HopReceiver;
  readonly #outbox: Outbox;
  /** What the items go into: that outbox, or those of all hops. */
  readonly #target: PushEntry;
  readonly #pass: Pass | null;
  readonly #squeezer: Squeezer | null;
  readonly #turn: Pivot;
  readonly #kernels: ConveyorKernels;
  readonly #u32: Uint32Array;
  /** Byte offset of a word that the kernel uses while it runs. */
  readonly #word: number;
  #packing: Packing = { stride: 1, tagBytes: 0, capacity: 0, base: 0, unit: 1 };
  #items = 0;
  /** Of the current buffer: where its items and tags begin, and how many items are left. */
  #at = 0;
  #base = 0;
  #count = 0;
  #left = 0;

  constructor({ memory, views, places }: Site, { receiver, turn, outbox, pass, squeezer }: Joint) {
    this.#receiver = receiver;
    this.#outbox = outbox;
    this.#target = pass?.entry ?? outbox;
    this.#pass = pass;
    this.#squeezer = squeezer;
    this.#turn = turn;
    this.#kernels = conveyorKernels(memory);
    this.#u32 = views.u32;
    this.#word = places.staging;
  }

  /** Before a session. @param packing of the incoming hop */
  begin(packing: Packing): void {
    this.#packing = packing;
    this.#items = 0;
  }

  /** Items forwarded in this session. */
  get items(): number {
    return this.#items;
  }

  get isIdle(): boolean {
    return this.#left === 0;
  }

  step(): boolean {
    const { stride, tagBytes } = this.#packing;
    if (this.#left === 0 && !this.#borrow()) return false;
    const done = this.#count - this.#left;
    const before = this.#left;
    this.#left = this.#pivot(this.#at + done * stride, this.#base - done * tagBytes, before);
    this.#items += before - this.#left;
    if (this.#left === 0) {
      this.#receiver.porter.release();
      if (this.#receiver.isUrgent) this.#target.urgeAll();
    }
    return this.#left < before;
  }

  /** Forwards items until none is left or a link has no room; gives how many are left. */
  #pivot(from: number, tagAt: number, count: number): number {
    const outbox = this.#target;
    const pass = this.#pass;
    const { stride, tagBytes } = this.#packing;
    let left = count;
    for (;;) {
      const done = count - left;
      const at = from + done * stride;
      const tag = tagAt - done * tagBytes;
      left = pass === null ? this.#turnOn(at, tag, left) : this.#passOn(at, tag, left, pass);
      const link = this.#u32[this.#word >>> 2];
      // the link of the last item, or of the next one
      if (outbox.at[link] !== outbox.end[link]) return left;
      if (outbox.at[link] !== 0) {
        outbox.filled(link);
        // kept until all PEs exchange, unless it has come to a limit of all buffers
        if (outbox.at[link] !== 0 && !outbox.open(link)) return left;
      } else if (!outbox.open(link)) return left;
      if (left === 0) return 0;
    }
  }

  /** All go on over the next hop. @returns how many are left */
  #turnOn(from: number, tagAt: number, left: number): number {
    const { address, stride: words, packing } = this.#outbox;
    const { stride, tagBytes } = this.#packing;
    const { linkShift, linkMask, sourceShift, keepShift, keepMask } = this.#turn;
    const widths = tagBytes | (packing.tagBytes << 8);
    const mark = this.#receiver.porter.source << sourceShift;
    return this.#kernels.pivot(
      ...([from, tagAt, left, stride, widths, mark, linkShift, linkMask, keepShift, keepMask] as const),
      ...([address, words, this.#word] as const),
    );
  }

  /** Some leave out hops. @returns how many are left */
  #passOn(from: number, tagAt: number, left: number, { entry, own, field, fields, at }: Pass): number {
    const { stride, tagBytes } = this.#packing;
    const mark = this.#receiver.porter.source << this.#turn.sourceShift;
    return this.#kernels.pivotMesh(
      ...([from, tagAt, left, stride, tagBytes, mark, own, field, fields, at] as const),
      ...([entry.address, entry.stride, this.#word] as const),
    );
  }

  #borrow(): boolean {
    const receiver = this.#receiver;
    if (!receiver.borrow()) return false;
    const { porter, count, isCompressed } = receiver;
    const { stride, tagBytes } = this.#packing;
    this.#count = count;
    this.#left = this.#count;
    this.#base = porter.start + this.#count * tagBytes;
    this.#at = this.#base;
    if (isCompressed && this.#squeezer !== null) {
      this.#at = this.#squeezer.decompress(this.#base, porter.bytes - count * tagBytes, stride, count * stride);
    }
    return true;
  }
}
