/** A heap with nothing but a wait area and a few words of data, and threads that wait for each other in it. */
import type { Worker } from "node:worker_threads";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import type { Heap } from "../../../src/ground/memory/heap.ts";
import { newHeap } from "../../../src/ground/memory/new-heap.ts";
import { type Futex, futex } from "../../../src/ground/wait/futex.ts";
import { LOST, waitAreaBytes } from "../../../src/ground/wait/layout.ts";
import type { Strategy } from "../../../src/ground/wait/strategy.ts";
import { Termination } from "../../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../../src/ground/wait/waiter.ts";
import { Wakers } from "../../../src/ground/wait/wakers.ts";
import type { Answer, Job } from "./wait.worker.ts";

/** How threads sleep: the two that there are. */
export type Mode = "futex" | "atomics";
export const MODES: readonly Mode[] = ["futex", "atomics"];

/** Why a mode cannot be tested here, or null. */
export const lacking = (mode: Mode): string | null =>
  mode === "futex" && futex() === null ? "needs koffi on Linux (TUNDISH_NATIVE is not off)" : null;

/** The `sleeper` of Wakers for a mode. */
export const sleeperOf = (mode: Mode): Futex | null => (mode === "futex" ? futex() : null);

/** Shared words that PEs write for each other, 128 bytes apart. */
export const DATA_WORDS = 32;

export class Room {
  readonly heap: Heap = newHeap(1 << 20);
  readonly pes: number;
  readonly waitOffset: number;
  readonly dataOffset: number;
  readonly wakers: Wakers;
  readonly termination: Termination;

  constructor(pes: number, mode: Mode = "atomics") {
    this.pes = pes;
    this.waitOffset = this.heap.allocate(waitAreaBytes(pes));
    this.dataOffset = this.heap.allocate(pes * DATA_WORDS * 4);
    this.wakers = new Wakers(this.heap.i32, this.waitOffset, pes, sleeperOf(mode));
    this.termination = new Termination(this.heap.i32, this.heap.u8, this.waitOffset);
  }

  waiter(rank: number, strategy: Strategy): ParkingWaiter {
    return new ParkingWaiter(rank, this.wakers, this.termination, strategy);
  }

  /** Word index of the data of a PE. */
  word(pe: number): number {
    return this.dataOffset / 4 + pe * DATA_WORDS;
  }

  /** Whether a PE has announced that it sleeps. */
  asleep(pe: number): boolean {
    return Atomics.load(this.heap.i32, this.wakers.word(pe)) !== 0;
  }

  /** Resolves when the PE sleeps. */
  async untilAsleep(pe: number): Promise<void> {
    while (!this.asleep(pe)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Starts a thread; what it answers. A thread that fails ends the waits of the others. */
  start(job: Omit<Job, "memory" | "waitOffset" | "dataOffset" | "pes">): Promise<Answer> {
    const { waitOffset, dataOffset, pes } = this;
    const worker: Worker = spawnThread({
      entry: sibling("./wait.worker.js", import.meta.url),
      workerData: { memory: this.heap.memory, waitOffset, dataOffset, pes, ...job },
      name: `PE ${job.rank}`,
    });
    return new Promise((resolve, reject) => {
      worker.on("message", resolve);
      worker.on("error", (cause) => {
        this.termination.decide(LOST, { rank: job.rank, message: `PE ${job.rank} failed`, cause });
        this.wakers.notifyAll();
        reject(cause);
      });
    });
  }
}
