/** One of two threads that send each other messages by postMessage, each by itself, in turns of the event loop. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { pinThread } from "../../../../src/machine/topology/affinity.ts";
import type { Load, Samples } from "./job.ts";

/** The arguments of a thread. */
export interface PostChannelJob {
  readonly cpu: number;
  readonly rank: 0 | 1;
  readonly loads: readonly Load[];
  readonly batches: number;
  readonly port: MessagePort;
}

const { cpu, rank, loads, batches, port } = workerData as PostChannelJob;
pinThread(cpu);

/** Messages that have come, and who waits for one. */
const come: Uint8Array[] = [];
let waiting: (() => void) | null = null;
port.on("message", (message: Uint8Array) => {
  come.push(message);
  waiting?.();
  waiting = null;
});

async function receive(): Promise<Uint8Array> {
  if (come.length === 0) await new Promise<void>((resolve) => (waiting = resolve));
  return come.shift() as Uint8Array;
}

/** Sent ahead, at most. */
const AHEAD = 64;

async function play(data: Uint8Array, messages: number, isBoth: boolean): Promise<number> {
  // both are there
  port.postMessage(data);
  await receive();
  const began = performance.now();
  for (let i = 0; i < messages; i++) {
    if (rank === 0) {
      data[0] = i;
      port.postMessage(data);
      // one way: as many ahead as a channel holds
      const [got, wanted] = isBoth ? [await receive(), i & 255] : [null, 0];
      if (got !== null && got[0] !== wanted) throw new Error(`message ${i} is not the one that was sent`);
      if (!isBoth && i % AHEAD === AHEAD - 1) await receive();
    } else {
      const got = await receive();
      if (got[0] !== (i & 255)) throw new Error(`message ${i} is not the one that was sent`);
      if (isBoth || i % AHEAD === AHEAD - 1) port.postMessage(got);
    }
  }
  // the last one has come
  if (!isBoth) {
    if (rank === 0) await receive();
    else port.postMessage(data);
  }
  return ((performance.now() - began) * 1e6) / messages;
}

const all: Samples[] = [];
for (const { bytes, messages } of loads) {
  const data = new Uint8Array(bytes);
  for (const what of ["one way", "round trip"] as const) {
    const samples: number[] = [];
    for (let batch = -1; batch < batches; batch++) {
      const ns = await play(data, messages, what === "round trip");
      if (batch >= 0) samples.push(ns);
    }
    all.push({ name: "postMessage", what: `${what}, ${bytes} B`, batch: messages, samples });
  }
}
port.close();
parentPort?.postMessage(all);
