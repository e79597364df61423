/** Ordered broadcasts of items of one type. */

import type { ItemArguments, Takes } from "../../../ground/item/arguments.ts";
import type { ItemType, ItemValue } from "../../../ground/item/item-type.ts";
import { viewsOf } from "../../../ground/item/views.ts";
import type { WaitOptions } from "../../../ground/wait/options.ts";
import { awaitOn, type Task } from "../../../ground/wait/task.ts";
import type { Seat } from "../../../pe/seat.ts";
import { readerOf } from "../../conveyor/codegen/item-reader.ts";
import { sendCode } from "../item-code.ts";
import { LoggedMessage } from "./content.ts";
import type { Ends } from "./ends.ts";
import { Ordered } from "./ordered.ts";

/** Makes an ordered broadcast over ends. */
export let newOrderedItems: <I extends ItemType>(seat: Seat, ends: Ends, name: string, item: I) => OrderedItems<I>;

/** Items of one type, submitted by any and delivered by all members in one order. See docs/messages.md. */
export class OrderedItems<I extends ItemType = ItemType> extends Ordered {
  static {
    newOrderedItems = (seat, ends, name, item) => new OrderedItems(seat, ends, name, item);
  }

  /** The type of its items. */
  readonly itemType: I;
  /**
   * Submits an item, given by its values as for a conveyor's push, and waits while there is no room. Items of one
   * member are delivered in the order in which it has submitted them.
   * @throws UsageError for values that are no item; StateError if the broadcast has ended, or if as many items wait to
   * be delivered here as there is room for; RankLostError, TimeoutError, and the error that ended the world
   */
  readonly submit: Takes<I, void>;
  /**
   * Submits an item if there is room now.
   * @returns whether it was submitted: false also while as many items wait to be delivered here as there is room for
   */
  readonly trySubmit: Takes<I, boolean>;
  readonly #submitNow: (...values: readonly unknown[]) => boolean;
  readonly #read: (at: number) => unknown;

  private constructor(seat: Seat, ends: Ends, name: string, item: I) {
    super(seat, ends, name, new LoggedMessage(item.bytes));
    this.itemType = item;
    const { bytes } = item;
    const views = viewsOf(seat.heap.buffer);
    const publish = () => this.publish(bytes, true);
    const code = (call: string, claim: () => number) => sendCode(call, item, views, claim, publish);
    this.submit = code("submit", () => this.room("submit", bytes, false)) as this["submit"];
    this.trySubmit = code("trySubmit", () => this.tryRoom("trySubmit", bytes)) as this["trySubmit"];
    this.#submitNow = code("submitAsync", () => this.tryPlace("submitAsync", bytes, false));
    // all items lie where the first one does
    this.#read = readerOf(item, viewsOf(this.content.i32.buffer));
  }

  /**
   * As {@link submit}, without blocking; while as many items wait to be delivered here as there is room for, it waits
   * until another part of the program has delivered some. The values must not be changed, and no other item be
   * submitted, before it is settled.
   */
  async submitAsync(...values: ItemArguments<I>): Promise<void> {
    if (!this.#submitNow(...values)) await awaitOn(this.seat, this.#submitting(values));
  }

  *#submitting(values: readonly unknown[]): Task<void> {
    do yield* this.untilRoom("submitAsync", this.itemType.bytes, false);
    while (!this.#submitNow(...values));
  }

  /**
   * The next item in the order, which this waits for: a value; for a struct a view, and for bytes(n) an array, that are
   * valid until the next call of a deliver or of {@link canDeliver}. {@link from} and {@link sequence} are those of it
   * until then.
   * @throws StateError if this end was freed, or the broadcast has ended and all its items were delivered here;
   * RankLostError, TimeoutError, and the error that ended the world. After a TimeoutError one may go on.
   */
  deliver(options?: WaitOptions): ItemValue<I> {
    this.next("deliver", options);
    return this.#read(0) as ItemValue<I>;
  }

  /** As {@link deliver}, without blocking. @throws also AbortedError */
  async deliverAsync(options?: WaitOptions): Promise<ItemValue<I>> {
    await this.nextAsync("deliverAsync", options);
    return this.#read(0) as ItemValue<I>;
  }

  /** The next item if it has come; else undefined. Valid as that of {@link deliver}. @throws StateError as there */
  tryDeliver(): ItemValue<I> | undefined {
    return this.tryNext("tryDeliver") ? (this.#read(0) as ItemValue<I>) : undefined;
  }
}
