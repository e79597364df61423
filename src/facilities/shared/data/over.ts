/** Arrays that are there already, as structs and matrices. */
import { UsageError } from "../../../ground/base/errors.ts";
import { arrayInWords, type ColumnArray } from "../../../ground/item/columns.ts";
import { isBeside } from "../../../ground/memory/beside-heap.ts";
import type { Group } from "../../../pe/group.ts";
import { seatOf } from "../../../pe/seat-of.ts";

/**
 * Where arrays lie, as text that all PEs must agree about.
 * @throws UsageError for one that not all PEs of the node see
 */
export function arraysText(pe: Group, call: string, arrays: readonly ColumnArray[]): string {
  const { heap, collectives } = seatOf(pe, call);
  const other = arrays.find(({ buffer }) => buffer !== heap.buffer && !isBeside(buffer));
  if (other !== undefined) {
    throw new UsageError(
      `${call}: expected arrays of pe.allocShared, which all PEs see, got a ${arrayInWords(other)} in other memory`,
    );
  }
  return ` in the arrays at ${arrays.map((array) => collectives.team.payload.placeOf(array)).join(", ")}`;
}
