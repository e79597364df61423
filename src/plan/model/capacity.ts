/**
 * Items of a full buffer.
 *
 * A buffer has as many items as its bytes hold, as its memory has room for tags beside them
 * (src/facilities/conveyor/belts/rigid-packings.ts). Plans for a load alone count the tags to the bytes of the buffer,
 * as they are fitted so: of buffers of some hundred bytes and more it makes no difference. The small ones that a rate
 * and the cost of delays ask for are counted as they are.
 *
 * Example: 96 bytes hold 6 items of 16 bytes; of two hops, with a tag of a byte for each and 64 bytes for tags, it
 * would be 2.
 */
import { storedBytes } from "../../route/geometry/conveyor-choice.ts";
import { packingOf } from "../../route/geometry/packing.ts";
import type { Candidate, ConveyorWorkload } from "./cost-model.ts";

/** A workload with a rate. */
export type RatedWorkload = ConveyorWorkload & { readonly rate: number; readonly delayCost: number };

/** Whether it says how often items come and what their delay costs. */
export const isRated = (workload: ConveyorWorkload): workload is RatedWorkload =>
  workload.rate !== undefined && workload.delayCost !== undefined;

/** @param tag bytes of a tag */
export function capacityOf(
  workload: ConveyorWorkload,
  { type, bufferBytes }: Pick<Candidate, "type" | "bufferBytes">,
  tag: number,
): number {
  const { itemBytes } = workload;
  if (type === "trivial") return 1;
  if (!isRated(workload)) return packingOf(itemBytes, tag, bufferBytes).capacity;
  const { capacity } = packingOf(itemBytes, tag, storedBytes(bufferBytes));
  return Math.max(1, Math.min(capacity, Math.floor(bufferBytes / itemBytes)));
}
