/**
 * A message that goes round a walk over PEs: each passes it on as soon as it has it. A walk there and back over three
 * PEs, or round all of them, takes what forwarding takes beyond the costs of pairs.
 *
 * Each place of the walk has a channel to the next one, the last one to the first. A PE may have several places, but
 * the first, which starts and times each round, has one.
 *
 * Example: the walk 0, 1, 2, 1: 0 sends to 1, 1 to 2, 2 to 1, 1 to 0, which takes four edges and twice the relay of 1.
 */
import type { ChannelKind } from "../../src/ground/base/channel-kinds.ts";
import { queuePair } from "../../src/ground/channel/backends.ts";
import type { EndOptions } from "../../src/ground/channel/end.ts";
import { channelBytes, DEFAULT_SLOTS } from "../../src/ground/channel/layout.ts";
import type { QueuePair } from "../../src/ground/channel/queue-pair.ts";
import { clockOverhead, now } from "./clock.ts";
import type { Bench } from "./jobs.ts";
import { trimmed } from "./statistics.ts";

/** Bytes of the area of a walk: a channel for each place. */
export const walkBytes = (places: number): number => places * channelBytes(DEFAULT_SLOTS);

/** A round trip as posted to each PE on it. */
export interface WalkJob {
  readonly kind: "walk";
  /** The PEs by place. */
  readonly walk: readonly number[];
  /** The PE that gets the job. */
  readonly rank: number;
  /** Byte offset of the channels in the heap, zeroed: {@link walkBytes}. */
  readonly area: number;
  readonly channel: ChannelKind;
  /** Rounds. */
  readonly count: number;
}

/** Goes the walk: ns of a round, without the time until the first PE starts the next; 0 at the others. */
export function goRound({ walk, rank, area, channel, count }: WalkJob, bench: Bench): number {
  const { f64 } = bench.heap;
  const end = (place: number, peer: number): EndOptions => ({
    ...bench,
    offset: area + walkBytes(place),
    slots: DEFAULT_SLOTS,
    peer: walk[peer],
  });
  const places = walk.flatMap((pe, place) => {
    const before = (place + walk.length - 1) % walk.length;
    return pe === rank ? [queuePair(channel, end(place, (place + 1) % walk.length), end(before, before))] : [];
  });
  const overhead = clockOverhead();
  const samples = new Float64Array(count);
  const send = ({ sender }: QueuePair, round: number) => {
    f64[sender.claim() >>> 3] = round;
    sender.publish(0);
  };
  const receive = ({ receiver }: QueuePair) => {
    receiver.wait();
    receiver.release();
  };
  if (rank === walk[0]) {
    for (let round = 0; round < count; round++) {
      const start = now();
      send(places[0], round);
      receive(places[0]);
      samples[round] = now() - start - overhead;
    }
    return trimmed(samples).mean;
  }
  for (let round = 0; round < count; round++) {
    for (const place of places) {
      receive(place);
      send(place, round);
    }
  }
  return 0;
}
