/**
 * One thread of a program that streams items between workers with what Node offers: messages, and a queue in shared
 * memory. Written as a typical user would, and pinned like ours. Items to the sender itself are not sent as messages.
 */

import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { monotonic } from "../../src/ground/base/event-loop/timers.ts";
import { pinThread } from "../../src/machine/topology/affinity.ts";
import { randomArray } from "../turns/random.ts";
import { SharedQueue } from "./shared-queue.ts";

/** The arguments of a thread. */
export interface StreamJob {
  /** A message for each item; for up to 1000; the queues. */
  readonly kind: "items" | "bundles" | "queues";
  readonly rank: number;
  readonly pes: number;
  readonly cpu: number;
  /** Numbers in an item. */
  readonly doubles: number;
  /** Items of each thread in a batch, and number of batches. */
  readonly items: number;
  readonly batches: number;
  /** By rank, the port to it; null for itself. */
  readonly ports: readonly (MessagePort | null)[];
  /** By rank, its queue; and a counter. */
  readonly queues: readonly SharedArrayBuffer[];
  readonly counter: Int32Array;
}

/** Its result. */
export interface StreamAnswer {
  /** ns per item of each batch. */
  readonly samples: readonly number[];
  /** Sums of all sent and received items. */
  readonly sent: number;
  readonly received: number;
}

const BUNDLE = 1000;
const job = workerData as StreamJob;
const { rank, pes, doubles, items, batches } = job;
pinThread(job.cpu);
const dests = randomArray(items, pes, rank);
const samples: number[] = [];
let received = 0;

function report(): void {
  const sent = (batches + 1) * ((items * (items - 1)) / 2);
  const answer: StreamAnswer = { samples: samples.slice(1), sent, received };
  parentPort?.postMessage(answer);
}

/** Sends all items, then null; the next batch begins when the others have sent null. */
function overMessages(): void {
  const send = job.kind === "items" ? sendItems : sendBundles;
  const others = job.ports.filter((port) => port !== null);
  let waiting = others.length;
  let start = monotonic();
  const begin = () => {
    start = monotonic();
    send(job.ports);
    for (const port of others) port.postMessage(null);
  };
  const end = () => {
    samples.push(((monotonic() - start) * 1e6) / items);
    waiting += others.length;
    if (samples.length <= batches) begin();
    else report();
  };
  for (const port of others) {
    port.on("message", (message: number | Float64Array | null) => {
      if (message === null) {
        if (--waiting === 0) end();
      } else if (typeof message === "number") received += message;
      else for (let i = 0; i < message.length; i += doubles) received += message[i];
    });
  }
  begin();
}

function sendItems(ports: StreamJob["ports"]): void {
  const item = Float64Array.from({ length: doubles }, (_, i) => i);
  for (let i = 0; i < items; i++) {
    item[0] = i;
    const port = ports[dests[i]];
    if (port === null) received += i;
    else port.postMessage(doubles === 1 ? i : item);
  }
}

function sendBundles(ports: StreamJob["ports"]): void {
  const bundles = ports.map(() => ({ array: new Float64Array(BUNDLE * doubles), length: 0 }));
  for (let i = 0; i < items; i++) {
    const dest = dests[i];
    const port = ports[dest];
    if (port === null) {
      received += i;
      continue;
    }
    const bundle = bundles[dest];
    bundle.array[bundle.length] = i;
    for (let j = 1; j < doubles; j++) bundle.array[bundle.length + j] = j;
    bundle.length += doubles;
    if (bundle.length < bundle.array.length) continue;
    port.postMessage(bundle.array);
    bundle.length = 0;
  }
  // a copy of the part only: a view would transfer all of its memory
  for (const [dest, { array, length }] of bundles.entries()) ports[dest]?.postMessage(array.slice(0, length));
}

function overQueues(): void {
  const queues = job.queues.map((memory) => new SharedQueue(memory, doubles));
  const own = queues[rank];
  const drain = () => {
    received += own.drain();
  };
  let done = 0;
  /** Waits until all have arrived; items received meanwhile are read. */
  const meet = () => {
    done += pes;
    Atomics.add(job.counter, 0, 1);
    while (Atomics.load(job.counter, 0) < done) drain();
  };
  for (let b = 0; b <= batches; b++) {
    meet();
    const start = monotonic();
    for (let i = 0; i < items; i++) {
      queues[dests[i]].push(i, drain);
      if (i % 64 === 0) drain();
    }
    meet();
    while (!own.isEmpty) drain();
    samples.push(((monotonic() - start) * 1e6) / items);
  }
  report();
}

if (job.kind === "queues") overQueues();
else overMessages();
