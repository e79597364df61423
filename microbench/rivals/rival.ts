/**
 * One thread of a program with what Node offers: a round trip to another worker, and a barrier on one shared counter.
 * Written as a typical user would, and pinned like ours.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { pinThread } from "../../src/machine/topology/affinity.ts";

/** The arguments of the thread. */
export interface RivalJob {
  readonly kind: "postMessage" | "spinning" | "sleeping";
  readonly rank: number;
  readonly pes: number;
  readonly cpu: number;
  /** Operations per batch, and number of batches. */
  readonly batch: number;
  readonly batches: number;
  /** For postMessage: the port to the other thread, and what is sent: a number, or so many bytes. @default 8 */
  readonly port?: MessagePort;
  readonly bytes?: number;
  /** For the barriers: count and generation. */
  readonly words?: Int32Array;
}

const job = workerData as RivalJob;
pinThread(job.cpu);

/** ns per operation of each batch; the first batch is for warming up and discarded. */
function report(samples: number[]): void {
  parentPort?.postMessage(samples.slice(1));
}

function postMessageRoundTrips(port: MessagePort): void {
  if (job.rank === 1) {
    port.on("message", (message) => {
      if (message === "done") port.close();
      else port.postMessage(message);
    });
    return;
  }
  const { bytes = 8 } = job;
  const content = bytes > 8 ? new Float64Array(bytes / 8) : 1;
  const samples: number[] = [];
  let left = job.batch;
  let start = monotonic();
  port.on("message", () => {
    if (--left === 0) {
      samples.push(((monotonic() - start) * 1e6) / job.batch);
      if (samples.length > job.batches) {
        port.postMessage("done");
        port.close();
        report(samples);
        return;
      }
      left = job.batch;
      start = monotonic();
    }
    port.postMessage(content);
  });
  port.postMessage(content);
}

const COUNT = 0;
const GENERATION = 32;

/** The usual barrier: the last to arrive resets the counter and starts the next generation. */
function flatBarrier(words: Int32Array, sleeping: boolean): void {
  const generation = Atomics.load(words, GENERATION);
  if (Atomics.add(words, COUNT, 1) === job.pes - 1) {
    Atomics.store(words, COUNT, 0);
    Atomics.add(words, GENERATION, 1);
    if (sleeping) Atomics.notify(words, GENERATION);
    return;
  }
  while (Atomics.load(words, GENERATION) === generation) {
    if (sleeping) Atomics.wait(words, GENERATION, generation);
  }
}

function flatBarriers(words: Int32Array, sleeping: boolean): void {
  const samples: number[] = [];
  for (let b = 0; b <= job.batches; b++) {
    const start = monotonic();
    for (let i = 0; i < job.batch; i++) flatBarrier(words, sleeping);
    samples.push(((monotonic() - start) * 1e6) / job.batch);
  }
  report(samples);
}

if (job.kind === "postMessage") postMessageRoundTrips(job.port as MessagePort);
else flatBarriers(job.words as Int32Array, job.kind === "sleeping");
