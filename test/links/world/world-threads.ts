/** Threads of one's own, and what they say. */
import type { Worker } from "node:worker_threads";
import { sibling } from "../../../src/ground/base/package-file.ts";
import { spawnThread } from "../../../src/ground/base/thread/spawn.ts";
import type { WorldHost } from "../../../src/index.ts";
import type { Answer, Job } from "./host.worker.ts";

/** Threads that take jobs; all are ended when it is disposed of. */
export class WorldThreads implements AsyncDisposable {
  readonly workers: readonly Worker[];

  constructor(count: number) {
    this.workers = Array.from({ length: count }, (_, i) => {
      const entry = sibling("./host.worker.js", import.meta.url);
      const worker = spawnThread({ entry, workerData: null, name: `thread ${i}` });
      // some are meant to
      worker.on("error", () => {});
      return worker;
    });
  }

  /** Gives a thread a job; its answer, or that it has ended. */
  give(i: number, job: Job): Promise<Answer & { exit?: number }> {
    const worker = this.workers[i];
    return new Promise((resolve) => {
      const onExit = (exit: number) => resolve({ exit });
      worker.once("exit", onExit);
      worker.once("message", (answer: Answer) => {
        worker.off("exit", onExit);
        resolve(answer);
      });
      worker.postMessage(job);
    });
  }

  /** The same part for the PEs from `first` on, a thread each. */
  play(
    host: WorldHost,
    part: Job["part"],
    first = 0,
    more: Partial<Job> = {},
  ): Promise<(Answer & { exit?: number })[]> {
    const count = Math.min(this.workers.length, host.size - first);
    return Promise.all(
      Array.from({ length: count }, (_, i) => this.give(i, { ticket: host.ticket(first + i), part, ...more })),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }
}
