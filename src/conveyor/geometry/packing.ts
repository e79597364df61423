/** How items and their tags lie in a buffer; drawn in engine/outbox.ts. */
import { roundUp } from "../../item/types.ts";

/** Tags begin at a multiple of this below the base, so that items are aligned to it. */
const BASE_ALIGN = 64;

/** How items lie in the buffers of a hop. */
export interface Packing {
  /** Bytes from one item to the next; 1 for items of any length. */
  readonly stride: number;
  readonly tagBytes: number;
  /** Items that fit a buffer. */
  readonly capacity: number;
  /** Where the base is, bytes from the start of a buffer. */
  readonly base: number;
  /** What compression takes for an item, bytes: the stride, but for items of any length. */
  readonly unit: number;
}

/** How items of `stride` bytes with tags fit a buffer of `bufferBytes`. `capacity` is 0 when they do not. */
export function packingOf(stride: number, tagBytes: number, bufferBytes: number): Packing {
  let capacity = Math.floor(bufferBytes / (stride + tagBytes));
  while (capacity > 0 && roundUp(capacity * tagBytes, BASE_ALIGN) + capacity * stride > bufferBytes)
    capacity--;
  return { stride, tagBytes, capacity, base: roundUp(capacity * tagBytes, BASE_ALIGN), unit: stride };
}
