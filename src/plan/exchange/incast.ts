/** Several senders of bulk data at one receiver, as `tundish profile` has measured it (internode.bulk). */
import type { BulkIncast } from "../../machine/internode.ts";

/** Time between messages with so many senders, ns: on the line between the measured numbers around it. */
export function timeUnder(bulk: readonly BulkIncast[], senders: number): number {
  const after = bulk.findIndex((one) => one.senders >= senders);
  if (after <= 0) return (after < 0 ? bulk.at(-1) : bulk[0])?.time ?? 0;
  const [a, b] = [bulk[after - 1], bulk[after]] as readonly [BulkIncast, BulkIncast];
  return a.time + ((b.time - a.time) * (senders - a.senders)) / (b.senders - a.senders);
}

/** What a receiver takes for a byte at best, ns; 0 where it was not measured. */
export const receivingByte = (bulk: readonly BulkIncast[]): number =>
  bulk.length === 0 ? 0 : Math.min(...bulk.map(({ time, bytes }) => time / bytes));

/** The time for a byte with so many senders, by the best; 1 where it was not measured. */
export const crowdOf = (bulk: readonly BulkIncast[], senders: number): number =>
  bulk.length === 0 ? 1 : Math.max(1, timeUnder(bulk, senders) / bulk[0].bytes / receivingByte(bulk));
