/** Blocks of memory that the PEs of a group on one node share. */
import { reserve } from "../../collectives/team/reservation.ts";
import type { Seat, ThreadSiteParts } from "../../pe/seat.ts";

/**
 * Makes a block with the other PEs of the group on this node: the n-th ones belong together. It waits for nobody if
 * there is room.
 * @param what it is, for errors @returns its byte offset in the heap; it is zeroed
 * @throws HeapError; MismatchError, which ends the world, if another PE makes something else
 */
export const blockOf = ({ block, sites, members, here }: Seat, bytes: number, what: string): number =>
  block?.(bytes) ??
  reserve(
    sites as ThreadSiteParts,
    here.map((rank) => members[rank] as number),
    {
      bytes,
      // the same PEs may be a group of their own
      scope: here.length === members.length ? "" : members.join(),
      terms: what,
      made: what,
      making: what,
      need: { what, lower: () => "" },
    },
  );
