/**
 * FastForward: a queue without any index that both ends share.
 *
 * What: the slot itself says whether it is full. The sender writes a slot whose header is 0 and sets
 * the header; the receiver reads it and sets the header back to 0. Neither end ever looks at the
 * other's position, but each slot's line travels both ways, once with the message and once empty.
 *
 * Limits: one sender, one receiver, 56 bytes a message; a fence at both ends for each message.
 *
 * Source: Giacomoni, Moseley, Vachharajani: FastForward for Efficient Pipeline Parallelism, PPoPP 2008; named as a
 * second back end in Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", "Message-passing backends".
 *
 * Example, 4 slots, 3 sent, 1 received: 0 | 2 | 3 | 0 (headers are the number of the message plus 1).
 */
import { block } from "../wait/waiter.ts";
import { type EndOptions, ReceiverEnd, SenderEnd } from "./end.ts";
import { SEQUENCE_MASK, SLOT_BYTES, SLOT_HEADER, SLOT_PAYLOAD, SLOT_TAG, SLOTS_OFFSET } from "./layout.ts";

const EMPTY = 0;

/** The header of message `sequence`, as a word is read: 2^31 - 1 gives a negative one. */
const header = (sequence: number): number => (sequence + 1) | 0;

/** The sending end of a FastForward channel. */
export class FastForwardSender extends SenderEnd {
  readonly #base: number;
  readonly #mask: number;
  #sequence: number;

  constructor(options: EndOptions) {
    super(options);
    this.#base = options.offset + SLOTS_OFFSET;
    this.#mask = options.slots - 1;
    this.#sequence = (options.firstSequence ?? 0) & SEQUENCE_MASK;
  }

  override tryClaim(): number {
    const slot = this.#base + (this.#sequence & this.#mask) * SLOT_BYTES;
    // pairs with FastForwardReceiver.release(): its reads of the slot are over
    return Atomics.load(this.i32, (slot >>> 2) + SLOT_HEADER) === EMPTY ? slot + SLOT_PAYLOAD : -1;
  }

  override spin(looks: number): boolean {
    for (let i = 0; i < looks; i++) if (this.tryClaim() >= 0) return true;
    return false;
  }

  override publish(tag: number): void {
    const slot = (this.#base + (this.#sequence & this.#mask) * SLOT_BYTES) >>> 2;
    this.i32[slot + SLOT_TAG] = tag;
    const sequence = this.#sequence;
    this.#sequence = (sequence + 1) & SEQUENCE_MASK;
    // publishes tag and payload: pairs with the load in FastForwardReceiver.spin()
    this.wakers.post(slot + SLOT_HEADER, header(sequence), this.waker);
  }
}

/** The receiving end of a FastForward channel. */
export class FastForwardReceiver extends ReceiverEnd {
  readonly #base: number;
  readonly #mask: number;
  #sequence: number;
  /** Word of the slot of the oldest message, and the header that it has once it is there. */
  #slot: number;
  #expected: number;

  constructor(options: EndOptions) {
    super(options);
    this.#base = (options.offset + SLOTS_OFFSET) / 4;
    this.#mask = options.slots - 1;
    this.#sequence = (options.firstSequence ?? 0) & SEQUENCE_MASK;
    this.#slot = this.#base;
    this.#expected = header(this.#sequence);
  }

  override get tag(): number {
    return this.i32[this.#slot + SLOT_TAG];
  }

  override tryWait(): number {
    return this.spin(1) ? this.#slot * 4 + SLOT_PAYLOAD : -1;
  }

  override wait(): number {
    const { waiter } = this;
    if (!this.spin(waiter.looks)) block(waiter, this);
    return this.#slot * 4 + SLOT_PAYLOAD;
  }

  override spin(looks: number): boolean {
    const { i32 } = this;
    const word = this.#slot + SLOT_HEADER;
    const expected = this.#expected;
    // pairs with FastForwardSender.publish()
    let shown = this.look(word) === expected;
    for (let i = 1; i < looks && !shown; i++) shown = Atomics.load(i32, word) === expected;
    return shown;
  }

  override release(): void {
    const slot = this.#slot;
    const sequence = (this.#sequence + 1) & SEQUENCE_MASK;
    this.#sequence = sequence;
    this.#slot = this.#base + (sequence & this.#mask) * (SLOT_BYTES / 4);
    this.#expected = header(sequence);
    // frees the slot: pairs with the load in FastForwardSender.tryClaim()
    this.wakers.post(slot + SLOT_HEADER, EMPTY, this.waker);
  }
}
