/** Channels of messages of any length. */
import { UsageError } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import { checkBlocking } from "../../ground/wait/blocking.ts";
import { WAIT, type WaitOptions } from "../../ground/wait/options.ts";
import { awaitOn, blockOn, type Task } from "../../ground/wait/task.ts";
import type { Pair } from "../../pe/pairs/parts.ts";
import type { Seat } from "../../pe/seat.ts";
import { bytesOf } from "./bytes.ts";
import { Channel } from "./channel.ts";

const EMPTY = new Uint8Array(0);

/** Makes a channel over a pair. */
export let newByteChannel: (seat: Seat, peer: number, pair: Pair, name: string) => ByteChannel;

/**
 * A queue pair for messages of any length, as seen by one of its two PEs. Messages arrive whole, once, and in the order
 * in which they were sent. See docs/messages.md.
 */
export class ByteChannel extends Channel {
  static {
    newByteChannel = (seat, peer, pair, name) => new ByteChannel(seat, peer, pair, name);
  }

  readonly #u8: Uint8Array;
  /** Parts of a message that has not come whole; and how many bytes of it there are. */
  #parts: Uint8Array = EMPTY;
  #length = 0;
  /** A message that was found whole, and not received yet. */
  #found: Uint8Array | null = null;

  private constructor(seat: Seat, peer: number, pair: Pair, name: string) {
    super(seat, peer, pair, name);
    this.#u8 = seat.heap.u8;
  }

  /**
   * Sends a message, and waits while there is no room. Its bytes may be changed afterwards.
   * @param data a typed array, or a DataView
   * @throws UsageError; StateError if an end was freed; RankLostError, TimeoutError, and the error that ended the world
   */
  send(data: ArrayBufferView): void {
    const bytes = bytesOf("send", data);
    const { length } = bytes;
    if (length <= this.sender.most) {
      this.#put("send", bytes, length, 0, length, this.claim("send", length));
      return;
    }
    checkBlocking(this.seat.waiter, "send");
    blockOn(this.seat, this.#sending("send", bytes));
  }

  /** As {@link send}, without blocking. Until it is settled, do not change the bytes nor send another message. */
  async sendAsync(data: ArrayBufferView): Promise<void> {
    await awaitOn(this.seat, this.#sending("sendAsync", bytesOf("sendAsync", data)));
  }

  *#sending(call: string, bytes: Uint8Array): Task<void> {
    const { most } = this.sender;
    const { length } = bytes;
    for (let sent = 0, isSent = false; !isSent; ) {
      const part = Math.min(most, length - sent);
      const at = this.tryClaim(call, part, sent > 0);
      if (at < 0) {
        yield* this.room(call);
        continue;
      }
      sent = this.#put(call, bytes, length, sent, part, at);
      isSent = !this.isUnderWay;
    }
  }

  /**
   * Sends a message if there is room now.
   * @returns whether it was sent
   * @throws UsageError for a message that takes more than one part
   */
  trySend(data: ArrayBufferView): boolean {
    const bytes = bytesOf("trySend", data);
    const { most } = this.sender;
    if (bytes.length > most) {
      throw new UsageError(
        `trySend: expected at most ${most} bytes, the longest part (the option partBytes), got ${bytes.length}; use send or sendAsync.`,
      );
    }
    const at = this.tryClaim("trySend", bytes.length);
    if (at < 0) return false;
    this.#put("trySend", bytes, bytes.length, 0, bytes.length, at);
    return true;
  }

  /** Writes and publishes a part. @returns bytes sent */
  #put(call: string, bytes: Uint8Array, length: number, sent: number, part: number, at: number): number {
    if (bytes.length !== length) {
      const error = new UsageError(`${call}: the array was detached, or changed its length, while it was sent.`);
      throw this.isUnderWay ? this.seat.fail(error) : error;
    }
    const isLast = sent + part === length;
    if (part > 0) this.#u8.set(sent === 0 && isLast ? bytes : bytes.subarray(sent, sent + part), at);
    this.sender.publish(part, isLast);
    this.isUnderWay = !isLast;
    return sent + part;
  }

  canReceive(): boolean {
    this.checkOpen("canReceive");
    if (this.#found !== null) return true;
    this.next("canReceive");
    this.#found = this.#tryNext("canReceive");
    return this.#found !== null;
  }

  /**
   * The next message, which this waits for: a view that is valid until the next call of a receive, of
   * {@link canReceive}, or of {@link free}.
   * @throws StateError if this end was freed, or the other one was and all its messages have been received;
   * RankLostError, TimeoutError, and the error that ended the world. After a TimeoutError one may go on.
   */
  receive(options?: WaitOptions): Uint8Array {
    const found = this.#given("receive");
    if (found !== null) return found;
    for (;;) {
      const message = this.#take(this.part("receive", options));
      if (message !== null) return message;
    }
  }

  /** As {@link receive}, without blocking. @throws also AbortedError */
  async receiveAsync(options?: WaitOptions): Promise<Uint8Array> {
    if (options !== undefined) checkOptions("receiveAsync", WAIT, options);
    return this.#given("receiveAsync") ?? (await awaitOn(this.seat, this.#receiving("receiveAsync"), options));
  }

  *#receiving(call: string): Task<Uint8Array> {
    for (;;) {
      const message = this.#tryNext(call);
      if (message !== null) return message;
      yield* this.message(call);
    }
  }

  /** The next message if it has come; else undefined. Valid as that of {@link receive}. @throws StateError as there */
  tryReceive(): Uint8Array | undefined {
    return this.#given("tryReceive") ?? this.#tryNext("tryReceive") ?? undefined;
  }

  /** The result of canReceive. */
  #given(call: string): Uint8Array | null {
    this.checkOpen(call);
    const found = this.#found;
    this.#found = null;
    if (found === null) this.next(call);
    return found;
  }

  #tryNext(call: string): Uint8Array | null {
    for (;;) {
      const at = this.tryPart(call);
      if (at < 0) return null;
      const message = this.#take(at);
      if (message !== null) return message;
    }
  }

  /** Takes a part. @returns the message if it is whole with it */
  #take(at: number): Uint8Array | null {
    const { bytes, isLast } = this.receiver;
    const part = this.#u8.subarray(at, at + bytes);
    if (isLast && this.#length === 0) {
      this.show();
      return part;
    }
    const length = this.#length + bytes;
    if (length > this.#parts.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#parts.subarray(0, this.#length));
      this.#parts = larger;
    }
    this.#parts.set(part, this.#length);
    this.receiver.release();
    this.#length = isLast ? 0 : length;
    return isLast ? this.#parts.subarray(0, length) : null;
  }
}
