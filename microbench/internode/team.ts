/** The measuring threads of one process of an MPI job. They sleep in their event loops between tasks. */
import type { Worker } from "node:worker_threads";
import { EnvironmentError } from "../../src/ground/base/errors.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";

/** Threads that have joined MPI; each performs the task of a message, and answers by a message. */
export class Team<Task, Found> implements AsyncDisposable {
  readonly #workers: readonly Worker[];

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /**
   * Starts a thread for each seat; resolves when all have joined.
   * @param entry its module
   * @throws what a thread throws
   */
  static async start<Task, Found>(entry: URL, seats: readonly unknown[]): Promise<Team<Task, Found>> {
    const workers = seats.map((workerData, i) => spawnThread({ entry, workerData, name: `tundish internode ${i}` }));
    await Promise.all(workers.map((worker) => answerOf(worker)));
    return new Team<Task, Found>(workers);
  }

  /** Gives a task to each of the first threads; returns their results. @throws what a thread throws */
  async run(tasks: readonly Task[]): Promise<Found[]> {
    const answers = tasks.map((_, i) => answerOf(this.#workers[i]));
    for (const [i, task] of tasks.entries()) this.#workers[i].postMessage(task);
    return (await Promise.all(answers)) as Found[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

function answerOf(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      end();
    };
    const onMessage = (message: unknown) => settle(() => resolve(message));
    const onError = (error: unknown) => settle(() => reject(error));
    const onExit = () => settle(() => reject(new EnvironmentError("A measuring thread has died.")));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
  });
}
