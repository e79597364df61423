/** Places in memory where contents are written and read. */
import { type Views, viewsOf } from "../../../ground/item/views.ts";

/** A place in a memory. */
export class Cursor {
  /** The memory. */
  views: Views;
  /** The next byte. */
  at: number;

  constructor(views: Views, at = 0) {
    this.views = views;
    this.at = at;
  }

  /** Goes to the next multiple of `align`, a power of two. @returns where it is */
  align(align: number): number {
    this.at = (this.at + align - 1) & -align;
    return this.at;
  }
}

/** Bytes that are there without {@link Scratch.reserve}: what small contents take. */
const SLACK = 2048;
/** Bytes of a scratch at first: a head, and two small contents. */
const FIRST_BYTES = 4096;
/** Bytes that are kept for later. */
const MOST_KEPT = 2 ** 20;

/** Memory of this thread alone that operations are put together in. It grows, and then its views are others. */
export class Scratch extends Cursor {
  constructor() {
    super(viewsOf(new ArrayBuffer(FIRST_BYTES)));
  }

  /** Gives back what a very long content took; what is in it is lost. */
  shrink(): void {
    if (this.views.u8.length > MOST_KEPT) this.views = viewsOf(new ArrayBuffer(FIRST_BYTES));
  }

  /** Makes room for `bytes` from the place on, and for a small content behind them. */
  reserve(bytes: number): void {
    const needed = this.at + bytes + SLACK;
    const { u8 } = this.views;
    if (needed <= u8.length) return;
    const views = viewsOf(new ArrayBuffer(2 ** Math.ceil(Math.log2(needed))));
    views.u8.set(u8.subarray(0, this.at));
    this.views = views;
  }
}
