/** The threads of a measurement, one pinned to each CPU. All except the measured pair sleep in their event loops. */
import type { Worker } from "node:worker_threads";
import { TundishError } from "../../src/ground/base/errors.ts";
import { sibling } from "../../src/ground/base/package-file.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";
import type { Heap } from "../../src/ground/memory/heap.ts";
import { newHeap } from "../../src/ground/memory/new-heap.ts";
import { waitAreaBytes } from "../../src/ground/wait/layout.ts";
import { Wakers } from "../../src/ground/wait/wakers.ts";
import { type Answer, AREA_BYTES, type Job } from "./jobs.ts";
import type { MemberSeat } from "./member.ts";
import { type WalkJob, walkBytes } from "./walk.ts";

/** A wait inside a measurement that takes this long means that its peer was lost, ms. */
const WAIT_LIMIT_MS = 10_000;

/** The measuring threads of this process. */
export class PairWorkers implements AsyncDisposable {
  readonly #heap: Heap;
  readonly #area: number;
  readonly #workers: readonly Worker[];
  #failed: Error | undefined;

  private constructor(heap: Heap, area: number, workers: readonly Worker[]) {
    this.#heap = heap;
    this.#area = area;
    this.#workers = workers;
    for (const worker of workers) {
      worker.on("error", (error) => {
        this.#failed ??= error;
      });
    }
  }

  /** Starts a thread on each CPU; resolves when all are ready. */
  static async start(cpus: readonly number[]): Promise<PairWorkers> {
    const heap = newHeap(64 * 1024 * 1024);
    const waitOffset = heap.allocate(waitAreaBytes(cpus.length));
    new Wakers(heap.i32, waitOffset, cpus.length).leaveFencesToSleepers();
    const area = heap.allocate(Math.max(AREA_BYTES, walkBytes(cpus.length)));
    const workers = cpus.map((cpu, rank) => {
      const seat: MemberSeat = {
        memory: heap.memory,
        waitOffset,
        pes: cpus.length,
        rank,
        cpu,
        timeout: WAIT_LIMIT_MS,
      };
      return spawnThread({
        entry: sibling("./member.js", import.meta.url),
        workerData: seat,
        name: `tundish measure ${cpu}`,
      });
    });
    const pairWorkers = new PairWorkers(heap, area, workers);
    await Promise.all(workers.map((worker) => pairWorkers.#answer(worker)));
    return pairWorkers;
  }

  /** Runs a job on two threads; returns the answers of the leader and of the follower. */
  async pair(
    lead: number,
    follow: number,
    job: Pick<Job, "kind" | "channel" | "count" | "futex">,
  ): Promise<[leader: Answer, follower: Answer]> {
    // a fresh area each time: channels begin with message 0 in zeroed memory
    this.#heap.u8.fill(0, this.#area, this.#area + AREA_BYTES);
    const answers = [lead, follow].map((rank) => this.#answer(this.#workers[rank]));
    const common = { ...job, area: this.#area };
    this.#workers[follow].postMessage({ ...common, lead: false, peer: lead } satisfies Job);
    this.#workers[lead].postMessage({ ...common, lead: true, peer: follow } satisfies Job);
    return (await Promise.all(answers)) as [Answer, Answer];
  }

  /** Sends a message round a walk, of at most four places or as many as there are PEs; ns of a round. */
  async walk(walk: readonly number[], job: Pick<WalkJob, "channel" | "count">): Promise<number> {
    this.#heap.u8.fill(0, this.#area, this.#area + walkBytes(walk.length));
    const ranks = [...new Set(walk)];
    const answers = ranks.map((rank) => this.#answer(this.#workers[rank]));
    for (const rank of ranks) {
      this.#workers[rank].postMessage({ kind: "walk", walk, rank, area: this.#area, ...job } satisfies WalkJob);
    }
    const [first] = (await Promise.all(answers)) as number[];
    return first;
  }

  #answer(worker: Worker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        worker.off("message", onMessage);
        worker.off("exit", onExit);
        end();
      };
      const onMessage = (message: unknown) => settle(() => resolve(message));
      const onExit = () =>
        settle(() =>
          reject(
            new TundishError("ERR_TUNDISH_ENVIRONMENT", "A measuring thread has died", {
              cause: this.#failed,
            }),
          ),
        );
      worker.on("message", onMessage);
      worker.on("exit", onExit);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
