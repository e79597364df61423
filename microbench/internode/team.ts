/** The measuring threads of one process of an MPI job, one a PE. They sleep in their event loops but for their tasks. */
import type { Worker } from "node:worker_threads";
import { EnvironmentError } from "../../src/errors.ts";
import { sibling } from "../../src/sibling.ts";
import { spawnThread } from "../../src/thread/spawn.ts";
import type { InternodeSeat } from "./internode.thread.ts";
import type { Outcome } from "./slices.ts";
import type { Task } from "./tasks.ts";

/** Threads that have joined MPI. */
export class Team implements AsyncDisposable {
  readonly #workers: readonly Worker[];

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
  }

  /** Starts a thread for each seat; resolves when all have joined. @throws what a thread throws */
  static async start(seats: readonly InternodeSeat[]): Promise<Team> {
    const workers = seats.map((seat, pe) =>
      spawnThread({
        entry: sibling("./internode.thread.js", import.meta.url),
        workerData: seat,
        name: `tundish internode ${pe}`,
      }),
    );
    await Promise.all(workers.map((worker) => answerOf(worker)));
    return new Team(workers);
  }

  /** Lets the first threads do a task each; what they have found. @throws what a thread throws */
  async run(tasks: readonly Task[]): Promise<Outcome[]> {
    const answers = tasks.map((_, pe) => answerOf(this.#workers[pe]));
    for (const [pe, task] of tasks.entries()) this.#workers[pe].postMessage(task);
    return (await Promise.all(answers)) as Outcome[];
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
