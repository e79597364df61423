/** Several senders of bulk data at one receiver, as `tundish profile` has measured it (internode.bulk). */
import type { BulkIncast } from "../../machine/model/internode.ts";

const byteOf = ({ time, bytes }: BulkIncast): number => time / bytes;

/** A receiver's time for a byte with so many senders, ns: on the line between the measured numbers around it. */
export function byteUnder(bulk: readonly BulkIncast[], senders: number): number {
  const after = bulk.findIndex((one) => one.senders >= senders);
  if (after <= 0) return byteOf((after < 0 ? bulk.at(-1) : bulk[0]) as BulkIncast);
  const [a, b] = [bulk[after - 1], bulk[after]] as readonly [BulkIncast, BulkIncast];
  return byteOf(a) + ((byteOf(b) - byteOf(a)) * (senders - a.senders)) / (b.senders - a.senders);
}

/** A receiver's best time for a byte, ns. */
export const bestByte = (bulk: readonly BulkIncast[]): number => Math.min(...bulk.map(byteOf));

/** Measurements vary by as much. */
const KEEPS_UP = 1.1;

/** Time for a byte with so many senders, by the best; 1 where the receiver keeps up, or nothing was measured. */
export function crowdOf(bulk: readonly BulkIncast[], senders: number): number {
  const crowd = bulk.length === 0 ? 1 : byteUnder(bulk, senders) / bestByte(bulk);
  return crowd <= KEEPS_UP ? 1 : crowd;
}
