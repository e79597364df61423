/**
 * The jobs of a measured pair of PEs. Each job has two roles: the leader sends, times and answers; the follower
 * responds. Both use the channels of the collectives, so that the numbers include all software.
 *
 * Source: Kaestle et al., "Machine-Aware Atomic Broadcast Trees for Multicores", section 3.2 and libsmelt's
 * bench/pairwise.c.
 */

import type { ChannelKind } from "../../src/ground/base/channel-kinds.ts";
import { queuePair } from "../../src/ground/channel/backends.ts";
import { BlockReceiver, BlockSender, blockChannelBytes } from "../../src/ground/channel/blocks.ts";
import type { EndOptions } from "../../src/ground/channel/end.ts";
import { channelBytes, DEFAULT_SLOTS, SIGNAL_WORD_BYTES } from "../../src/ground/channel/layout.ts";
import type { QueuePair } from "../../src/ground/channel/queue-pair.ts";
import { SignalReceiver, SignalSender } from "../../src/ground/channel/signal.ts";
import type { Heap } from "../../src/ground/memory/heap.ts";
import { block, type Waiter } from "../../src/ground/wait/waiter.ts";
import type { Wakers } from "../../src/ground/wait/wakers.ts";
import { clockOverhead, now } from "./clock.ts";
import { lineRoundTrip } from "./line.ts";
import { type Summary, trimmed } from "./statistics.ts";

/** Batch sizes in messages; the last one is used in the model. */
export const BATCHES: readonly number[] = [1, 2, 4, 8];
/** Bytes of a block of the bandwidth measurement. */
export const BULK_BLOCK: number = 64 * 1024;
const BULK_BLOCKS = 4;
/** Steps between two looks at the clock. */
const BATCH = 50;

/** A job, as posted to a PE. */
export interface Job {
  readonly kind: "line" | "probe" | "pairwise" | "rtt" | "stream" | "bulk" | "wake" | "meet" | "exchange";
  readonly lead: boolean;
  readonly peer: number;
  /** Byte offset of the pair's area in the heap, zeroed: see {@link AREA_BYTES}. */
  readonly area: number;
  /** Probes and wake-ups have none: they go through UMP, so that probes compare. @default "ump" */
  readonly channel?: ChannelKind;
  /** Rounds, messages or blocks. */
  readonly count: number;
  /** Only for `wake`: sleep by futex, else by Atomics.wait. */
  readonly futex?: boolean;
}

/** A pair's area: a channel and a block channel in each direction. */
const channelArea: number = channelBytes(DEFAULT_SLOTS);
const blockArea: number = blockChannelBytes(BULK_BLOCKS, BULK_BLOCK);
/** Bytes of the area that a pair of PEs measures on. */
export const AREA_BYTES: number = Math.ceil((2 * channelArea + 2 * blockArea) / 128) * 128;

/** The resources of a PE. */
export interface Bench {
  readonly heap: Heap;
  readonly wakers: Wakers;
  readonly waiter: Waiter;
}

/** The result: pairwise costs by batch size, or one number. */
export type Answer =
  | { readonly kind: "pairwise"; readonly sides: readonly PairwiseSide[] }
  | { readonly kind: "value"; readonly value: number };

/** The times of one PE of the pair for one batch size, ns per message (rtt: per round trip of the batch). */
export interface PairwiseSide {
  readonly batch: number;
  readonly send?: Summary;
  readonly rtt?: Summary;
  readonly receive?: Summary;
}

/** Runs one job in this thread. */
export function runJob(job: Job, bench: Bench): Answer {
  switch (job.kind) {
    case "pairwise":
      return { kind: "pairwise", sides: pairwise(job, bench) };
    case "stream":
      return { kind: "value", value: stream(job, bench) };
    case "bulk":
      return { kind: "value", value: bulk(job, bench) };
    case "line":
      return { kind: "value", value: lineRoundTrip(bench.heap.i32.subarray(job.area >>> 2), job.lead) };
    case "probe":
    case "rtt":
    case "wake":
      return { kind: "value", value: pingPong(job, bench) };
    case "meet":
      return { kind: "value", value: batches(job.count, signals(job, bench)) };
    case "exchange":
      return { kind: "value", value: batches(job.count, messages(job, bench)) };
  }
}

function open({ lead, peer, area, channel = "ump" }: Job, { heap, wakers, waiter }: Bench): QueuePair {
  const end = (offset: number): EndOptions => ({ heap, offset, slots: DEFAULT_SLOTS, peer, waiter, wakers });
  const there = area;
  const back = area + channelArea;
  return lead ? queuePair(channel, end(there), end(back)) : queuePair(channel, end(back), end(there));
}

