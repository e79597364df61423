/** Packets that come to a PE, handed to the program as views of where they are. */
import { UsageError } from "../../ground/base/errors.ts";
import { Fifo } from "../../ground/base/fifo.ts";
import { type AtOnce, isPromise, promiseError } from "../../ground/base/promise.ts";
import type { Views } from "../../ground/item/views.ts";
import type { Porter } from "../../links/transport/contract.ts";
import { AWAY, LENGTH, OFFSET, TAG, TOTAL } from "../../route/disciplines/packet.ts";

/** A piece of a block that has come. The same object is used again for the next piece. */
export interface Chunk {
  /** Rank of the PE that has scheduled the block. */
  readonly from: number;
  /** As passed to `schedule`. */
  readonly tag: number;
  /** Where the piece begins in the block, bytes. */
  readonly offset: number;
  /** Bytes of the whole block. */
  readonly total: number;
  /** The piece: valid until the function that gets it returns. */
  readonly bytes: Uint8Array;
}

/** Gets what comes. It may call `schedule`; it must not wait, and not be async: the bytes are gone when it returns. */
export type OnChunk = (chunk: Chunk) => AtOnce;

/** Advice for a function that returns a promise. */
export const AT_ONCE = "copy the bytes that are needed later, and await after the call.";

/** The destinations that a PE has scheduled for itself. */
interface OwnBlock {
  readonly tag: number;
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** @throws UsageError if the memory of a block has gone since it was scheduled: transferred, or resized */
export function checkBlock(bytes: Uint8Array, length: number): void {
  if (bytes.length === length) return;
  throw new UsageError(
    `schedule: expected ${length} bytes that stay until the phase is over; their memory was transferred or resized.`,
  );
}

export class Incoming {
  readonly #porter: Porter;
  readonly #views: Views;
  readonly #own = new Fifo<OwnBlock>();
  readonly #rank: number;
  readonly #chunk = { from: 0, tag: 0, offset: 0, total: 0, bytes: new Uint8Array(0) as Uint8Array };
  /** Pieces handed out in this phase. */
  count = 0;
  /** Whether a packet is borrowed whose function has thrown: it gets it again. */
  #isKept = false;

  constructor(porter: Porter, views: Views, rank: number) {
    this.#porter = porter;
    this.#views = views;
    this.#rank = rank;
  }

  /** Adds a block from this PE for itself. */
  add(tag: number, bytes: Uint8Array): void {
    this.#own.add({ tag, bytes, length: bytes.length });
  }

  /** Whether this PE has handed out all blocks for itself. */
  get isClear(): boolean {
    return this.#own.length === 0;
  }

  /**
   * Hands out at most `most` packets.
   * @returns whether there was one.
   * @throws what `onChunk` throws: the packet is handed out again next time
   */
  receive(onChunk: OnChunk, most: number): boolean {
    const porter = this.#porter;
    let left = most;
    for (; left > 0 && this.#own.first !== undefined; left--) {
      this.#readOwn(this.#own.first);
      this.#hand(onChunk);
      this.#own.leave();
      this.count++;
    }
    for (; left > 0 && (this.#isKept || porter.borrow()); left--) {
      this.#isKept = true;
      this.#read();
      this.#hand(onChunk);
      this.#isKept = false;
      this.count++;
      porter.release();
    }
    return left < most;
  }

  #hand(onChunk: OnChunk): void {
    const returned: unknown = onChunk(this.#chunk);
    if (returned !== undefined && isPromise(returned)) throw promiseError("onChunk", AT_ONCE);
  }

  #readOwn({ tag, bytes, length }: OwnBlock): void {
    checkBlock(bytes, length);
    const chunk = this.#chunk;
    chunk.from = this.#rank;
    chunk.tag = tag;
    chunk.offset = 0;
    chunk.total = bytes.length;
    chunk.bytes = bytes;
  }

  #read(): void {
    const { start, source } = this.#porter;
    const { i32, f64, u8 } = this.#views;
    const chunk = this.#chunk;
    const at = start + f64[start / 8 + AWAY];
    chunk.from = source;
    chunk.tag = i32[start / 4 + TAG];
    chunk.offset = f64[start / 8 + OFFSET];
    chunk.total = f64[start / 8 + TOTAL];
    chunk.bytes = u8.subarray(at, at + i32[start / 4 + LENGTH]);
  }
}
