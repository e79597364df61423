/** Forwards buffers of items of one size from one hop to the next. */

import type { Porter } from "../../transport/contract.ts";
import type { PivotCode } from "../codegen/code.ts";
import type { Mover } from "../engine/tensor.ts";
import type { Squeezer } from "../geometry/codec.ts";
import type { Packing } from "../geometry/packing.ts";

/** Forwards items between two hops of a rigid tensor. */
export class RigidMover implements Mover {
  readonly #porter: Porter;
  readonly #squeezer: Squeezer | null;
  readonly #codeFor: (stride: number) => PivotCode;
  #pivot: PivotCode = () => 0;
  #coded = 0;
  #packing: Packing = { stride: 1, tagBytes: 0, capacity: 0, base: 0, unit: 1 };
  #items = 0;
  /** Of the current buffer: where its items and tags begin, and how many items are left. */
  #at = 0;
  #base = 0;
  #count = 0;
  #left = 0;

  /**
   * @param squeezer if the incoming hop is compressed
   * @param codeFor makes the innermost loop for items of `stride` bytes
   */
  constructor(porter: Porter, squeezer: Squeezer | null, codeFor: (stride: number) => PivotCode) {
    this.#porter = porter;
    this.#squeezer = squeezer;
    this.#codeFor = codeFor;
  }

  /** Before a session. @param packing of the incoming hop */
  begin(packing: Packing): void {
    if (this.#coded !== packing.stride) this.#pivot = this.#codeFor(packing.stride);
    this.#coded = packing.stride;
    this.#packing = packing;
    this.#items = 0;
  }

  /** Items forwarded in this session. */
  get items(): number {
    return this.#items;
  }

  step(): boolean {
    const { stride, tagBytes } = this.#packing;
    if (this.#left === 0 && !this.#borrow()) return false;
    const done = this.#count - this.#left;
    const before = this.#left;
    this.#left = this.#pivot(
      this.#at + done * stride,
      this.#base - done * tagBytes,
      before,
      this.#porter.source,
    );
    this.#items += before - this.#left;
    if (this.#left === 0) this.#porter.release();
    return this.#left < before;
  }

  #borrow(): boolean {
    const porter = this.#porter;
    if (!porter.borrow()) return false;
    const { stride, tagBytes } = this.#packing;
    const { count, bytes } = porter;
    this.#count = Math.abs(count);
    this.#left = this.#count;
    this.#base = porter.start + this.#count * tagBytes;
    this.#at = this.#base;
    if (count < 0 && this.#squeezer !== null) {
      this.#at = this.#squeezer.decompress(
        this.#base,
        bytes - this.#count * tagBytes,
        stride,
        this.#count * stride,
      );
    }
    return true;
  }
}
