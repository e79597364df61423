/**
 * Worlds in threads that are kept: launch() starts a thread for each PE, which is most of what a world in a test costs; here
 * the threads of one world are the next one's too.
 */
import type { Worker } from "node:worker_threads";
import { sibling } from "../../src/ground/base/package-file.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";
import { createWorld, type WorldHost, type WorldOptions } from "../../src/index.ts";
import { endOf } from "./end-of.ts";
import type { Answer, Job } from "./thread-pool.worker.ts";

/** V8 counts it in each thread that gets it: with 64 MiB each new world made every thread collect its garbage. */
const heapBytesFor = (pes: number): number => 2 ** 22 + pes * 2 ** 21;

/** As for launch(), without limits of the run. */
export interface PoolOptions extends WorldOptions {
  readonly pes: number;
  readonly args?: unknown;
  /** A PE that need not end by itself: when all others have, its thread is terminated. */
  readonly stray?: number;
}

const idle: Worker[] = [];
/** Those that are terminated, though they may have answered just before. */
const stopped = new WeakSet<Worker>();

function take(): Worker {
  const worker = idle.pop() ?? start();
  worker.ref();
  return worker;
}

function start(): Worker {
  const entry = sibling("./thread-pool.worker.js", import.meta.url);
  return spawnThread({ entry, workerData: null, name: "of the pool" });
}

/** An idle thread keeps no process alive; one that is terminated does, until it is. */
function giveBack(worker: Worker): void {
  if (stopped.has(worker)) return;
  worker.unref();
  idle.push(worker);
}

/** What a PE answers; null when its world has failed, or its thread is gone. */
function play(host: WorldHost, rank: number, worker: Worker, job: Omit<Job, "ticket">): Promise<Answer> {
  return new Promise((resolve) => {
    const onLost = (cause?: unknown): void => {
      host.lost(rank, cause);
      resolve(null);
    };
    const onExit = () => onLost();
    worker.once("error", onLost);
    worker.once("exit", onExit);
    worker.once("message", (answer: Answer) => {
      worker.off("error", onLost);
      worker.off("exit", onExit);
      giveBack(worker);
      resolve(answer);
    });
    worker.postMessage({ ...job, ticket: host.ticket(rank) } satisfies Job);
  });
}

/** Terminates the thread of a PE that has not answered. */
async function stop(worker: Worker, answer: Promise<Answer>): Promise<void> {
  const late = Symbol("late");
  if ((await Promise.race([answer, Promise.resolve(late)])) !== late) return;
  stopped.add(worker);
  await worker.terminate();
}

/**
 * As launch(): what each PE's main has returned, in rank order.
 * @throws what has ended the world
 */
export async function launchPooled<Result = unknown>(
  module: URL,
  { pes, args, stray, ...options }: PoolOptions,
): Promise<Result[]> {
  using host = await createWorld({ heapBytes: heapBytesFor(pes), ...options, pes });
  const { termination } = endOf(host.ticket(0));
  const workers = Array.from({ length: pes }, take);
  const answers = workers.map((worker, rank) => play(host, rank, worker, { module: module.href, args }));
  await Promise.all(answers.filter((_, rank) => rank !== stray));
  if (stray !== undefined) await stop(workers[stray] as Worker, answers[stray] as Promise<Answer>);
  const all = await Promise.all(answers);
  if (termination.decided) throw termination.error();
  return all.map((answer) => answer?.value as Result);
}
