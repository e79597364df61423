/** Ordered broadcasts of messages of any length. */
import { UsageError } from "../../../ground/base/errors.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import { awaitOn, type Task } from "../../../ground/wait/task.ts";
import type { Seat } from "../../../pe/seat.ts";
import { bytesOf } from "../bytes.ts";
import { LoggedMessage } from "./content.ts";
import type { Ends } from "./ends.ts";
import { Ordered } from "./ordered.ts";

/** Of a message that have room at first. */
const FIRST_BYTES = 512;

/** Makes an ordered broadcast over ends. */
export let newOrderedBroadcast: (seat: Seat, ends: Ends, name: string) => OrderedBroadcast;

/** Messages of any length, submitted by any and delivered by all members in one order. See docs/messages.md. */
export class OrderedBroadcast extends Ordered {
  static {
    newOrderedBroadcast = (seat, ends, name) => new OrderedBroadcast(seat, ends, name);
  }

  readonly #u8: Uint8Array;
  readonly #most: number;

  private constructor(seat: Seat, ends: Ends, name: string) {
    super(seat, ends, name, new LoggedMessage(FIRST_BYTES));
    this.#u8 = seat.heap.u8;
    this.#most = ends.most;
  }

  /**
   * Submits a message, and waits while there is no room. Its bytes may be changed afterwards. Messages of one member
   * are delivered in the order in which it has submitted them.
   * @param data a typed array, or a DataView
   * @throws UsageError; StateError if the broadcast has ended, or if as many messages wait to be delivered here as
   * there is room for; RankLostError, TimeoutError, and the error that ended the world
   */
  submit(data: ArrayBufferView): void {
    const bytes = bytesOf("submit", data);
    const { length } = bytes;
    let sent = 0;
    do {
      const part = Math.min(this.#most, length - sent);
      const at = this.room("submit", part, sent > 0);
      sent = this.#put("submit", bytes, length, sent, part, at);
    } while (this.isUnderWay);
  }

  /**
   * As {@link submit}, without blocking; while as many messages wait to be delivered here as there is room for, it
   * waits until another part of the program has delivered some. The bytes must not be changed, and no other message be
   * submitted, before it is settled.
   */
  async submitAsync(data: ArrayBufferView): Promise<void> {
    await awaitOn(this.seat, this.#submitting(bytesOf("submitAsync", data)));
  }

  *#submitting(bytes: Uint8Array): Task<void> {
    const { length } = bytes;
    let sent = 0;
    do {
      const part = Math.min(this.#most, length - sent);
      const at = yield* this.place("submitAsync", part, sent > 0);
      sent = this.#put("submitAsync", bytes, length, sent, part, at);
    } while (this.isUnderWay);
  }

  /**
   * Submits a message if there is room now.
   * @returns whether it was submitted: false also while as many messages wait to be delivered here as there is room for
   * @throws UsageError for a message that takes more than one part; StateError if the broadcast has ended
   */
  trySubmit(data: ArrayBufferView): boolean {
    const bytes = bytesOf("trySubmit", data);
    const { length } = bytes;
    if (length > this.#most) {
      throw new UsageError(
        `trySubmit: expected at most ${this.#most} bytes, the longest part (the option partBytes), got ${length}; use submit or submitAsync.`,
      );
    }
    const at = this.tryRoom("trySubmit", length);
    if (at < 0) return false;
    this.#put("trySubmit", bytes, length, 0, length, at);
    return true;
  }

  /** Writes and publishes a part. @returns bytes submitted */
  #put(call: string, bytes: Uint8Array, length: number, sent: number, part: number, at: number): number {
    if (bytes.length !== length) {
      throw this.cut(new UsageError(`${call}: the array was detached, or changed its length, while it was submitted.`));
    }
    const isLast = sent + part === length;
    if (part > 0) this.#u8.set(sent === 0 && isLast ? bytes : bytes.subarray(sent, sent + part), at);
    this.publish(part, isLast);
    return sent + part;
  }

  /**
   * The next message in the order, which this waits for: a view that is valid until the next call of a deliver or of
   * {@link canDeliver}. {@link from} and {@link sequence} are those of it until then.
   * @throws StateError if this end was freed, or the broadcast has ended and all its messages were delivered here;
   * RankLostError, TimeoutError, and the error that ended the world. After a TimeoutError one may go on.
   */
  deliver(options?: WaitOptions): Uint8Array {
    this.next("deliver", options);
    return this.#view();
  }

  /** As {@link deliver}, without blocking. @throws also AbortedError */
  async deliverAsync(options?: WaitOptions): Promise<Uint8Array> {
    await this.nextAsync("deliverAsync", options);
    return this.#view();
  }

  /** The next message if it has come; else undefined. Valid as that of {@link deliver}. @throws StateError as there */
  tryDeliver(): Uint8Array | undefined {
    return this.tryNext("tryDeliver") ? this.#view() : undefined;
  }

  #view(): Uint8Array {
    const { u8, length } = this.content;
    return u8.subarray(0, length);
  }
}
