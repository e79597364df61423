/** The common part of ends: the blocking and the copying forms, over tryClaim/publish and tryWait/release. */
import { UsageError } from "../base/errors.ts";
import type { Heap } from "../memory/heap.ts";
import { keepsOrder } from "../memory/order.ts";
import type { Condition } from "../wait/condition.ts";
import { block, type Waiter } from "../wait/waiter.ts";
import type { Wakers } from "../wait/wakers.ts";
import { PAYLOAD_BYTES } from "./layout.ts";
import type { Receiver, Sender } from "./queue-pair.ts";

/** One PE's end of a channel. */
export interface EndOptions {
  readonly heap: Heap;
  /** Byte offset of the channel in the heap: zeroed, aligned to 128. */
  readonly offset: number;
  /** Messages (or blocks) that the channel holds: a power of two, at least 2. */
  readonly slots: number;
  /** The PE at the other end. */
  readonly peer: number;
  readonly waiter: Waiter;
  readonly wakers: Wakers;
  /** Number of the first message, the same at both ends; for tests of wrap-around. @default 0 */
  readonly firstSequence?: number;
}

/** The fields of an end, and the checks that the back ends rely on. */
abstract class End {
  protected readonly heap: Heap;
  protected readonly i32: Int32Array;
  protected readonly wakers: Wakers;
  protected readonly waiter: Waiter;
  /** The PE at the other end. */
  readonly peer: number;
  /** Word of the peer's waker. */
  protected readonly waker: number;
  readonly #ordered = keepsOrder();

  constructor({ heap, offset, slots, peer, waiter, wakers, firstSequence = 0 }: EndOptions) {
    if (!(Number.isInteger(slots) && slots >= 2 && slots <= 1 << 20 && (slots & (slots - 1)) === 0)) {
      throw new UsageError(`A channel holds a power of two of messages, from 2 to ${1 << 20}; got ${slots}`);
    }
    if (!(offset >= 0 && offset % 128 === 0)) {
      throw new UsageError(`A channel begins at a multiple of 128 bytes; got ${offset}`);
    }
    if (firstSequence % (2 * slots) !== 0) {
      throw new UsageError(`firstSequence: expected a multiple of ${2 * slots}, twice the slots; got ${firstSequence}`);
    }
    this.heap = heap;
    this.i32 = heap.i32;
    this.wakers = wakers;
    this.waiter = waiter;
    this.peer = peer;
    this.waker = wakers.word(peer);
  }

  /** The first look at a word of the peer; its earlier writes are visible with it (ground/memory/order.ts). */
  protected look(word: number): number {
    return this.#ordered === true ? this.i32[word] : Atomics.load(this.i32, word);
  }
}

/** The sending end of a channel of cache-line messages. */
export abstract class SenderEnd extends End implements Sender, Condition {
  readonly capacity: number = PAYLOAD_BYTES;

  abstract tryClaim(): number;
  abstract publish(tag: number): void;
  abstract spin(looks: number): boolean;

  canSend(): boolean {
    return this.tryClaim() >= 0;
  }

  /** As {@link canSend}: there is room. */
  ready(): boolean {
    return this.tryClaim() >= 0;
  }

  claim(): number {
    const at = this.tryClaim();
    return at >= 0 ? at : this.#claimSlow();
  }

  #claimSlow(): number {
    block(this.waiter, this);
    return this.tryClaim();
  }

  trySend(bytes: Uint8Array): boolean {
    this.#check(bytes);
    const at = this.tryClaim();
    if (at < 0) return false;
    this.#sendAt(at, bytes);
    return true;
  }

  send(bytes: Uint8Array): void {
    this.#check(bytes);
    this.#sendAt(this.claim(), bytes);
  }

  #sendAt(at: number, bytes: Uint8Array): void {
    this.heap.u8.set(bytes, at);
    this.publish(bytes.length);
  }

  #check(bytes: Uint8Array): void {
    if (bytes.length > this.capacity) {
      throw new UsageError(
        `send: a message holds at most ${this.capacity} bytes, got ${bytes.length}; use a block channel`,
      );
    }
  }
}

/** The receiving end of a channel of cache-line messages. */
export abstract class ReceiverEnd extends End implements Receiver, Condition {
  abstract get tag(): number;
  abstract tryWait(): number;
  abstract release(): void;
  abstract spin(looks: number): boolean;

  canReceive(): boolean {
    return this.tryWait() >= 0;
  }

  /** As {@link canReceive}: there is a message. */
  ready(): boolean {
    return this.spin(1);
  }

  wait(): number {
    const at = this.tryWait();
    return at >= 0 ? at : this.#waitSlow();
  }

  #waitSlow(): number {
    block(this.waiter, this);
    return this.tryWait();
  }

  tryReceive(into: Uint8Array): number {
    const at = this.tryWait();
    return at < 0 ? -1 : this.#take(at, into);
  }

  receive(into: Uint8Array): number {
    return this.#take(this.wait(), into);
  }

  #take(at: number, into: Uint8Array): number {
    const length = this.tag;
    if (length > into.length) {
      throw new UsageError(`receive: the message has ${length} bytes, the array given has ${into.length}`);
    }
    into.set(this.heap.u8.subarray(at, at + length));
    this.release();
    return length;
  }
}
