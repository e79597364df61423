/**
 * Block channel: a queue of large blocks between two PEs, for what does not fit a cache line.
 *
 *     ┌───────────────────────────┐
 *     │ UMP channel, a slot/block │  the tag is the block's length in bytes
 *     ├───────────────────────────┤
 *     │ block 0                   │  blockBytes, aligned to 128
 *     ├───────────────────────────┤
 *     │ block 1 …                 │
 *     └───────────────────────────┘
 *
 * What: slot i of a small UMP channel announces block i, so order, bounds and waiting are UMP's. The
 * sender fills a block in place (or copies into it) while the receiver reads another.
 *
 * Limits: one sender, one receiver; blocks up to 2^31 - 1 bytes; one fence a block.
 */
import { UsageError } from "../base/errors.ts";
import { LINE } from "../memory/heap-layout.ts";
import type { EndOptions } from "./end.ts";
import { channelBytes, SLOT_BYTES, SLOT_PAYLOAD, SLOTS_OFFSET } from "./layout.ts";
import { UmpReceiver, UmpSender } from "./ump.ts";

/** One PE's end of a block channel; `slots` is the number of blocks. */
export interface BlockEndOptions extends EndOptions {
  /** Bytes of one block: a multiple of 128. */
  readonly blockBytes: number;
}

const blocksOffset = (slots: number): number => Math.ceil(channelBytes(slots) / LINE) * LINE;

/** Bytes of a channel of `slots` blocks. */
export const blockChannelBytes = (slots: number, blockBytes: number): number =>
  blocksOffset(slots) + slots * blockBytes;

function checkBlockBytes(bytes: number): void {
  if (!(Number.isInteger(bytes) && bytes > 0 && bytes < 2 ** 31 && bytes % LINE === 0)) {
    throw new UsageError(`blockBytes: expected a multiple of ${LINE} below 2^31, got ${bytes}`);
  }
}

/** Where the payload of a block lies, from where its announcement's payload lies. */
class Places {
  readonly #firstSlot: number;
  readonly #firstBlock: number;
  readonly #blockBytes: number;

  constructor({ offset, slots, blockBytes }: BlockEndOptions) {
    checkBlockBytes(blockBytes);
    this.#firstSlot = offset + SLOTS_OFFSET + SLOT_PAYLOAD;
    this.#firstBlock = offset + blocksOffset(slots);
    this.#blockBytes = blockBytes;
  }

  of(at: number): number {
    return at < 0 ? -1 : this.#firstBlock + ((at - this.#firstSlot) / SLOT_BYTES) * this.#blockBytes;
  }
}

/** The sending end of a block channel. */
export class BlockSender {
  /** Largest number of bytes of one block. */
  readonly capacity: number;
  readonly #control: UmpSender;
  readonly #places: Places;

  constructor(options: BlockEndOptions) {
    this.#places = new Places(options);
    this.#control = new UmpSender(options);
    this.capacity = options.blockBytes;
  }

  canSend(): boolean {
    return this.#control.canSend();
  }

  /** Byte offset in the heap of the next block, or -1 while all are in use. */
  tryClaim(): number {
    return this.#places.of(this.#control.tryClaim());
  }

  /** As {@link tryClaim}, waiting for a free block. @throws whatever ends the wait (ground/wait/waiter.ts) */
  claim(): number {
    return this.#places.of(this.#control.claim());
  }

  /** Hands the claimed block over, with the number of bytes that count. */
  publish(bytes: number): void {
    if (!(bytes >= 0 && bytes <= this.capacity)) {
      throw new UsageError(`publish: expected 0 to ${this.capacity} bytes, the size of a block, got ${bytes}`);
    }
    this.#control.publish(bytes);
  }
}

/** The receiving end of a block channel. */
export class BlockReceiver {
  readonly #control: UmpReceiver;
  readonly #places: Places;

  constructor(options: BlockEndOptions) {
    this.#places = new Places(options);
    this.#control = new UmpReceiver(options);
  }

  /** Bytes of the block that wait() or tryWait() has just shown. */
  get length(): number {
    return this.#control.tag;
  }

  canReceive(): boolean {
    return this.#control.canReceive();
  }

  /** Byte offset in the heap of the oldest block, or -1 while there is none. */
  tryWait(): number {
    return this.#places.of(this.#control.tryWait());
  }

  /** As {@link tryWait}, waiting for a block. @throws whatever ends the wait (ground/wait/waiter.ts) */
  wait(): number {
    return this.#places.of(this.#control.wait());
  }

  /** Gives the block back to the sender. */
  release(): void {
    this.#control.release();
  }
}
