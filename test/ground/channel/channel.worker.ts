/** One PE of the channel tests: sends or receives numbered messages and checks every one. */
import { parentPort, workerData } from "node:worker_threads";
import type { ChannelKind } from "../../../src/ground/base/channel-kinds.ts";
import { backends } from "../../../src/ground/channel/backends.ts";
import { BlockReceiver, BlockSender } from "../../../src/ground/channel/blocks.ts";
import type { EndOptions } from "../../../src/ground/channel/end.ts";
import { Heap } from "../../../src/ground/memory/heap.ts";
import type { WasmMemory } from "../../../src/ground/memory/kernels/webassembly.ts";
import { chooseStrategy } from "../../../src/ground/wait/strategy.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";

/** What a PE is told to do. */
export interface Job {
  readonly memory: unknown;
  readonly waitOffset: number;
  readonly pes: number;
  readonly rank: number;
  readonly peer: number;
  readonly offset: number;
  readonly slots: number;
  readonly firstSequence?: number;
  readonly backend: ChannelKind | "blocks";
  readonly role: "send" | "receive" | "die" | "exit";
  readonly messages: number;
  /** The receiver lingers every so many messages, so that the sender runs into the end of the ring. */
  readonly slowEvery?: number;
  readonly timeout?: number;
}

const BLOCK = 4096;
const job = workerData as Job;
const heap = Heap.attach(job.memory as WasmMemory);
const wakers = new Wakers(heap.i32, job.waitOffset, job.pes);
const termination = new Termination(heap.i32, heap.u8, job.waitOffset);
const waiter = new ParkingWaiter(job.rank, wakers, termination, chooseStrategy(job.pes <= 2));
if (job.timeout) waiter.timeout = job.timeout;
const { offset, slots, peer } = job;
const end: EndOptions = { heap, offset, slots, peer, waiter, wakers, firstSequence: job.firstSequence ?? 0 };

/** Word k of message i: known to both ends. */
const word = (i: number, k: number): number => i * 7 + k;

function send(): null {
  if (job.backend === "blocks") {
    const sender = new BlockSender({ ...end, blockBytes: BLOCK });
    for (let i = 0; i < job.messages; i++) {
      const bytes = (i * 8) % (BLOCK + 8);
      const at = sender.claim();
      for (let k = 0; k < bytes / 8; k++) heap.f64[at / 8 + k] = word(i, k);
      sender.publish(bytes);
    }
    return null;
  }
  const sender = backends[job.backend].sender(end);
  for (let i = 0; i < job.messages; i++) {
    const at = sender.claim();
    for (let k = 0; k < 7; k++) heap.f64[at / 8 + k] = word(i, k);
    sender.publish(i | 0);
  }
  return null;
}

function linger(i: number): void {
  if (job.slowEvery && i % job.slowEvery === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

function receive(): string | null {
  if (job.backend === "blocks") {
    const receiver = new BlockReceiver({ ...end, blockBytes: BLOCK });
    for (let i = 0; i < job.messages; i++) {
      const at = receiver.wait();
      const bytes = (i * 8) % (BLOCK + 8);
      if (receiver.length !== bytes) return `block ${i} has ${receiver.length} bytes, expected ${bytes}`;
      for (let k = 0; k < bytes / 8; k++) {
        if (heap.f64[at / 8 + k] !== word(i, k)) return `block ${i} word ${k}: ${heap.f64[at / 8 + k]}`;
      }
      receiver.release();
      linger(i);
    }
    return receiver.canReceive() ? "a block too many" : null;
  }
  const receiver = backends[job.backend].receiver(end);
  for (let i = 0; i < job.messages; i++) {
    const at = receiver.wait();
    if (receiver.tag !== (i | 0)) return `expected message ${i}, got ${receiver.tag}`;
    for (let k = 0; k < 7; k++) {
      if (heap.f64[at / 8 + k] !== word(i, k)) return `message ${i} word ${k}: ${heap.f64[at / 8 + k]}`;
    }
    receiver.release();
    linger(i);
  }
  return receiver.canReceive() ? "a message too many" : null;
}

try {
  if (job.role === "die") throw new Error("died on purpose");
  if (job.role === "exit") process.exit(3);
  const problem = job.role === "send" ? send() : receive();
  parentPort?.postMessage({ problem });
} catch (error) {
  if (job.role === "die") throw error;
  const { code, message, rank } = error as { code?: string; message: string; rank?: number };
  parentPort?.postMessage({ problem: message, code, rank });
}
