/** Makes ordered broadcasts. */
import type { ItemType } from "../../../ground/item/types.ts";
import type { PairSeat } from "../seat.ts";
import { OrderedBroadcast } from "./bytes.ts";
import { Ends, type Place } from "./ends.ts";
import { OrderedItems } from "./items.ts";
import { type OrderedBroadcastOptions, type OrderedItemsOptions, settle } from "./options.ts";

/** @throws UsageError; HeapError; MismatchError, which ends the world */
export function makeOrderedBroadcast(
  seat: PairSeat,
  place: () => Place,
  options: OrderedBroadcastOptions | OrderedItemsOptions<ItemType>,
): OrderedBroadcast | OrderedItems {
  const settled = settle(seat, options);
  const { name, item } = settled;
  // ends that were freed may be over by now, and give their memory back
  seat.sideWork.run(true);
  const ends = new Ends(seat, place(), settled);
  return item === undefined
    ? new OrderedBroadcast(seat, ends, name)
    : new OrderedItems(seat, ends, name, item);
}
