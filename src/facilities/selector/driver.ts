/**
 * The driver: drives all mailboxes of a selector at one PE as if they were one conveyor, for run.ts or for the
 * event-loop driver.
 *
 * A turn passes received items to the handlers, one after another, and then advances every mailbox. When the source has
 * returned, the mailboxes without predecessors are closed; each other mailbox is closed when its predecessors are
 * complete. By then no handler that may send to it, according to the order, runs here any more. A selector that ends by
 * quiescence closes all of them at once, when nothing is under way any more (facilities/conveyor/engine/quiescence.ts).
 *
 * Source: Imam, Sarkar, "Selectors: actors with multiple guarded mailboxes" (AGERE 2014); Paul, Hayashi, Chen, Elmougy,
 * Sarkar, "A fine-grained asynchronous bulk synchronous parallelism model for PGAS applications" (2023; HClib actor),
 * whose mailboxes are done one after another.
 */

import { StateError, UsageError } from "../../ground/base/errors.ts";
import { unknownName } from "../../ground/base/names.ts";
import type { ItemType } from "../../ground/item/item-type.ts";
import { AWAITING, IN_OWN_CODE, IN_SINK } from "../../links/status/layout.ts";
import { DONE, OK, type Status } from "../../links/status/state.ts";
import type { RigidBelt } from "../conveyor/belts/rigid.ts";
import { Quiescence } from "../conveyor/engine/quiescence.ts";
import type { Waiting } from "../conveyor/engine/session.ts";
import type { EventLoopDriven } from "../conveyor/front/event-loop-driver.ts";
import type { Runnable } from "../conveyor/front/run.ts";
import type { AnyHandler, Mailbox } from "./mailbox.ts";

export class SelectorDriver implements Runnable, EventLoopDriven {
  readonly mailboxes: readonly Mailbox[];
  /** A session is open: items may be sent. */
  isOpen = false;
  /** A handler is running. */
  isHanding = false;
  /** Whether the last turn moved anything. */
  moved = false;
  /** From before the begin of a session until after its end. */
  isTaken = false;
  #handlers: readonly AnyHandler[] = [];
  /** The user's code that runs beside the handlers. */
  #place = IN_OWN_CODE;
  /** The source has returned. */
  #isDone = false;

  /** Finds the end; null if the mailboxes are done in an order. */
  readonly #quiescence: Quiescence | null;

  /** @param isCyclic whether a session ends by quiescence */
  constructor(mailboxes: readonly Mailbox[], isCyclic: boolean) {
    this.mailboxes = mailboxes;
    this.#quiescence = isCyclic ? new Quiescence(mailboxes.map(({ belt }) => belt)) : null;
  }

  /** Whether sessions end by quiescence. */
  get isCyclic(): boolean {
    return this.#quiescence !== null;
  }

  /** Whether an item may be sent now: until the source has returned, and by handlers. */
  get isSending(): boolean {
    return this.isHanding || !this.#isDone;
  }

