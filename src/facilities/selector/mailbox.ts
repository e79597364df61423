/**
 * A mailbox at one PE: a steady conveyor, the backlog of items without room in it, and whether this PE still sends to
 * it.
 *
 *     open ──close──▶ closed: no more sends ──backlog empty──▶ the conveyor is done here ──▶ complete: no more items arrive
 *
 * A mailbox pauses, that is, it calls its handler no more, while a mailbox after it has a backlog at this PE. So a
 * handler that sends only to mailboxes after its own uses no more memory than one call of it sends. There is no
 * deadlock: among the mailboxes with a backlog at any PE, the one after which no other has a backlog pauses at no PE,
 * so its conveyor makes progress.
 */

import type { ItemType } from "../../ground/item/item-type.ts";
import { IN_OWN_CODE, IN_SINK } from "../../links/status/layout.ts";
import { DONE } from "../../links/status/state.ts";
import { Backlog } from "../conveyor/belts/backlog.ts";
import type { RigidBelt } from "../conveyor/belts/rigid.ts";
import type { Pushing } from "../conveyor/codegen/parts.ts";
import { INSTEAD, refuseReturned } from "../conveyor/codegen/returned.ts";

/** A handler: receives an item and the rank of its sender. */
export type AnyHandler = (item: never, from: number) => unknown;

export class Mailbox {
  readonly name: string;
  readonly item: ItemType;
  readonly belt: RigidBelt<ItemType>;
  readonly backlog: Backlog;
  /** This PE is not done with it. */
  isOpen = false;
  /** Whether a push is allowed: the mailbox is open and the backlog is empty. */
  isClear = false;
  /** All items of this session were received. */
  isComplete = false;
  #before: readonly Mailbox[] = [];
  #after: readonly Mailbox[] = [];
  /** The place that its conveyor reports while its handler does not run. */
  #place = IN_OWN_CODE;
  #sink: (item: never, from: number) => boolean = () => true;

  constructor(name: string, item: ItemType, belt: RigidBelt<ItemType>) {
    this.name = name;
    this.item = item;
    this.belt = belt;
    this.backlog = new Backlog(item);
  }

  /**
   * Sets its position in the order.
   * @param before mailboxes that must be complete before this PE is done with it
   * @param after all mailboxes after it, directly or not
   */
  place(before: readonly Mailbox[], after: readonly Mailbox[]): void {
    this.#before = before;
    this.#after = after;
  }

  /** The conveyor, without the item's type. */
  get pushing(): Pushing {
    return this.belt as Pushing;
  }

  /** Whether all mailboxes before it are complete. */
  get isDue(): boolean {
    return this.#before.every(({ isComplete }) => isComplete);
  }

  /** Begins a session. */
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

  /** Stores an item for which there is no room. @param values that the backlog admits */
  hold(dest: number, values: readonly unknown[]): void {
    this.backlog.add(dest, values);
    this.isClear = false;
  }

  /** Passes received items to the handler until the mailbox pauses. */
  hand(): void {
    if (this.isComplete || this.#isPaused) return;
    const { belt } = this;
    belt.reportPlace(IN_SINK);
    // a handler that pauses has consumed its item
    belt.drain(this.#sink);
    belt.reportPlace(this.#place);
  }

  /** Sets which of the user's functions runs when the handler does not, see StatusWriter. */
  reportPlace(place: number): void {
    this.#place = place;
    this.belt.reportPlace(place);
  }

  /** Makes progress; returns whether there was any. */
  advance(): boolean {
    if (this.isComplete) return false;
    const { backlog } = this;
    if (backlog.length > 0) {
      backlog.flush(this.pushing);
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