/** Send, receive and round trip of batches: the leader measures its sends and the echo, the follower its receives. */
function pairwise(job: Job, bench: Bench): PairwiseSide[] {
  const { sender, receiver } = open(job, bench);
  const { f64 } = bench.heap;
  const overhead = clockOverhead();
  const send = (batch: number, value: number) => {
    for (let k = 0; k < batch; k++) {
      f64[sender.claim() >>> 3] = value;
      sender.publish(0);
    }
  };
  const receive = (batch: number) => {
    for (let k = 0; k < batch; k++) {
      receiver.wait();
      receiver.release();
    }
  };
  return BATCHES.map((batch): PairwiseSide => {
    const first = new Float64Array(job.count);
    const second = new Float64Array(job.count);
    for (let round = 0; round < job.count; round++) {
      if (job.lead) {
        const start = now();
        send(batch, round);
        const sent = now();
        receive(batch);
        const end = now();
        first[round] = Math.max(0, sent - start - overhead) / batch;
        second[round] = end - start - overhead;
      } else {
        // the clock restarts until the first message has arrived, so that waiting does not count as receiving
        let turn = 0;
        let start = now();
        while (receiver.tryWait() < 0) {
          turn = bench.waiter.pause(turn, job.peer);
          start = now();
        }
        bench.waiter.done(turn);
        receive(batch);
        first[round] = Math.max(0, now() - start - overhead) / batch;
        send(batch, round);
      }
    }
    return job.lead ? { batch, send: trimmed(first), rtt: trimmed(second) } : { batch, receive: trimmed(first) };
  });
}

/** A long stream of messages: ns per message, from the first send until the last is known to be received. */
function stream(job: Job, bench: Bench): number {
  const { sender, receiver } = open(job, bench);
  const { f64 } = bench.heap;
  const start = now();
  if (job.lead) {
    for (let i = 0; i < job.count; i++) {
      f64[sender.claim() >>> 3] = i;
      sender.publish(0);
    }
    receiver.wait();
    receiver.release();
  } else {
    for (let i = 0; i < job.count; i++) {
      receiver.wait();
      receiver.release();
    }
    sender.claim();
    sender.publish(0);
  }
  return (now() - start) / job.count;
}

/** Blocks written by the leader and read by the follower: bytes per ns. */
function bulk(job: Job, { heap, wakers, waiter }: Bench): number {
  const { lead, peer, area, count } = job;
  const { sender, receiver } = open(job, { heap, wakers, waiter });
  const offset = Math.ceil((area + 2 * channelArea) / 128) * 128;
  const end = { heap, offset, slots: BULK_BLOCKS, peer, waiter, wakers, blockBytes: BULK_BLOCK };
  const own = heap.allocate(BULK_BLOCK);
  const { copy } = heap.kernels;
  const start = now();
  if (lead) {
    const blocks = new BlockSender(end);
    for (let i = 0; i < count; i++) {
      copy(blocks.claim(), own, BULK_BLOCK);
      blocks.publish(BULK_BLOCK);
    }
    receiver.wait();
    receiver.release();
  } else {
    const blocks = new BlockReceiver(end);
    for (let i = 0; i < count; i++) {
      copy(own, blocks.wait(), BULK_BLOCK);
      blocks.release();
    }
    sender.claim();
    sender.publish(0);
  }
  const elapsed = now() - start;
  heap.free(own);
  return (count * BULK_BLOCK) / elapsed;
}

/** Both signal each other at once, in one line, as in a barrier of the two (collectives/team/link-map.ts). */
function signals({ lead, peer, area }: Job, { heap, wakers, waiter }: Bench): () => void {
  const [mine, other] = lead ? [area, area + SIGNAL_WORD_BYTES] : [area + SIGNAL_WORD_BYTES, area];
  const sender = new SignalSender(mine, peer, wakers);
  const receiver = new SignalReceiver(heap, other, peer);
  return () => {
    sender.raise(0);
    if (!receiver.spin(waiter.looks)) block(waiter, receiver);
    receiver.pass(0);
  };
}

/** Both send each other a message at once, as in an allreduce of the two. */
function messages(job: Job, bench: Bench): () => void {
  const { sender, receiver } = open(job, bench);
  const { f64 } = bench.heap;
  return () => {
    f64[sender.claim() >>> 3] = job.count;
    sender.publish(0);
    receiver.wait();
    receiver.release();
  };
}

/** Both PEs step: median ns of a step, of batches of 50. */
function batches(count: number, step: () => void): number {
  const samples = new Float64Array(Math.max(1, Math.floor(count / BATCH)));
  for (let i = 0; i < samples.length; i++) {
    const start = now();
    for (let k = 0; k < BATCH; k++) step();
    samples[i] = (now() - start) / BATCH;
  }
  return samples.sort()[samples.length >> 1];
}

/** Round trips of one message: median ns per round trip, of batches of 50. */
function pingPong(job: Job, bench: Bench): number {
  const { sender, receiver } = open(job, bench);
  const batch = job.kind === "wake" ? 1 : BATCH;
  const samples = new Float64Array(Math.max(1, Math.floor(job.count / batch)));
  for (let i = 0; i < samples.length; i++) {
    const start = now();
    for (let k = 0; k < batch; k++) {
      if (job.lead) {
        sender.claim();
        sender.publish(0);
        receiver.wait();
        receiver.release();
      } else {
        receiver.wait();
        receiver.release();
        sender.claim();
        sender.publish(0);
      }
    }
    samples[i] = (now() - start) / batch;
  }
  return samples.sort()[samples.length >> 1];
}
