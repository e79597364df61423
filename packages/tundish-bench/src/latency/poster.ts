/**
 * One thread that sends at a rate by postMessage, and takes the latency of what comes: each item by itself, or up to
 * 1000 in one message, with no item kept for longer than a conveyor's `maxDelay`. As a typical user would: in turns of
 * the event loop.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { pinThread } from "../../../../src/machine/topology/affinity.ts";
import { LatencyHistogram } from "./histogram.ts";
import {
  BACKLOG,
  DOUBLES,
  HEAD_START,
  type LatencyPart,
  limitOf,
  MAX_DELAY,
  type Pace,
  sampleMask,
  sharedClock,
  totalOf,
} from "./job.ts";

/** The arguments of a thread. */
export interface PostJob {
  readonly kind: "items" | "bundles";
  readonly cpu: number;
  readonly rank: number;
  readonly pes: number;
  readonly paces: readonly Pace[];
  /** To the next thread, and from the one before. */
  readonly out: MessagePort;
  readonly in: MessagePort;
  /** Shared: threads that wait, the time at which the first item is due, and by rank what it has received. */
  readonly meeting: Int32Array;
  readonly start: Float64Array;
  readonly received: Int32Array;
}

const BUNDLE = 1000;
/** Items between two turns of the event loop. */
const MOST = 1000;

const job = workerData as PostJob;
const { kind, rank, pes, paces, meeting, received } = job;
pinThread(job.cpu);
const now = sharedClock();
const turn = () => new Promise((resolve) => setImmediate(resolve));

let rounds = 0;
/** Waits for the others, with its event loop running. */
async function meet(): Promise<void> {
  rounds += pes;
  Atomics.add(meeting, 0, 1);
  while (Atomics.load(meeting, 0) < rounds) await turn();
}

let seen = new LatencyHistogram();
let mask = 0;
let count = 0;
let last = 0;
let ended = false;
job.in.on("message", (message: Float64Array | null) => {
  if (message === null) {
    ended = true;
    return;
  }
  last = now();
  for (let i = 0; i < message.length; i += DOUBLES) if ((count++ & mask) === 0) seen.add((last - message[i]) * 1e6);
  // pairs with the load of its sender, in play
  Atomics.store(received, rank, count);
});

async function play(pace: Pace): Promise<LatencyPart> {
  const { rate } = pace;
  let total = totalOf(pace);
  seen = new LatencyHistogram();
  mask = sampleMask(pace);
  count = 0;
  ended = false;
  Atomics.store(received, rank, 0);
  await meet();
  if (rank === 0) job.start[0] = now() + HEAD_START;
  await meet();
  const [start] = job.start;
  const end = start + limitOf(pace);
  last = start;
  const next = (rank + 1) % pes;
  const bundle = new Float64Array(kind === "items" ? DOUBLES : BUNDLE * DOUBLES);
  let length = 0;
  let sent = 0;
  let messages = 0;
  let since = 0;
  const post = () => {
    // a copy of the part only: a view would transfer all of its memory
    job.out.postMessage(length === bundle.length ? bundle : bundle.slice(0, length));
    length = 0;
    messages++;
  };
  while (sent < total) {
    const time = now();
    if (time > end) total = sent;
    const due = Math.min(total, sent + MOST, Math.floor(((time - start) * rate) / 1000));
    const room = Atomics.load(received, next) + BACKLOG;
    for (; sent < due && sent < room; sent++) {
      if (length === 0) since = time;
      bundle[length] = start + ((sent + 1) * 1000) / rate;
      for (let j = 1; j < DOUBLES; j++) bundle[length + j] = j;
      length += DOUBLES;
      if (length === bundle.length) post();
    }
    if (length > 0 && (sent === total || time - since >= MAX_DELAY)) post();
    await turn();
  }
  if (length > 0) post();
  job.out.postMessage(null);
  while (!ended) await turn();
  const part = { sent, received: count, took: last - start, messages, counts: seen.counts, most: seen.most };
  await meet();
  return part;
}

const parts: LatencyPart[] = [];
for (const pace of [{ rate: 1e5, ms: 50 }, ...paces]) parts.push(await play(pace));
job.out.close();
parentPort?.postMessage(parts.slice(1));
