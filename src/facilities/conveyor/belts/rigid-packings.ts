/** How items of one type lie in the buffers of each hop. */
import { OverflowError } from "../../../ground/base/errors.ts";
import { describeItem, type ItemType } from "../../../ground/item/item-type.ts";
import { type CompleteChoice, storedBytes } from "../../../route/geometry/conveyor-choice.ts";
import { type Packing, packingOf } from "../../../route/geometry/packing.ts";

/** @throws OverflowError for items that are larger than a buffer */
export function packingsOf(item: ItemType, choice: CompleteChoice): Packing[] {
  const { bytes } = item;
  return choice.route.each.map(({ tagBytes }) => {
    const { stride, capacity, base, unit } = packingOf(bytes, tagBytes, storedBytes(choice.bufferBytes));
    const most = Math.floor(choice.bufferBytes / bytes);
    if (most < 1) {
      throw new OverflowError(
        `begin: expected an item of at most ${choice.bufferBytes} bytes (bufferBytes), got ${describeItem(item)} of ${bytes}. ` +
          "Make the conveyor with larger buffers, or make an elastic conveyor.",
      );
    }
    const full = itemsWhenFull(bytes, choice);
    // without a spread: see assemble
    return {
      stride,
      tagBytes,
      capacity: Math.min(capacity, most, full),
      base,
      unit,
    };
  });
}

/** Items of a full buffer, as far as the options say: with a threshold, a cutoff, or the type trivial. */
function itemsWhenFull(bytes: number, { type, bufferBytes, sending }: CompleteChoice): number {
  const { threshold, cutoff } = sending;
  if (type === "trivial" || (cutoff !== null && bytes > cutoff * bufferBytes)) return 1;
  return threshold === null ? Number.POSITIVE_INFINITY : Math.max(1, Math.ceil((threshold * bufferBytes) / bytes));
}
