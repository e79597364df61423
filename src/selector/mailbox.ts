/**
 * A mailbox at one PE: a steady conveyor, what waits for room in it, and whether this PE still sends to it.
 *
 *     open ──close──▶ closed: nothing is added ──backlog empty──▶ the conveyor is told ──▶ complete: no item comes any more
 *
 * A mailbox pauses, that is, it hands nothing to its handler, while a mailbox that comes after it has a backlog here. So a
 * handler that sends only to mailboxes after its own takes as much memory as one call of it sends. Nothing waits for
 * ever: of the mailboxes with a backlog anywhere, one that no other such comes after pauses at no PE, so its conveyor
 * makes room.
 */

import type { RigidBelt } from "../conveyor/belts/rigid.ts";
import type { AnyPush } from "../conveyor/codegen/code.ts";
import { INSTEAD, refuseReturned } from "../conveyor/engine/returned.ts";
import type { ItemType } from "../item/types.ts";
import { IN_OWN_CODE, IN_SINK } from "../status/layout.ts";
import { DONE } from "../status/state.ts";
import { Backlog } from "./backlog.ts";

/** What takes an item, and who sent it. */
export type AnyHandler = (item: never, from: number) => unknown;

export class Mailbox {
  readonly name: string;
  readonly item: ItemType;
  readonly belt: RigidBelt<ItemType>;
  readonly backlog: Backlog;
  /** This PE is not done with it. */
  isOpen = false;
  /** Whether a push is in order: it is open, and nothing waits before. */
  isClear = false;
  /** Everything has come that comes here, in this session. */
  isComplete = false;
  #before: readonly Mailbox[] = [];
  #after: readonly Mailbox[] = [];
  /** What its conveyor tells when its handler does not run. */
  #place = IN_OWN_CODE;
  #sink: (item: never, from: number) => boolean = () => true;

  constructor(name: string, item: ItemType, belt: RigidBelt<ItemType>) {
    this.name = name;
    this.item = item;
    this.belt = belt;
    this.backlog = new Backlog(item);
  }

  /**
   * Places it among the others.
   * @param before those that must be complete before this PE is done with it
   * @param after all that come after it, directly or not
   */
  place(before: readonly Mailbox[], after: readonly Mailbox[]): void {
    this.#before = before;
    this.#after = after;
  }

  /** Of the conveyor, for whom the items' types do not matter. */
  get push(): AnyPush {
    return this.belt.push as AnyPush;
  }

  /** Whether all that must be complete before it is. */
  get isDue(): boolean {
    return this.#before.every(({ isComplete }) => isComplete);
  }

  /** For a session. */
  open(handler: AnyHandler): void {
    const who = `the handler of mailbox ${this.name}`;
    this.#sink = (item, from) => {
      const returned = handler(item, from);
      if (returned !== undefined) refuseReturned(returned, who, INSTEAD.selector);
      return !this.#isPaused;
    };
    this.backlog.clear();
    this.isOpen = true;
    this.isClear = true;
    this.isComplete = false;
  }

  /** This PE sends nothing more to it. */
  close(): void {
    this.isOpen = false;
    this.isClear = false;
  }

  /** Keeps what has no room. @param values that the backlog admits */
  hold(dest: number, values: readonly unknown[]): void {
    this.backlog.add(dest, values);
    this.isClear = false;
  }

  /** Hands to the handler what has come, as long as it does not pause. */
  hand(): void {
    if (this.isComplete || this.#isPaused) return;
    const { belt } = this;
    belt.reportPlace(IN_SINK);
    // a handler that pauses has taken its item
    belt.drain(this.#sink);
    belt.reportPlace(this.#place);
  }

  /** Says what of the user's runs beside its handler, see StatusWriter. */
  reportPlace(place: number): void {
    this.#place = place;
    this.belt.reportPlace(place);
  }

  /** Makes progress; whether there was any. */
  advance(): boolean {
    if (this.isComplete) return false;
    const { backlog } = this;
    if (backlog.length > 0) {
      backlog.flush(this.push);
      this.isClear = this.isOpen && backlog.length === 0;
    }
    this.isComplete = this.belt.proceed(!this.isOpen && backlog.length === 0) === DONE;
    return this.belt.moved;
  }

  get #isPaused(): boolean {
    for (const { backlog } of this.#after) if (backlog.length > 0) return true;
    return false;
  }
}
