/**
 * The messages of a mailbox that were received but not taken yet, by stream and sender.
 *
 * The last one is still where it was received: if it is taken at once, nothing is copied. It joins the others when that
 * memory is needed.
 *
 * Content is copied to a slot in the heap by a kernel, as making an array for it takes ten times as long. It is copied
 * to an array if all slots are in use.
 */
import type { Heap } from "../../../ground/memory/heap.ts";
import {
  BYTES,
  COUNT,
  FROM,
  HEAD_BYTES,
  RENDEZVOUS,
  ROOT,
  SLOT_BYTES,
  STREAM,
  TAG,
  UNEXPECTED_SLOTS,
  WORD,
} from "./layout.ts";

/** A received message. */
export interface StreamMessage {
  readonly from: number;
  /** The call that it belongs to. */
  readonly tag: number;
  readonly word: number;
  readonly count: number;
  readonly root: number;
  /** Bytes of the content. */
  readonly bytes: number;
  /** The first 8 bytes of the content as a number. */
  readonly number: number;
  /** The tag of content that is sent separately; 0 if the content is in the queue. */
  readonly rendezvous: number;
  /** Where the content is kept: a byte offset of the heap, or 0 for `aside`. */
  readonly place: number;
  readonly aside: Uint8Array | null;
}

/** No message. */
const NONE = -1;

/** The unexpected messages of one PE. */
export class UnexpectedQueue {
  /** Number of messages received, ever. */
  kept = 0;
  readonly #heap: Heap;
  readonly #free: number[] = [];
  /** The slot of the last taken message; 0 for none. */
  #taken = 0;
  /** The byte offset of the message of {@link hold}, until it is taken. */
  #held = NONE;
  /** Number of messages in {@link #streams}. */
  #queued = 0;
  /** By stream, by sender. */
  readonly #streams = new Map<number, Map<number, StreamMessage[]>>();
  /** By dropped stream: number of its messages that are still to be received. */
  readonly #dropped = new Map<number, number>();

  /** @param first byte offset of the {@link UNEXPECTED_SLOTS} slots */
  constructor(heap: Heap, first: number) {
    this.#heap = heap;
    for (let slot = 0; slot < UNEXPECTED_SLOTS; slot++) this.#free.push(first + slot * SLOT_BYTES);
  }

  /** A message was received at byte `at` of the heap, where it stays until {@link release}. */
  hold(at: number): void {
    if (this.#dropped.size > 0 && this.#isDropped(this.#heap.i32[at / 4 + STREAM])) return;
    this.kept++;
    this.#held = at;
  }

  /** The memory of the message of {@link hold} is needed again; what was taken of it is no longer valid. */
  release(): void {
    const at = this.#held;
    if (at === NONE) return;
    this.#held = NONE;
    const { u8, kernels } = this.#heap;
    const message = this.#read(at);
    const { from, bytes, place } = message;
    this.#queued++;
    if (place === 0) {
      this.#queue(this.#heap.i32[at / 4 + STREAM], from).push(message);
      return;
    }
    const slot = this.#free.pop() ?? 0;
    const aside = slot === 0 ? u8.slice(place, place + bytes) : null;
    if (slot !== 0) kernels.copy(slot, place, bytes);
    this.#queue(this.#heap.i32[at / 4 + STREAM], from).push({ ...message, place: slot, aside });
  }

  /** The message at byte `at` of the heap, with its content there. */
  #read(at: number): StreamMessage {
    const { i32, f64 } = this.#heap;
    const word = at / 4;
    const first = at + HEAD_BYTES;
    const bytes = i32[word + BYTES] >>> 0;
    const rendezvous = i32[word + RENDEZVOUS];
    return {
      from: i32[word + FROM],
      tag: i32[word + TAG],
      word: i32[word + WORD],
      count: i32[word + COUNT] >>> 0,
      root: i32[word + ROOT],
      bytes,
      number: f64[first / 8],
      rendezvous,
      place: rendezvous === 0 && bytes > 0 ? first : 0,
      aside: null,
    };
  }

  #isHeld(stream: number, from: number): boolean {
    const at = this.#held;
    if (at === NONE) return false;
    const { i32 } = this.#heap;
    return i32[at / 4 + STREAM] === stream && i32[at / 4 + FROM] === from;
  }

  /** Whether a received message of this stream is to be discarded. */
  #isDropped(stream: number): boolean {
    const left = this.#dropped.get(stream);
    if (left === undefined) return false;
    if (left > 1) this.#dropped.set(stream, left - 1);
    else this.#dropped.delete(stream);
    return true;
  }

  #queue(stream: number, from: number): StreamMessage[] {
    let senders = this.#streams.get(stream);
    if (senders === undefined) {
      senders = new Map();
      this.#streams.set(stream, senders);
    }
    let queue = senders.get(from);
    if (queue === undefined) {
      queue = [];
      senders.set(from, queue);
    }
    return queue;
  }

  /** Number of messages of a stream from a PE. */
  count(stream: number, from: number): number {
    const queued = this.#queued === 0 ? 0 : (this.#streams.get(stream)?.get(from)?.length ?? 0);
    return queued + (this.#isHeld(stream, from) ? 1 : 0);
  }

  /**
   * Takes the next message of a stream from a PE; undefined if there is none. Its content is valid until the next one
   * is taken, or until {@link release}.
   */
  take(stream: number, from: number): StreamMessage | undefined {
    const message = this.#queued === 0 ? undefined : this.#streams.get(stream)?.get(from)?.shift();
    if (message === undefined) {
      if (!this.#isHeld(stream, from)) return undefined;
      const at = this.#held;
      this.#held = NONE;
      return this.#read(at);
    }
    this.#queued--;
    if (this.#taken !== 0) this.#free.push(this.#taken);
    this.#taken = message.place;
    return message;
  }

  /** Takes nothing more from a stream. @param left sent messages that were not taken: discarded when received later */
  drop(stream: number, left = 0): void {
    let coming = left;
    if (this.#held !== NONE && this.#heap.i32[this.#held / 4 + STREAM] === stream) {
      coming--;
      this.#held = NONE;
    }
    for (const queue of this.#streams.get(stream)?.values() ?? []) {
      coming -= queue.length;
      this.#queued -= queue.length;
      for (const { place } of queue) if (place !== 0) this.#free.push(place);
    }
    this.#streams.delete(stream);
    if (coming > 0) this.#dropped.set(stream, coming);
  }

  /** Copies the content of the last taken message to byte `address` of the heap. */
  copy({ bytes, place, aside }: StreamMessage, address: number): void {
    if (aside !== null) this.#heap.u8.set(aside, address);
    else if (bytes > 0) this.#heap.kernels.copy(address, place, bytes);
  }

  /** The content of the last taken message, as a new array. */
  content({ bytes, place, aside }: StreamMessage): Uint8Array {
    return aside ?? this.#heap.u8.slice(place, place + bytes);
  }
}
