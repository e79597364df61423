/**
 * A sender's pace and the size of its packets, chosen together. Brewer et al., "Software Techniques for Improving MPP
 * Bulk-Transfer Performance", section 5.1, tuned both by experiment and left the rule open.
 *
 * A packet of p bytes keeps the busiest part of the network (a receiver, a link, the places of a queue) busy for
 *
 *     S(p) = o + G (p + head)       o: of each packet and of the message that gives its buffer back; G: ns per byte
 *
 * and a PE that begins one every D(p) = S(p) / load loads this part to that share. So
 *
 *     pace(p) = load (p + head) / S(p)       phase of B bytes = B / p packets of D(p)
 *
 * The pace grows with p, and the phase gets shorter: packets are as large as one message may be, and all of a block
 * equal. The load is below 1, as delays vary: PEs that begin together then stay in step, each slot to another
 * receiver, as a late one catches up. It is 0.9, and 0.8 of links, which PEs share otherwise in each slot (fit.ts).
 *
 * Limits: all PEs send as much; blocks are sent from the first one on, so a receiver that gets more is not spared.
 *
 * Example: receivers take 1000 ns for a message and 8 ns for a byte, no other part is as slow. Packets of 16 KiB: S =
 * 1000 + 8 * 16416 + 1064 for the buffer, 133 us, so D = 148 us and 111 MB/s. Packets of 1 KiB: 10.5 us, 11.7 and 90.
 */
import type { ExchangeLoad } from "../../route/disciplines/options.ts";
import { HEAD_BYTES, MESSAGE_BYTES } from "../../route/disciplines/packet.ts";
import type { CostModel } from "../model/cost-model.ts";
import { FIT } from "./fit.ts";
import { blockBytesOf, type Phase, phaseOf, streamOf } from "./phase.ts";

/** Packets and their pace. */
export interface Paced {
  readonly packetBytes: number;
  /** Bytes per second of a PE, heads included. */
  readonly pace: number;
}

/** The time for which the busiest part is busy with what all send, if all receivers get as much, ns. */
export const evenStreamOf = (model: CostModel, phase: Phase): number =>
  streamOf(model, { ...phase, servers: phase.even });

/** Bytes of the fewest equal packets of a block, each of which is one message with its head. */
export function packetBytesFor(blockBytes: number): number {
  const count = Math.ceil(blockBytes / (MESSAGE_BYTES - HEAD_BYTES));
  return Math.ceil(blockBytes / count);
}

/**
 * Packets and their pace; null where a pace is of no use: any number of packets may be underway to a receiver, or it
 * has one sender; all of a phase fits into the buffers of its lanes, so that nothing waits for one that comes back; or
 * each PE sends to some others only, and which links they share is not known.
 *
 * @param packetBytes if they are given, the pace for these
 */
export function pacedFor(
  model: CostModel,
  load: ExchangeLoad,
  buffersPerLink: number,
  packetBytes?: number,
): Paced | null {
  const { congestion } = model.network;
  if (congestion === null || congestion.interleaved || congestion.queue === Number.POSITIVE_INFINITY) return null;
  const bytes = packetBytes ?? packetBytesFor(Math.ceil(blockBytesOf(model, load)));
  // each packet is a turn
  const phase = phaseOf(model, load, { chunkBytes: bytes, packetBytes: bytes, buffersPerLink });
  const { chunks, destinations, senders } = phase;
  if (senders === 1 || chunks <= destinations * buffersPerLink) return null;
  const areLinksKnown = destinations === model.pes - 1 || (congestion.topology === null && congestion.bisection === 0);
  if (!areLinksKnown) return null;
  const busy = evenStreamOf(model, phase);
  const { injection, ejection, processor, places } = phase.even;
  const share =
    Math.max(injection, ejection, processor, places, phase.work, phase.lane) < busy ? FIT.linkLoad : FIT.load;
  const pace = ((share * phase.wire) / busy) * 1e9;
  return { packetBytes: bytes, pace: Number(pace.toPrecision(3)) };
}
