/** The common part of ordered broadcasts of bytes and of items: how a member submits, delivers, waits and ends. */

import { RankLostError, StateError, sentenceOf } from "../../../ground/base/errors.ts";
import { checkOptions } from "../../../ground/base/options.ts";
import { blocks } from "../../../ground/wait/blocking.ts";
import { WAIT, type WaitOptions } from "../../../ground/wait/options.ts";
import { awaitOn, blockOn, type Task } from "../../../ground/wait/task.ts";
import type { OpenChannel } from "../../../pe/kept.ts";
import type { Seat } from "../../../pe/seat.ts";
import { busy } from "../channel.ts";
import type { LoggedMessage } from "./content.ts";
import type { Ends } from "./ends.ts";
import { END, KIND } from "./layout.ts";
import type { BroadcastRelay } from "./relay.ts";
import { MemberWaiting } from "./waiting.ts";

/** Calls that find at once what they need, until one of them looks all the same at what the neighbours have sent. */
const SELDOM = 8;

/** Members that deliver the same messages in the same order. */
export abstract class Ordered {
  /** Rank in the group of the member that submitted the message delivered last; -1 before the first one. */
  from = -1;
  /** Its number in the order: 0, 1, 2 …, the same at all members; -1 before the first one. */
  sequence = -1;
  protected readonly seat: Seat;
  readonly #mayBlock: boolean;
  /** The message that was delivered last, or is being put together. */
  protected readonly content: LoggedMessage;
  readonly #ends: Ends;
  readonly #kept: OpenChannel;
  readonly #relay: BroadcastRelay;
  readonly #name: string;
  readonly #room: MemberWaiting;
  readonly #queue: MemberWaiting;
  readonly #message: MemberWaiting;
  #isFreed = false;
  /** Calls since the last look. */
  #calls = 0;
  /** Bytes of the part that waits for room; and whether one does. */
  #wanted = 0;
  #isAdmitted = false;
  /**
   * Messages that may be submitted while the queue of what is to be delivered here is full. It may have been filled
   * after the program has seen that nothing was there: so it has to look again only after some more.
   */
  #grace: number;
  /** Parts of a message are submitted, and its last one is not. */
  protected isUnderWay = false;
  /** An Async form has not settled. */
  #isSubmitting = false;
  #isDelivering = false;
  /** The next message is whole, and was not delivered yet. */
  #isFound = false;

