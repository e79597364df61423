/** The common part of channels of bytes and of items: how they wait, and how they end. */

import { RankLostError, StateError, sentenceOf } from "../../ground/base/errors.ts";
import { checkOptions } from "../../ground/base/options.ts";
import { blocks } from "../../ground/wait/blocking.ts";
import { NamedCondition } from "../../ground/wait/named-condition.ts";
import { WAIT, type WaitOptions } from "../../ground/wait/options.ts";
import type { Task } from "../../ground/wait/task.ts";
import { block, watched } from "../../ground/wait/waiter.ts";
import type { OpenChannel } from "../../pe/kept.ts";
import type { Pair, PartReceiver, PartSender } from "../../pe/pairs/parts.ts";
import type { Seat } from "../../pe/seat.ts";

/** A wait for room or for a part: it also ends when the other PE has freed its end. */
class Waiting extends NamedCondition {
  override readonly peer: number;
  readonly whom: string;
  readonly pollMs: number | undefined;
  readonly #end: PartSender | PartReceiver;
  readonly #isEnded: () => boolean;
  readonly #of: string;
  /** The name of the call that waits. */
  calledBy = "";

  /** @param of the channel, for messages */
  constructor(end: PartSender | PartReceiver, isEnded: () => boolean, hint: string, of: string) {
    super();
    this.peer = end.peer;
    this.pollMs = end.pollMs;
    this.whom = hint;
    this.#of = of;
    this.#end = end;
    this.#isEnded = isEnded;
  }

  get call(): string {
    return `${this.calledBy} of the ${this.#of}`;
  }

  ready(): boolean {
    return this.#end.ready() || this.#isEnded();
  }

  override spin(looks: number): boolean {
    return this.#end.spin(looks);
  }

  isInVain(): boolean {
    return this.#end.isInVain?.() ?? !this.ready();
  }

  override absent(): string {
    return this.whom;
  }
}

/** A queue pair: messages to another PE and from it, in order. */
export abstract class Channel {
  /** The rank of the other PE, in the group. */
  readonly peer: number;
  protected readonly seat: Seat;
  readonly #mayBlock: boolean;
  protected readonly sender: PartSender;
  protected readonly receiver: PartReceiver;
  readonly #pair: Pair;
  readonly #kept: OpenChannel;
  /** The other PE, by rank in the world: for errors. */
  readonly #pe: number;
  readonly #name: string;
  readonly #room: Waiting;
  readonly #message: Waiting;
  /** The part that was shown last is still in use. */
  #isShown = false;
  #isFreed = false;
  /** Parts of a message are sent, and its last one is not. */
  protected isUnderWay = false;
  /** An Async form waits: for room, for a message. */
  protected isSending = false;
  protected isReceiving = false;

