/** Makes ordered broadcasts. */
import { placeOf } from "../../../collectives/place.ts";
import type { ItemType } from "../../../ground/item/item-type.ts";
import type { Seat } from "../../../pe/seat.ts";
import { newOrderedBroadcast, type OrderedBroadcast } from "./bytes.ts";
import { Ends } from "./ends.ts";
import { newOrderedItems, type OrderedItems } from "./items.ts";
import { type OrderedBroadcastOptions, type OrderedItemsOptions, settle } from "./options.ts";

/** @throws UsageError; HeapError; MismatchError, which ends the world */
export function makeOrderedBroadcast(
  seat: Seat,
  options: OrderedBroadcastOptions | OrderedItemsOptions<ItemType>,
): OrderedBroadcast | OrderedItems {
  const settled = settle(seat, options);
  const { name, item } = settled;
  // ends that were freed may be over by now, and give their memory back
  seat.sideWork.run(true);
  const ends = new Ends(seat, placeOf(seat.collectives.team, seat.collectives.hierarchy), settled);
  return item === undefined ? newOrderedBroadcast(seat, ends, name) : newOrderedItems(seat, ends, name, item);
}
