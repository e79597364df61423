/** How items of one type lie in the buffers of each hop. */
import { OverflowError } from "../../base/errors.ts";
import { describeItem, type ItemType } from "../../item/types.ts";
import { type Choice, storedBytes } from "../geometry/choice.ts";
import { type Packing, packingOf } from "../geometry/packing.ts";

/** @throws OverflowError for items that are larger than a buffer */
export function packingsOf(item: ItemType, choice: Choice): Packing[] {
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
    // without a spread: see assemble
    return {
      stride,
      tagBytes,
      capacity: choice.type === "trivial" ? 1 : Math.min(capacity, most),
      base,
      unit,
    };
  });
}