  protected constructor(seat: Seat, peer: number, pair: Pair, name: string) {
    this.seat = seat;
    this.#mayBlock = seat.waiter.mayBlock;
    this.peer = peer;
    this.sender = pair.sender;
    this.receiver = pair.receiver;
    this.#pair = pair;
    this.#pe = seat.members[peer] as number;
    this.#name = name;
    const { sender, receiver } = pair;
    const of = `${this.titled} to PE ${this.#pe}`;
    this.#room = new Waiting(
      sender,
      () => sender.isClosed || this.#isFreed,
      `There was no room in the ${of}: it must receive.`,
      of,
    );
    this.#message = new Waiting(
      receiver,
      () => receiver.isOver || this.#isFreed,
      `No message came in the ${of}: it must send one.`,
      of,
    );
    this.#kept = this.#opened();
    seat.kept.channels.add(this.#kept);
  }

  protected get titled(): string {
    return this.#name === "" ? "channel" : `channel ${JSON.stringify(this.#name)}`;
  }

  /** Whether there is room for a message, or a part of a long one. @throws StateError if an end was freed */
  canSend(): boolean {
    this.checkSend("canSend");
    return this.sender.ready();
  }

  /** Whether a message has come, so that {@link tryReceive} gives it. @throws StateError if none can come any more */
  abstract canReceive(): boolean;

  /**
   * Frees this end: nothing more is sent or received; messages that have come and were not received are lost. The other
   * PE gets a StateError when it sends, and when it has received all messages from this one. A second call has no
   * effect. What was not freed is when the PE's main returns; the StateError says so.
   */
  free(): void {
    this.#close(false);
  }

  #close(keepsMemory: boolean): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    this.#pair.close(keepsMemory);
    this.#forget();
  }

  /** The end of the PE's main has nothing to do with it any more. */
  #forget(): boolean {
    if (this.#pair.isOver) this.seat.kept.channels.delete(this.#kept);
    return this.#pair.isOver;
  }

  /** It as the end of the PE's main sees it: what main returns may be in its memory, which stays. */
  #opened(): OpenChannel {
    return {
      end: () => this.#close(true),
      isOver: () => this.#forget(),
      isAlone: () => this.seat.hasReturned(this.peer),
      // what another node does not know yet it is not told
      abandon() {},
    };
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }

  /** @throws StateError if this end was freed */
  protected checkOpen(call: string): void {
    if (this.#isFreed) throw this.#freed(call);
  }

  /** @param goesOn with a message @throws StateError if an end was freed, or a message is being sent */
  protected checkSend(call: string, goesOn = false): void {
    this.checkOpen(call);
    if (this.sender.isClosed) {
      this.seat.checkWorld();
      throw this.#closed(call);
    }
    if (this.isSending || (this.isUnderWay && !goesOn)) throw busy(call, "sendAsync");
  }

  /**
   * The place of the next part that is sent; -1 if there is no room now.
   * @param bytes of it
   * @param goesOn see checkSend
   */
  protected tryClaim(call: string, bytes: number, goesOn = false): number {
    this.checkSend(call, goesOn);
    return this.sender.tryClaim(bytes);
  }

  /** As {@link tryClaim}, waiting for room. */
  protected claim(call: string, bytes: number, goesOn = false): number {
    if (!this.#mayBlock) throw blocks(call);
    for (;;) {
      const at = this.tryClaim(call, bytes, goesOn);
      if (at >= 0) return at;
      this.#block(call, this.#room, undefined, this.isUnderWay);
    }
  }

  /** Waits until there is room, or none is needed any more. It may be taken before the caller goes on. */
  protected *room(call: string): Task<void> {
    this.isSending = true;
    try {
      yield* this.#until(call, this.#room, this.isUnderWay);
    } finally {
      this.isSending = false;
    }
  }

  /** Gives back what was shown before. */
  protected next(call: string): void {
    this.checkOpen(call);
    if (this.isReceiving) throw busy(call, "receiveAsync");
    if (!this.#isShown) return;
    this.#isShown = false;
    this.receiver.release();
  }

  /** The part that was found last is shown until {@link next}. */
  protected show(): void {
    this.#isShown = true;
  }

  /** Where the next part is; -1 if none is there. @throws StateError if none can come any more */
  protected tryPart(call: string): number {
    this.checkOpen(call);
    const at = this.receiver.tryWait();
    if (at >= 0 || !this.receiver.isOver) return at;
    // what was sent before the other end was freed is there by now
    const last = this.receiver.tryWait();
    if (last < 0) throw this.#ended(call);
    return last;
  }

  /** As {@link tryPart}, waiting for it. */
  protected part(call: string, options: WaitOptions | undefined): number {
    if (!this.#mayBlock) throw blocks(call);
    if (options !== undefined) checkOptions(call, WAIT, options);
    for (;;) {
      const at = this.tryPart(call);
      if (at >= 0) return at;
      this.#block(call, this.#message, options?.timeout, false);
    }
  }

  /** Waits until there is a part, or none can come any more. */
  protected *message(call: string): Task<void> {
    this.isReceiving = true;
    try {
      yield* this.#until(call, this.#message, false);
    } finally {
      this.isReceiving = false;
    }
  }

  /** @param isCut whether a message is cut off if this fails */
  #block(call: string, waiting: Waiting, timeout: number | undefined, isCut: boolean): void {
    waiting.calledBy = call;
    try {
      watched(this.seat.waiter, waiting, () => block(this.seat.waiter, waiting), timeout);
    } catch (error) {
      throw this.#failed(call, error, isCut);
    }
  }

  *#until(call: string, waiting: Waiting, isCut: boolean): Task<void> {
    waiting.calledBy = call;
    try {
      yield waiting;
    } catch (error) {
      throw this.#failed(call, error, isCut);
    }
  }

  /** A wait that fails has changed nothing, but in the middle of a message. */
  #failed(call: string, error: unknown, isCut: boolean): unknown {
    const told =
      error instanceof RankLostError && error.cause === undefined && error.rank === this.receiver.peer
        ? new RankLostError(error.rank, `${call}: ${this.#hasEnded}.`)
        : error;
    return isCut ? this.seat.fail(told) : told;
  }

  #freed(call: string): StateError {
    return new StateError(`${call}: this ${this.titled} was freed; make another.`);
  }

  /** That the other PE is lost; null if it is not. */
  #lost(call: string): RankLostError | null {
    const loss = this.seat.lossOf(this.peer);
    return loss && new RankLostError(loss.rank, `${call}: ${sentenceOf(loss)}`, { cause: loss.cause });
  }

  /** How the other end has ended: the start of a sentence. */
  get #hasEnded(): string {
    return this.#pair.isPeerFreed
      ? `PE ${this.#pe} has freed its end of the ${this.titled}`
      : `PE ${this.#pe} has returned from its main, or left, with the ${this.titled} open`;
  }

  #closed(call: string): Error {
    return this.#lost(call) ?? new StateError(`${call}: ${this.#hasEnded}, and receives nothing more.`);
  }

  #ended(call: string): Error {
    this.seat.checkWorld();
    return this.#lost(call) ?? new StateError(`${call}: ${this.#hasEnded}: no further message comes.`);
  }
}

/** The error of a call while an Async form is under way. */
export const busy = (call: string, other: string): StateError =>
  new StateError(`${call}: ${other} has not settled yet; await it first.`);
