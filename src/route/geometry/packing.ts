/** The layout of items and their tags in a buffer; drawn in engine/outbox.ts. */
import { roundUp } from "../../ground/item/item-type.ts";

/** The base is a multiple of this, so that items are aligned; tags are below it. */
const BASE_ALIGN = 64;

/** The layout of items in the buffers of a hop. */
export interface Packing {
  /** Bytes from one item to the next; 1 for items of any length. */
  readonly stride: number;
  readonly tagBytes: number;
  /** Items that fit in a buffer. */
  readonly capacity: number;
  /** Offset of the base from the start of a buffer, bytes. */
  readonly base: number;
  /** Bytes that compression treats as one item: the stride, except for items of any length. */
  readonly unit: number;
}

/** The layout of items of `stride` bytes with tags in a buffer of `bufferBytes`. `capacity` is 0 if they do not fit. */
export function packingOf(stride: number, tagBytes: number, bufferBytes: number): Packing {
  let capacity = Math.floor(bufferBytes / (stride + tagBytes));
  while (capacity > 0 && roundUp(capacity * tagBytes, BASE_ALIGN) + capacity * stride > bufferBytes) capacity--;
  return { stride, tagBytes, capacity, base: roundUp(capacity * tagBytes, BASE_ALIGN), unit: stride };
}
