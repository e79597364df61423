/** Blocks of memory that the PEs of a group share, all of one node. */
import { reserve } from "../../collectives/team/reservation.ts";
import type { Seat, ThreadSiteParts } from "../../pe/seat.ts";

/**
 * Makes a block with the other PEs of the group: the n-th ones belong together. It waits for nobody if there is room.
 * @param what it is, for errors @returns its byte offset in the heap; it is zeroed
 * @throws HeapError; MismatchError, which ends the world, if another PE makes something else
 */
export const blockOf = ({ block, sites, members }: Seat, bytes: number, what: string): number =>
  block?.(bytes) ??
  reserve(sites as ThreadSiteParts, members, {
    bytes,
    terms: what,
    made: what,
    making: what,
    need: { what, lower: () => "" },
  });
