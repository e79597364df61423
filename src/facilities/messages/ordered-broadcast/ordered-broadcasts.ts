/** Ordered broadcasts among the PEs of a group. */
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Group } from "../../../pe/group.ts";
import { seatOf } from "../../../pe/seat-of.ts";
import type { OrderedBroadcast } from "./bytes.ts";
import type { OrderedItems } from "./items.ts";
import { makeOrderedBroadcast } from "./make-ordered-broadcast.ts";
import type { OrderedBroadcastOptions, OrderedItemsOptions } from "./options.ts";

/**
 * Makes an ordered broadcast: each PE of the group submits items when it likes, and all deliver those of all in the
 * same order, when they like (Smelt's atomic broadcast; docs/messages.md). Collective: all PEs make it with the same
 * options. It waits only if the heap is full.
 *
 *     const b = orderedBroadcast(pe, { item: struct({ account: u32, amount: f64 }) });
 *     b.submit(7, 0.5);
 *     const { account, amount } = b.deliver(); // of PE b.from, number b.sequence
 *
 * @throws UsageError; HeapError if the heap is full: the others find the broadcast ended; MismatchError, which ends the
 * world, if two PEs have made it otherwise
 */
export function orderedBroadcast<const I extends ItemType>(pe: Group, options: OrderedItemsOptions<I>): OrderedItems<I>;
/**
 * As above, for messages of any length.
 *
 *     const b = orderedBroadcast(pe);
 *     b.submit(Float64Array.of(1, 2, 3));
 *     const bytes = b.deliver();
 */
export function orderedBroadcast(pe: Group, options?: OrderedBroadcastOptions): OrderedBroadcast;
export function orderedBroadcast(
  pe: Group,
  options: OrderedBroadcastOptions | OrderedItemsOptions<ItemType> = {},
): OrderedBroadcast | OrderedItems {
  return makeOrderedBroadcast(seatOf(pe, "orderedBroadcast"), options);
}
