/**
 * Control messages between the PEs of an exchange: three numbers each, by a porter of their own with small buffers, so
 * that none waits behind bulk data.
 *
 *     buffer   ┌──────┬───┬───┬──────┬───┬───┬───┐
 *              │ kind │ a │ b │ kind │ a │ b │ … │   up to 10 messages, 32 bits each number
 *              └──────┴───┴───┴──────┴───┴───┴───┘
 *
 * An item that finds no room waits in a queue, and leaves with the next buffer of its lane.
 */
import type { Views } from "../../ground/item/views.ts";
import type { Porter } from "../../links/transport/contract.ts";

const WORDS = 3;

/** Bytes of a buffer. */
export const CONTROL_BYTES = 128;
const MOST: number = Math.floor(CONTROL_BYTES / (4 * WORDS));

export class ControlMessages {
  readonly #porter: Porter;
  readonly #views: Views;
  /** By lane: the numbers of the messages that wait. */
  readonly #queues: readonly number[][];
  /** Lanes with messages that wait. */
  #delayed = 0;

  constructor(porter: Porter, views: Views) {
    this.#porter = porter;
    this.#views = views;
    this.#queues = Array.from({ length: porter.links }, () => []);
  }

  tell(lane: number, kind: number, a: number, b: number): void {
    const queue = this.#queues[lane];
    queue.push(kind, a, b);
    if (queue.length > WORDS) return;
    this.#delayed++;
    this.#flush(lane);
  }

  /** Sends what waits on a lane, if there is room. @returns whether it has sent something */
  #flush(lane: number): boolean {
    const queue = this.#queues[lane];
    let sent = false;
    while (queue.length > 0) {
      const start = this.#porter.open(lane);
      if (start < 0) return sent;
      const count = Math.min(MOST, queue.length / WORDS);
      const words = queue.splice(0, count * WORDS);
      this.#views.i32.set(words, start / 4);
      this.#porter.send(lane, start, 4 * words.length, count, count);
      sent = true;
    }
    this.#delayed--;
    return sent;
  }

  /** Sends what waits, and hands out what came. @returns whether there was anything */
  serve(hear: (lane: number, kind: number, a: number, b: number) => void): boolean {
    let moved = false;
    if (this.#delayed > 0) {
      for (let lane = 0; lane < this.#queues.length; lane++) {
        if (this.#queues[lane].length > 0 && this.#flush(lane)) moved = true;
      }
    }
    const porter = this.#porter;
    const { i32 } = this.#views;
    while (porter.borrow()) {
      moved = true;
      const { source, count } = porter;
      const words = [...i32.subarray(porter.start / 4, porter.start / 4 + count * WORDS)];
      porter.release();
      for (let at = 0; at < words.length; at += WORDS) hear(source, words[at], words[at + 1], words[at + 2]);
    }
    return moved;
  }

  /** Whether all messages of this PE were received and read. */
  get isHeard(): boolean {
    return this.#delayed === 0 && this.#porter.settled();
  }
}
