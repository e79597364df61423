/** The entry point of a measuring thread: pins itself, then performs jobs, one at a time. */
import { parentPort, workerData } from "node:worker_threads";
import { Heap } from "../../src/ground/memory/heap.ts";
import type { WasmMemory } from "../../src/ground/memory/kernels/webassembly.ts";
import { futex } from "../../src/ground/wait/futex.ts";
import type { Strategy } from "../../src/ground/wait/strategy.ts";
import { Termination } from "../../src/ground/wait/termination.ts";
import { ParkingWaiter } from "../../src/ground/wait/waiter.ts";
import { Wakers } from "../../src/ground/wait/wakers.ts";
import { pinThread } from "../../src/machine/topology/affinity.ts";
import { type Job, runJob } from "./jobs.ts";
import { goRound, type WalkJob } from "./walk.ts";

/** The arguments of a measuring thread. */
export interface MemberSeat {
  readonly memory: unknown;
  readonly waitOffset: number;
  readonly pes: number;
  readonly rank: number;
  readonly cpu: number;
  /** Limit of one wait, ms. */
  readonly timeout: number;
}

const seat = workerData as MemberSeat;
const heap = Heap.attach(seat.memory as WasmMemory);
const termination = new Termination(heap.i32, heap.u8, seat.waitOffset);

/** Only the measured pair runs, each PE on its own core, so it spins; a wake-up job sleeps at once. */
const SPIN: Strategy = { looks: 1000, spins: 1_000_000, yields: 0, sliceMs: 50 };
const SLEEP: Strategy = { looks: 0, spins: 0, yields: 0, sliceMs: 50 };

pinThread(seat.cpu);
parentPort?.on("message", (job: Job | WalkJob) => {
  const byFutex = job.kind !== "wake" || job.futex !== false;
  const wakers = new Wakers(heap.i32, seat.waitOffset, seat.pes, byFutex ? futex() : null);
  const waiter = new ParkingWaiter(seat.rank, wakers, termination, job.kind === "wake" ? SLEEP : SPIN);
  waiter.timeout = seat.timeout;
  const bench = { heap, wakers, waiter };
  parentPort?.postMessage(job.kind === "walk" ? goRound(job, bench) : runJob(job, bench));
});
parentPort?.postMessage("ready");