  get #first(): RigidBelt<ItemType> {
    return (this.mailboxes[0] as Mailbox).belt;
  }

  /** Prepares a session; {@link close} must follow. @throws StateError unless dormant */
  prepare(call: string, handlers: readonly AnyHandler[]): void {
    this.checkFree(call);
    // checked for all first: if one cannot begin, none may
    for (const { belt } of this.mailboxes) belt.rehearse();
    this.isTaken = true;
    this.#handlers = handlers;
  }

  beginPatience(): void {
    for (const { belt } of this.mailboxes) belt.beginPatience();
  }

  /** @throws StateError in a session */
  checkFree(call: string): void {
    if (!this.isTaken) return;
    throw new StateError(`${call}: this selector is in a session; call it after the session.`);
  }

  begin(): void {
    const waiting = this.beginning();
    while (!waiting.next().done);
  }

  *beginning(waits = true): Waiting {
    for (const { belt } of this.mailboxes) yield* belt.beginning(waits);
    for (const [number, mailbox] of this.mailboxes.entries()) {
      mailbox.open(this.#handlers[number] as AnyHandler);
    }
    this.isOpen = true;
    this.#isDone = false;
    this.#quiescence?.begin();
  }

  /**
   * Passes received items to the handlers. @throws what they throw; the session then ends with that error at every PE
   */
  hand(): void {
    this.isHanding = true;
    try {
      for (const mailbox of this.mailboxes) mailbox.hand();
    } catch (error) {
      // thrown here: a source that catches it would continue
      throw this.fail(error);
    } finally {
      this.isHanding = false;
    }
  }

  /** @param done the source has returned */
  proceed(done: boolean): Status {
    let status: Status = DONE;
    this.#isDone = done;
    const quiescence = this.#quiescence;
    this.moved = done && quiescence?.turn(this.#holds) === true;
    const closes = quiescence === null ? done : quiescence.isOver;
    for (const mailbox of this.mailboxes) {
      if (closes && mailbox.isOpen && mailbox.isDue) mailbox.close();
      if (mailbox.advance()) this.moved = true;
      if (!mailbox.isComplete) status = OK;
    }
    if (this.moved) for (const { belt, isComplete } of this.mailboxes) if (!isComplete) belt.reportMoved();
    this.#tell();
    return status;
  }

  /** Whether items of this PE wait for room. */
  get #holds(): boolean {
    for (const { backlog } of this.mailboxes) if (backlog.length > 0) return true;
    return false;
  }

  /** Stores what a handler sends while there is no room. @throws StateError, UsageError, RankRangeError */
  hold(mailbox: Mailbox, dest: number, values: readonly unknown[]): void {
    // push reports the fault
    if (!mailbox.backlog.admits(values)) mailbox.pushing.push(dest, ...values);
    mailbox.belt.checkRank(dest);
    mailbox.hold(dest, values);
  }

  /** @throws StateError if this PE is done with the mailbox */
  check(mailbox: Mailbox): void {
    if (mailbox.isOpen && (!this.isCyclic || this.isSending)) return;
    const { name } = mailbox;
    if (mailbox.isOpen) {
      throw new StateError(
        `send.${name}: the source has returned; then only handlers send, until the session ends by quiescence. ` +
          "Let the source return after its last send.",
      );
    }
    throw new StateError(
      this.isOpen
        ? `send.${name}: this PE is done with mailbox ${name}. When the source has returned, a handler may send to the mailboxes ` +
            "after its own only (option after)."
        : `send.${name}: this selector is not in a session; call it inside run.`,
    );
  }

  endSession(): void {
    this.isOpen = false;
    for (const { belt } of this.mailboxes) belt.endSession();
  }

  /** After a session, whether it succeeded or not. */
  close(): void {
    this.isTaken = false;
    this.isOpen = false;
    for (const mailbox of this.mailboxes) mailbox.close();
  }

  /** The handlers' places are reported by the mailboxes. */
  reportPlace(place: number): void {
    this.#place = place === IN_SINK ? IN_OWN_CODE : place;
    this.#tell();
  }

  /**
   * Reports to diagnoses: the first open mailbox waits for the source, the others for the source or for each other.
   */
  #tell(): void {
    let isFirst = !this.#isDone;
    for (const mailbox of this.mailboxes) {
      const { isOpen } = mailbox;
      mailbox.reportPlace(!isOpen ? IN_OWN_CODE : isFirst ? this.#place : AWAITING);
      if (isOpen) isFirst = false;
    }
  }

  fail(error: unknown): unknown {
    return this.#first.fail(error);
  }

  now(): number {
    return this.#first.now();
  }

  checkWait(began: number): void {
    const open = this.mailboxes.find(({ isComplete }) => !isComplete)?.belt ?? this.#first;
    open.checkWait(began);
  }

  until(ready: () => boolean, pollMs?: number): Promise<void> {
    return this.#first.until(ready, pollMs);
  }

  /** The mailbox with this name. @throws UsageError if there is none */
  find(name: unknown): Mailbox {
    const found = this.mailboxes.find((mailbox) => mailbox.name === name);
    if (found !== undefined) return found;
    const names = this.mailboxes.map((one) => one.name);
    throw new UsageError(`done: ${unknownName("mailbox", name, names)}`);
  }
}
