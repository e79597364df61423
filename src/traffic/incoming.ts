/** What comes to a PE: packets, handed to the program as views of where they are. */
import { Fifo } from "../base/fifo.ts";
import type { Views } from "../item/views.ts";
import type { Porter } from "../transport/contract.ts";
import { AWAY, LENGTH, OFFSET, TAG, TOTAL } from "./packet.ts";

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

/** Gets what comes. It may call `schedule`; it must not wait. */
export type OnChunk = (chunk: Chunk) => void;

/** What a PE has scheduled for itself. */
interface OwnBlock {
  readonly tag: number;
  readonly bytes: Uint8Array;
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
    this.#own.add({ tag, bytes });
  }

  /** Whether this PE has handed out all blocks for itself. */
  get isClear(): boolean {
    return this.#own.length === 0;
  }

  /** Hands out at most `most` packets. @returns whether there was one. @throws what `onChunk` throws: the packet is handed out again next time */
  receive(onChunk: OnChunk, most: number): boolean {
    const porter = this.#porter;
    let left = most;
    for (; left > 0 && this.#own.first !== undefined; left--) {
      this.#readOwn(this.#own.first);
      onChunk(this.#chunk);
      this.#own.leave();
      this.count++;
    }
    for (; left > 0 && (this.#isKept || porter.borrow()); left--) {
      this.#isKept = true;
      this.#read();
      onChunk(this.#chunk);
      this.#isKept = false;
      this.count++;
      porter.release();
    }
    return left < most;
  }

  #readOwn({ tag, bytes }: OwnBlock): void {
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