  protected constructor(seat: Seat, ends: Ends, name: string, content: LoggedMessage) {
    this.seat = seat;
    this.#mayBlock = seat.waiter.mayBlock;
    this.content = content;
    this.#ends = ends;
    this.#name = name;
    const { relay } = ends;
    this.#relay = relay;
    this.#grace = ends.slots;
    const waiting = (isReady: () => boolean, hint: string, needsOne = false) =>
      new MemberWaiting(seat, ends, this.titled, needsOne, isReady, `${hint} in the ${this.titled}.`);
    this.#room = waiting(
      () => this.#look() || relay.tryClaim(this.#wanted, this.isUnderWay) >= 0,
      "There was no room: some member does not deliver, or makes no call,",
    );
    this.#queue = waiting(
      () => this.#look() || !relay.isFull,
      "As many messages wait to be delivered here as there is room for",
    );
    this.#message = waiting(
      () => this.#look() || relay.log.appended > relay.own.count,
      "No message came: some member must submit one",
      true,
    );
    this.#kept = this.#opened();
    seat.kept.channels.add(this.#kept);
    ends.onOver = () => this.#forget();
  }

  protected get titled(): string {
    return this.#name === "" ? "ordered broadcast" : `ordered broadcast ${JSON.stringify(this.#name)}`;
  }

  /** Moves what has come. @returns whether waits are in vain */
  #look(): boolean {
    this.#relay.pump();
    return this.#relay.hasEnded || this.#isFreed;
  }

  // --- submitting -----------------------------------------------------------------------------------

  /** Whether there is room for a message, or a first part. @throws StateError if this end was freed or all ended */
  canSubmit(): boolean {
    return this.tryRoom("canSubmit", this.#ends.most) >= 0;
  }

  /** The place of a message of one part; -1 if there is no room now. @throws StateError */
  protected tryRoom(call: string, bytes: number): number {
    this.#checkSubmit(call, false);
    const relay = this.#relay;
    let at = relay.isFull ? -1 : relay.tryClaim(bytes, false);
    if (at >= 0) return at;
    relay.pump();
    this.#checkSubmit(call, false);
    if (relay.isFull) {
      this.#serveOthers();
      return -1;
    }
    at = relay.tryClaim(bytes, false);
    if (at < 0) {
      relay.keepTurn(false);
      this.#serveOthers();
    }
    return at;
  }

  #lookSeldom(): void {
    if (++this.#calls % SELDOM === 0) this.#relay.pump();
  }

  /** The awaited place of the next part. @param goesOn with a message @throws StateError; all that ends a wait */
  protected room(call: string, bytes: number, goesOn: boolean): number {
    if (!this.#mayBlock) throw blocks(call);
    this.#checkSubmit(call, goesOn);
    const relay = this.#relay;
    if (this.#isHeldUp(goesOn)) {
      relay.pump();
      throw new StateError(
        `${call}: ${relay.log.appended - relay.own.count} messages or parts of messages wait to be delivered at this PE in the ${this.titled}, ` +
          "as many as there is room for: deliver some first. (submitAsync waits until another part of the program has.)",
      );
    }
    const at = this.tryPlace(call, bytes, goesOn);
    return at >= 0 ? at : blockOn(this.seat, this.place(call, bytes, goesOn));
  }

  /** The place of the next part, for a task: it waits also while others wait to be delivered here. */
  protected *place(call: string, bytes: number, goesOn: boolean): Task<number> {
    for (;;) {
      const at = this.tryPlace(call, bytes, goesOn);
      if (at >= 0) return at;
      yield* this.untilRoom(call, bytes, goesOn);
    }
  }

  /** Waits until there is room, or none is needed any more. */
  protected *untilRoom(call: string, bytes: number, goesOn: boolean): Task<void> {
    const isHeldUp = this.#isHeldUp(goesOn);
    if (!isHeldUp) this.#begin(bytes);
    this.#isSubmitting = true;
    try {
      yield* this.#until(call, isHeldUp ? this.#queue : this.#room, goesOn);
    } catch (error) {
      this.#settle();
      throw error;
    } finally {
      this.#isSubmitting = false;
    }
  }

  /** The place of the next part; -1 if there is no room now. */
  protected tryPlace(call: string, bytes: number, goesOn: boolean): number {
    this.#checkSubmit(call, goesOn);
    const at = this.#isHeldUp(goesOn) ? -1 : this.#relay.tryClaim(bytes, goesOn);
    if (at < 0) return at;
    if (this.#isAdmitted) this.#settle();
    if (!goesOn && this.#relay.isFull) this.#grace--;
    return at;
  }

  /** Whether a message must not be begun, as others wait to be delivered here. */
  #isHeldUp(goesOn: boolean): boolean {
    return !goesOn && !this.#isAdmitted && this.#grace <= 0 && this.#relay.isFull;
  }

  /** A part waits for room. This member delivers nothing before, perhaps, so what comes is taken. */
  #begin(bytes: number): void {
    this.#wanted = bytes;
    this.#isAdmitted = true;
    this.#relay.isDraining = true;
    this.#relay.keepTurn(true);
  }

  #settle(): void {
    this.#isAdmitted = false;
    this.#relay.isDraining = false;
    this.#relay.giveTurn();
  }

  /** Hands over the part whose place was given last. */
  protected publish(bytes: number, isLast: boolean): void {
    this.#relay.publish(bytes, isLast);
    this.isUnderWay = !isLast;
    this.#lookSeldom();
    if (this.#isDelivering) this.seat.stir();
  }

  /** A message cannot be submitted to its end. @returns the error with which the world ends if some of it was */
  protected cut(error: unknown): unknown {
    return this.isUnderWay ? this.seat.fail(error) : error;
  }

  #checkSubmit(call: string, goesOn: boolean): void {
    if (this.#isFreed) throw this.#freed(call);
    if (this.#relay.hasEnded) throw this.#ended(call);
    if (this.#isSubmitting || (this.isUnderWay && !goesOn)) throw busy(call, "submitAsync");
  }

  // --- delivering -----------------------------------------------------------------------------------

  /** Whether the next message has come, so that tryDeliver gives it. @throws StateError if none can come any more */
  canDeliver(): boolean {
    this.#isFound = this.tryNext("canDeliver");
    return this.#isFound;
  }

  /** Whether the next message is whole now, in {@link content}. */
  protected tryNext(call: string): boolean {
    if (this.#isFreed) throw this.#freed(call);
    if (this.#isDelivering) throw busy(call, "deliverAsync");
    const isThere = this.#tryNext(call);
    if (!isThere) {
      this.#grace = this.#ends.slots;
      this.#serveOthers();
    }
    return isThere;
  }

  /** A PE that only tries never waits: what others need of it, of ends that it has freed as well, is done here. */
  #serveOthers(): void {
    this.seat.sideWork.run(true);
  }

  #tryNext(call: string): boolean {
    if (this.#isFound) {
      if (call !== "canDeliver") this.#give();
      return true;
    }
    if (this.#take(call)) {
      this.#lookSeldom();
    } else {
      this.#relay.pump();
      if (!this.#take(call)) {
        if (this.#relay.brokenBy >= 0) throw this.#ended(call);
        return false;
      }
    }
    if (call !== "canDeliver") this.#give();
    return true;
  }

  /** Takes parts from the log. @returns whether a message is whole with them @throws StateError at its end */
  #take(call: string): boolean {
    const { log, own } = this.#relay;
    while (own.count < log.appended) {
      if (log.i32[own.at + KIND] === END) throw this.#ended(call);
      const isWhole = this.content.take(log, own);
      // there is room again, perhaps
      if (this.#isSubmitting) this.seat.stir();
      if (isWhole) return true;
    }
    return false;
  }

  /** The message in {@link content} is the one that was delivered last. */
  #give(): void {
    this.#isFound = false;
    this.from = this.content.from;
    this.sequence++;
  }

  /** Waits until the next message is whole, in {@link content}. */
  protected next(call: string, options: WaitOptions | undefined): void {
    if (!this.#mayBlock) throw blocks(call);
    if (options !== undefined) checkOptions(call, WAIT, options);
    if (!this.tryNext(call)) blockOn(this.seat, this.#delivering(call), options?.timeout);
  }

  /** As {@link next}, without blocking. */
  protected async nextAsync(call: string, options: WaitOptions | undefined): Promise<void> {
    if (options !== undefined) checkOptions(call, WAIT, options);
    if (!this.tryNext(call)) await awaitOn(this.seat, this.#delivering(call), options);
  }

  *#delivering(call: string): Task<void> {
    this.#isDelivering = true;
    try {
      do {
        yield* this.#until(call, this.#message, false);
        if (this.#isFreed) throw this.#freed(call);
      } while (!this.#tryNext(call));
    } finally {
      this.#isDelivering = false;
    }
  }

  // --- waiting, and the end -------------------------------------------------------------------------

  *#until(call: string, waiting: MemberWaiting, isCut: boolean): Task<void> {
    waiting.calledBy = call;
    try {
      yield waiting;
    } catch (error) {
      throw this.#failed(call, error, isCut);
    }
  }

  /**
   * Frees this end: this member submits and delivers nothing more, and what was not delivered is lost to it. That ends
   * the broadcast for all, at the same place in the order: what was sequenced before is delivered everywhere; then each
   * deliver, and at once each submit, is a StateError. A second call has no effect. What was not freed is when the PE's
   * main returns.
   */
  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    this.#ends.leave();
    if (this.#isSubmitting || this.#isDelivering) this.seat.stir();
    this.#forget();
  }

  /** The end of the PE's main has nothing to do with it any more. */
  #forget(): void {
    if (this.#isFreed && this.#ends.isOver) this.seat.kept.channels.delete(this.#kept);
  }

  /** It as the end of the PE's main sees it. */
  #opened(): OpenChannel {
    const { seat } = this;
    return {
      end: () => this.free(),
      isOver: () => {
        this.#relay.serve();
        this.#forget();
        return this.#ends.isOver;
      },
      isAlone: () => seat.members.every((_, member) => member === seat.rank || seat.hasReturned(member)),
      abandon: () => {
        this.free();
        this.#relay.abandon();
        this.seat.kept.channels.delete(this.#kept);
      },
    };
  }

  /** As {@link free}. */
  [Symbol.dispose](): void {
    this.free();
  }

  /** A wait that fails has changed nothing, but in the middle of a message. */
  #failed(call: string, error: unknown, isCut: boolean): unknown {
    const told =
      error instanceof RankLostError && error.cause === undefined && !this.#ends.isKnown(error.rank)
        ? new RankLostError(
            error.rank,
            `${call}: PE ${error.rank} has returned, or left, and has not made the ${this.titled}.`,
          )
        : error;
    return isCut && !(error instanceof StateError) ? this.seat.fail(told) : told;
  }

  #freed(call: string): StateError {
    return new StateError(`${call}: this ${this.titled} was freed; make another.`);
  }

  #ended(call: string): Error {
    this.seat.checkWorld();
    for (let member = 0; member < this.seat.size; member++) {
      const loss = this.seat.lossOf(member);
      if (loss !== null) return new RankLostError(loss.rank, `${call}: ${sentenceOf(loss)}`);
    }
    const { endedBy, brokenBy } = this.#relay;
    const pe = this.seat.members[endedBy >= 0 ? endedBy : brokenBy] as number;
    return new StateError(
      `${call}: PE ${pe} has freed its end of the ${this.titled}, which ends it for all: no further message comes.`,
    );
  }
}
