/** Channels of items of one type. */

import { checkOptions } from "../../ground/base/options.ts";
import type { ItemArguments, Takes } from "../../ground/item/arguments.ts";
import type { ItemType, ItemValue } from "../../ground/item/item-type.ts";
import { viewsOf } from "../../ground/item/views.ts";
import { WAIT, type WaitOptions } from "../../ground/wait/options.ts";
import { awaitOn, type Task } from "../../ground/wait/task.ts";
import type { Pair } from "../../pe/pairs/parts.ts";
import type { Seat } from "../../pe/seat.ts";
import { readerOf } from "../conveyor/codegen/item-reader.ts";
import { Channel } from "./channel.ts";
import { sendCode } from "./item-code.ts";

/** Makes a channel over a pair. */
export let newItemChannel: <I extends ItemType>(
  seat: Seat,
  peer: number,
  pair: Pair,
  name: string,
  item: I,
) => ItemChannel<I>;

/**
 * A queue pair for items of one type, as seen by one of its two PEs. They arrive once each, and in the order in which
 * they were sent. See docs/messages.md.
 */
export class ItemChannel<I extends ItemType = ItemType> extends Channel {
  static {
    newItemChannel = (seat, peer, pair, name, item) => new ItemChannel(seat, peer, pair, name, item);
  }

  /** The type of its items. */
  readonly itemType: I;
  /**
   * Sends an item, given by its values as for a conveyor's push, and waits while there is no room.
   * @throws UsageError for values that are no item; StateError if an end was freed; RankLostError, TimeoutError, and
   * the error that ended the world
   */
  readonly send: Takes<I, void>;
  /** Sends an item if there is room now. @returns whether it was sent */
  readonly trySend: Takes<I, boolean>;
  readonly #sendNow: (...values: readonly unknown[]) => boolean;
  readonly #read: (at: number) => unknown;
  /** Whether an item that was received is in memory of its own. */
  readonly #isValue: boolean;

  private constructor(seat: Seat, peer: number, pair: Pair, name: string, item: I) {
    super(seat, peer, pair, name);
    this.itemType = item;
    const views = viewsOf(seat.heap.buffer);
    const { bytes } = item;
    const { sender } = pair;
    const publish = () => sender.publish(bytes, true);
    const claim = () => this.claim("send", bytes);
    const tryClaim = () => this.tryClaim("trySend", bytes);
    this.send = sendCode("send", item, views, claim, publish) as this["send"];
    this.trySend = sendCode("trySend", item, views, tryClaim, publish) as this["trySend"];
    this.#sendNow = sendCode("sendAsync", item, views, () => this.tryClaim("sendAsync", bytes), publish);
    this.#read = readerOf(item, views);
    this.#isValue = item.kind !== "struct" && item.kind !== "bytes";
  }

  /** As {@link send}, without blocking. Until it is settled, do not change the values nor send another item. */
  async sendAsync(...values: ItemArguments<I>): Promise<void> {
    if (!this.#sendNow(...values)) await awaitOn(this.seat, this.#sending(values));
  }

  *#sending(values: readonly unknown[]): Task<void> {
    do yield* this.room("sendAsync");
    while (!this.#sendNow(...values));
  }

  canReceive(): boolean {
    this.next("canReceive");
    return this.tryPart("canReceive") >= 0;
  }

  /**
   * The next item, which this waits for: a value; for a struct a view, and for bytes(n) an array, that are valid until
   * the next call of a receive, of {@link canReceive}, or of {@link free}.
   * @throws StateError if this end was freed, or the other one was and all its items have been received; RankLostError,
   * TimeoutError, and the error that ended the world. After a TimeoutError one may go on.
   */
  receive(options?: WaitOptions): ItemValue<I> {
    this.next("receive");
    return this.#take(this.part("receive", options));
  }

  /** As {@link receive}, without blocking. @throws also AbortedError */
  async receiveAsync(options?: WaitOptions): Promise<ItemValue<I>> {
    if (options !== undefined) checkOptions("receiveAsync", WAIT, options);
    this.next("receiveAsync");
    return await awaitOn(this.seat, this.#receiving(), options);
  }

  *#receiving(): Task<ItemValue<I>> {
    for (;;) {
      const at = this.tryPart("receiveAsync");
      if (at >= 0) return this.#take(at);
      yield* this.message("receiveAsync");
    }
  }

  /** The next item if it has come; else undefined. Valid as that of {@link receive}. */
  tryReceive(): ItemValue<I> | undefined {
    this.next("tryReceive");
    const at = this.tryPart("tryReceive");
    return at < 0 ? undefined : this.#take(at);
  }

  #take(at: number): ItemValue<I> {
    const item = this.#read(at);
    if (this.#isValue) this.receiver.release();
    else this.show();
    return item as ItemValue<I>;
  }
}
