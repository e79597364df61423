/** One thread of many that allocate and free in one heap. */
import { parentPort, workerData } from "node:worker_threads";
import { Heap } from "../../../src/ground/memory/heap.ts";
import type { WasmMemory } from "../../../src/ground/memory/kernels/webassembly.ts";

/** What a thread is told to do. */
export interface Job {
  readonly memory: WasmMemory;
  readonly id: number;
  readonly rounds: number;
}

const { memory, id, rounds } = workerData as Job;
const heap = Heap.attach(memory);
const mine: { at: number; bytes: number }[] = [];
let random = id * 7919 + 1;
/** The next number below `n` of a generator that needs no more than to be different in each thread. */
function below(n: number): number {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((random / 2 ** 32) * n);
}
const filledWith = (at: number, bytes: number, value: number): boolean =>
  heap.u8.subarray(at, at + bytes).every((byte) => byte === value);

let problem: string | null = null;
for (let round = 0; round < rounds && problem === null; round++) {
  if (mine.length > 0 && (mine.length >= 20 || below(2) === 0)) {
    const [{ at, bytes }] = mine.splice(below(mine.length), 1);
    if (!filledWith(at, bytes, id)) problem = `block ${at} of ${bytes} bytes was written by another thread`;
    heap.free(at);
  } else {
    const bytes = below(3000);
    const at = heap.allocate(bytes);
    if (!filledWith(at, bytes, 0)) problem = `block ${at} of ${bytes} bytes is not zero`;
    heap.u8.fill(id, at, at + bytes);
    mine.push({ at, bytes });
  }
}
for (const { at } of mine) heap.free(at);
parentPort?.postMessage(problem);
