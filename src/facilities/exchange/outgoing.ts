/** Blocks that a PE sends, by lane, cut into chunks, and those into packets. */
import { Fifo } from "../../ground/base/fifo.ts";
import type { Views } from "../../ground/item/views.ts";
import type { Porter } from "../../links/transport/contract.ts";
import { AWAY, HEAD_BYTES, LENGTH, OFFSET, TAG, TOTAL } from "../../route/disciplines/packet.ts";
import { checkBlock } from "./incoming.ts";

/** Data of the program for one PE. */
interface Block {
  readonly lane: number;
  readonly tag: number;
  readonly bytes: Uint8Array;
  readonly length: number;
  /** Its place in the heap; -1 if it is elsewhere. */
  readonly at: number;
  sent: number;
  isOver: boolean;
}

/** Sizes in bytes. */
export interface PieceBytes {
  /** Of a chunk, at most. */
  readonly chunk: number;
  /** Of a buffer of the porter. */
  readonly buffer: number;
}

export class Outgoing {
  backlog = 0;
  readonly #porter: Porter;
  readonly #views: Views;
  readonly #bytes: PieceBytes;
  readonly #queues: readonly Fifo<Block>[];
  /** All of them, in the order in which they were scheduled. */
  readonly #order = new Fifo<Block>();
  /** By lane: chunks that were not sent to their end. */
  readonly #waiting: Float64Array;
  /** By lane: the open buffer; -1 for none. */
  readonly #open: Float64Array;

  constructor(porter: Porter, views: Views, bytes: PieceBytes) {
    this.#porter = porter;
    this.#views = views;
    this.#bytes = bytes;
    const { links } = porter;
    this.#queues = Array.from({ length: links }, () => new Fifo<Block>());
    this.#waiting = new Float64Array(links);
    this.#open = new Float64Array(links).fill(-1);
  }

  /** Adds a block. @param bytes must not change before the phase is over */
  add(lane: number, tag: number, bytes: Uint8Array): void {
    const isInHeap = bytes.buffer === this.#views.u8.buffer;
    const at = isInHeap && this.#porter.reads(lane) ? bytes.byteOffset : -1;
    const { length } = bytes;
    const block = { lane, tag, bytes, length, at, sent: 0, isOver: false };
    const chunks = Math.max(1, Math.ceil(bytes.length / this.#bytes.chunk));
    this.#queues[lane].add(block);
    this.#order.add(block);
    this.#waiting[lane] += chunks;
    this.backlog += chunks;
  }

  waiting(lane: number): number {
    return this.#waiting[lane];
  }

  /** The lane of the block that was scheduled first; -1 if there is none. */
  get oldest(): number {
    const order = this.#order;
    while (order.first?.isOver) order.leave();
    return order.first?.lane ?? -1;
  }

  hasRoom(lane: number): boolean {
    if (this.#open[lane] < 0) this.#open[lane] = this.#porter.open(lane);
    return this.#open[lane] >= 0;
  }

  /** Sends the next packet of a lane with room. @returns its bytes of the block; -1 - bytes if its chunk is complete */
  send(lane: number): number {
    const { chunk, buffer } = this.#bytes;
    const block = this.#queues[lane].first as Block;
    const { tag, bytes, length: total, at, sent } = block;
    checkBlock(bytes, total);
    const left = Math.min(chunk - (sent % chunk), total - sent);
    const length = at < 0 ? Math.min(left, buffer - HEAD_BYTES) : left;
    const start = this.#open[lane];
    const { i32, f64, u8 } = this.#views;
    i32[start / 4 + TAG] = tag;
    i32[start / 4 + LENGTH] = length;
    f64[start / 8 + OFFSET] = sent;
    f64[start / 8 + TOTAL] = total;
    f64[start / 8 + AWAY] = at < 0 ? HEAD_BYTES : at + sent - start;
    if (at < 0) u8.set(bytes.subarray(sent, sent + length), start + HEAD_BYTES);
    this.#open[lane] = -1;
    this.#porter.send(lane, start, HEAD_BYTES + (at < 0 ? length : 0), 1, 1);
    block.sent += length;
    if (length < left) return length;
    this.#waiting[lane]--;
    this.backlog--;
    if (block.sent === total) {
      block.isOver = true;
      this.#queues[lane].leave();
    }
    return -1 - length;
  }
}
