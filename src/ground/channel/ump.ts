/**
 * UMP: the cache-line message queue of Barrelfish that Smelt runs on.
 *
 * What: a ring of one-line messages. The sender alone writes the slots. The header word carries the
 * message's number and an epoch bit, so one load tells the receiver whether a slot is new, and each
 * message moves one cache line once. The receiver stores its progress in a line of its own every
 * quarter of the ring; the sender reads that line only when the ring looks full.
 *
 * Limits: one sender, one receiver, 56 bytes a message; one fence a message (ground/wait/wakers.ts).
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", "Message-passing backends"; Baumann et
 * al., The Multikernel, SOSP 2009, 4.6.
 *
 * Example, 4 slots (sequence/epoch): 0/1 1/1 2/1 3/1 then 4/0 5/0 6/0 7/0 then 8/1 …; a receiver that
 * waits for 4 finds 0/1 in the slot and sees no message there yet.
 */
import { block } from "../wait/waiter.ts";
import { type EndOptions, ReceiverEnd, SenderEnd } from "./end.ts";
import { SEQUENCE_MASK, SLOT_BYTES, SLOT_HEADER, SLOT_PAYLOAD, SLOT_TAG, SLOTS_OFFSET } from "./layout.ts";

/** The header of message `sequence` in a ring of 2^shift slots; the epoch of the first lap is 1. */
function header(sequence: number, shift: number): number {
  return (sequence << 1) | (((sequence >>> shift) & 1) ^ 1);
}

/** The sending end of a UMP channel. */
export class UmpSender extends SenderEnd {
  readonly #progress: number;
  readonly #slots: number;
  readonly #shift: number;
  readonly #base: number;
  #sequence: number;
  #received: number;

  constructor(options: EndOptions) {
    super(options);
    this.#progress = options.offset >>> 2;
    this.#slots = options.slots;
    this.#shift = 31 - Math.clz32(options.slots);
    this.#base = options.offset + SLOTS_OFFSET;
    this.#sequence = (options.firstSequence ?? 0) & SEQUENCE_MASK;
    this.#received = this.#sequence;
  }

  override tryClaim(): number {
    if (((this.#sequence - this.#received) & SEQUENCE_MASK) >= this.#slots) {
      // pairs with UmpReceiver.release(): the slots before it are free
      this.#received = Atomics.load(this.i32, this.#progress);
      if (((this.#sequence - this.#received) & SEQUENCE_MASK) >= this.#slots) return -1;
    }
    return this.#base + (this.#sequence & (this.#slots - 1)) * SLOT_BYTES + SLOT_PAYLOAD;
  }

  override spin(looks: number): boolean {
    for (let i = 0; i < looks; i++) if (this.tryClaim() >= 0) return true;
    return false;
  }

  override publish(tag: number): void {
    const slot = (this.#base + (this.#sequence & (this.#slots - 1)) * SLOT_BYTES) >>> 2;
    this.i32[slot + SLOT_TAG] = tag;
    const sequence = this.#sequence;
    this.#sequence = (sequence + 1) & SEQUENCE_MASK;
    // publishes tag and payload: pairs with the load in UmpReceiver.spin()
    this.wakers.post(slot + SLOT_HEADER, header(sequence, this.#shift), this.waker);
  }
}

/** The receiving end of a UMP channel. */
export class UmpReceiver extends ReceiverEnd {
  readonly #progress: number;
  readonly #slots: number;
  readonly #shift: number;
  readonly #reportMask: number;
  readonly #base: number;
  #sequence: number;
  /** Word of the slot of the oldest message, and the header that it has once it is there. */
  #slot: number;
  #expected: number;
  /** Whether the oldest message has been seen: a look at shared memory costs more than one at this. */
  #shown = false;

  constructor(options: EndOptions) {
    super(options);
    this.#progress = options.offset >>> 2;
    this.#slots = options.slots;
    this.#shift = 31 - Math.clz32(options.slots);
    this.#reportMask = Math.max(1, options.slots >> 2) - 1;
    this.#base = (options.offset + SLOTS_OFFSET) / 4;
    this.#sequence = (options.firstSequence ?? 0) & SEQUENCE_MASK;
    this.#slot = this.#base;
    this.#expected = header(this.#sequence, this.#shift);
  }

  override get tag(): number {
    return this.i32[this.#slot + SLOT_TAG];
  }

  override tryWait(): number {
    return this.#shown || this.spin(1) ? this.#slot * 4 + SLOT_PAYLOAD : -1;
  }

  override wait(): number {
    const { waiter } = this;
    if (!this.spin(waiter.looks)) block(waiter, this);
    return this.#slot * 4 + SLOT_PAYLOAD;
  }

  override spin(looks: number): boolean {
    if (this.#shown) return true;
    const { i32 } = this;
    const header = this.#slot + SLOT_HEADER;
    const expected = this.#expected;
    // pairs with UmpSender.publish()
    let shown = this.look(header) === expected;
    for (let i = 1; i < looks && !shown; i++) shown = Atomics.load(i32, header) === expected;
    this.#shown = shown;
    return shown;
  }

  override release(): void {
    const sequence = (this.#sequence + 1) & SEQUENCE_MASK;
    this.#sequence = sequence;
    this.#shown = false;
    this.#slot = this.#base + (sequence & (this.#slots - 1)) * (SLOT_BYTES / 4);
    this.#expected = header(sequence, this.#shift);
    // all reads of the freed slots come before it: pairs with the load in UmpSender.tryClaim()
    if ((sequence & this.#reportMask) === 0) this.wakers.post(this.#progress, sequence, this.waker);
  }
}
