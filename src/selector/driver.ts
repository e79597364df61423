/**
 * The driver: all mailboxes of a selector at one PE, driven as one conveyor is, by run.ts or by the driver.
 *
 * A turn hands what has come to the handlers, one item after the other, then advances every mailbox. When the source has
 * returned, the mailboxes that come after nothing are closed, and each other one when those before it are complete: then
 * no handler runs any more here that may send to it, so far as the order says.
 *
 * Source: Imam, Sarkar, "Selectors: actors with multiple guarded mailboxes" (AGERE 2014); Paul, Hayashi, Chen, Elmougy,
 * Sarkar, "A fine-grained asynchronous bulk synchronous parallelism model for PGAS applications" (2023; HClib actor), whose
 * mailboxes are done one after the other.
 */

import { StateError, UsageError } from "../base/errors.ts";
import { unknownName } from "../base/names.ts";
import type { RigidBelt } from "../conveyor/belts/rigid.ts";
import type { Waiting } from "../conveyor/engine/session.ts";
import type { EventLoopDriven } from "../conveyor/front/event-loop-driver.ts";
import type { Runnable } from "../conveyor/front/run.ts";
import type { ItemType } from "../item/types.ts";
import { AWAITING, IN_OWN_CODE, IN_SINK } from "../status/layout.ts";
import { DONE, OK, type Status } from "../status/state.ts";
import type { AnyHandler, Mailbox } from "./mailbox.ts";

export class SelectorDriver implements Runnable, EventLoopDriven {
  readonly mailboxes: readonly Mailbox[];
  /** In a session: items may be sent. */
  isOpen = false;
  /** A handler is running. */
  isHanding = false;
  /** Of the last turn. */
  moved = false;
  /** From before the begin of a session until after its end. */
  isTaken = false;
  #handlers: readonly AnyHandler[] = [];
  /** What of the user's runs beside the handlers. */
  #place = IN_OWN_CODE;
  /** The source has returned. */
  #isDone = false;

  constructor(mailboxes: readonly Mailbox[]) {
    this.mailboxes = mailboxes;
  }

  get #first(): RigidBelt<ItemType> {
    return (this.mailboxes[0] as Mailbox).belt;
  }

  /** Makes ready for a session; {@link close} is to follow. @throws StateError unless dormant */
  prepare(call: string, handlers: readonly AnyHandler[]): void {
    this.checkFree(call);
    // where one cannot begin the others must not
    for (const { belt } of this.mailboxes) belt.rehearse();
    this.isTaken = true;
    this.#handlers = handlers;
  }

  /** @throws StateError in a session */
  checkFree(call: string): void {
    if (!this.isTaken) return;
    throw new StateError(`${call}: this selector is in a session; call it when that is over.`);
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
  }

  /** Hands what has come to the handlers. @throws what they throw, and the session ends with it at every PE */
  hand(): void {
    this.isHanding = true;
    try {
      for (const mailbox of this.mailboxes) mailbox.hand();
    } catch (error) {
      // at once, as a source that catches it would go on
      throw this.fail(error);
    } finally {
      this.isHanding = false;
    }
  }

  /** @param done the source has returned */
  proceed(done: boolean): Status {
    let status: Status = DONE;
    this.moved = false;
    for (const mailbox of this.mailboxes) {
      if (done && mailbox.isOpen && mailbox.isDue) mailbox.close();
      if (mailbox.advance()) this.moved = true;
      if (!mailbox.isComplete) status = OK;
    }
    if (this.moved) for (const { belt, isComplete } of this.mailboxes) if (!isComplete) belt.tellMoved();
    this.#isDone = done;
    this.#tell();
    return status;
  }

  /** What a handler sends waits in memory, where there is no room. @throws StateError, UsageError, RankRangeError */
  hold(mailbox: Mailbox, dest: number, values: readonly unknown[]): void {
    // push says what is wrong
    if (!mailbox.backlog.admits(values)) mailbox.push(dest, ...values);
    mailbox.belt.checkRank(dest);
    mailbox.hold(dest, values);
  }

  /** @throws StateError when this PE is done with the mailbox */
  check(mailbox: Mailbox): void {
    if (mailbox.isOpen) return;
    const { name } = mailbox;
    throw new StateError(
      this.isOpen
        ? `send.${name}: this PE is done with mailbox ${name}. When the source has returned, a handler may send to the mailboxes ` +
            "after its own only (option after)."
        : `send.${name}: this selector is in no session; call it inside run.`,
    );
  }

  reset(): void {
    const waiting = this.resetting();
    while (!waiting.next().done);
  }

  *resetting(): Waiting {
    this.isOpen = false;
    for (const { belt } of this.mailboxes) yield* belt.resetting();
  }

  /** After a session, however it ended. */
  close(): void {
    this.isTaken = false;
    this.isOpen = false;
    for (const mailbox of this.mailboxes) mailbox.close();
  }

  /** Of the handlers each mailbox tells by itself. */
  reportPlace(place: number): void {
    this.#place = place === IN_SINK ? IN_OWN_CODE : place;
    this.#tell();
  }

  /** To diagnoses: the first mailbox that is open waits for the source, the others for that or for each other. */
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

  until(ready: () => boolean): Promise<void> {
    return this.#first.until(ready);
  }

  /** The mailbox of this name. @throws UsageError when there is none */
  find(name: unknown): Mailbox {
    const found = this.mailboxes.find((mailbox) => mailbox.name === name);
    if (found !== undefined) return found;
    const names = this.mailboxes.map((one) => one.name);
    throw new UsageError(`done: ${unknownName("mailbox", name, names)}`);
  }
}
