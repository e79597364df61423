/** Ordered broadcasts: the part of a group that makes them. */

import type { Collectives } from "../collectives/collectives.ts";
import type { AppendSeat } from "../facilities/append/seat.ts";
import type { ConveyorContext } from "../facilities/conveyor/front/make.ts";
import type { OrderedBroadcast } from "../facilities/messages/ordered-broadcast/bytes.ts";
import type { OrderedItems } from "../facilities/messages/ordered-broadcast/items.ts";
import { makeOrderedBroadcast } from "../facilities/messages/ordered-broadcast/make.ts";
import type {
  OrderedBroadcastOptions,
  OrderedItemsOptions,
} from "../facilities/messages/ordered-broadcast/options.ts";
import type { PairSeat } from "../facilities/messages/seat.ts";
import type { ItemType } from "../ground/item/types.ts";
import { Channels } from "./channel-makers.ts";

/** PEs that deliver the messages of all of them in one order. */
export abstract class OrderedBroadcasts extends Channels {
  readonly #members: Collectives;
  readonly #seat: PairSeat;

  /** @internal */
  protected constructor(
    context: ConveyorContext,
    collectives: Collectives,
    appends: AppendSeat,
    pairs: PairSeat,
  ) {
    super(context, collectives, appends, pairs);
    this.#members = collectives;
    this.#seat = pairs;
  }

  /**
   * Makes an ordered broadcast: each PE of the group submits items when it likes, and all deliver those of all in the same order, when they
   * like (Smelt's atomic broadcast; docs/messages.md). Collective: all PEs make it with the same options. It waits only if the heap is full.
   *
   *     const b = pe.orderedBroadcast({ item: struct({ account: u32, amount: f64 }) });
   *     b.submit(7, 0.5);
   *     const { account, amount } = b.deliver(); // of PE b.from, number b.sequence
   *
   * @throws UsageError; HeapError if the heap is full: the others find the broadcast ended; MismatchError, which ends the world, if two PEs
   *   have made it otherwise
   */
  orderedBroadcast<const I extends ItemType>(options: OrderedItemsOptions<I>): OrderedItems<I>;
  /**
   * As above, for messages of any length.
   *
   *     const b = pe.orderedBroadcast();
   *     b.submit(Float64Array.of(1, 2, 3));
   *     const bytes = b.deliver();
   */
  orderedBroadcast(options?: OrderedBroadcastOptions): OrderedBroadcast;
  orderedBroadcast(
    options: OrderedBroadcastOptions | OrderedItemsOptions<ItemType> = {},
  ): OrderedBroadcast | OrderedItems {
    this.checkOpen();
    return makeOrderedBroadcast(this.#seat, () => this.#members.place(), options);
  }
}
