/** A thread that adds ones to its own part of a shared memory, again and again; see kernels.test.ts. */
import { workerData } from "node:worker_threads";
import { loadKernels } from "../../../src/ground/memory/kernels/kernels.ts";
import type { WasmMemory } from "../../../src/ground/memory/kernels/webassembly.ts";

/** What the thread is told: addresses, the bytes of its part and how often to add. */
export interface Work {
  readonly memory: WasmMemory;
  readonly dst: number;
  readonly ones: number;
  readonly bytes: number;
  readonly rounds: number;
  /** Address of an i32: the threads begin when it has counted both of them. */
  readonly gate: number;
}

const { memory, dst, ones, bytes, rounds, gate } = workerData as Work;
const add = loadKernels(memory).reducer("sum", "u8");
const arrived = new Int32Array(memory.buffer, gate, 1);
Atomics.add(arrived, 0, 1);
while (Atomics.load(arrived, 0) < 2);
for (let round = 0; round < rounds; round++) add(dst, ones, bytes);
