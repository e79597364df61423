/** Runs these programs and returns the ns per operation of their batches. */
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { MessageChannel, type Worker } from "node:worker_threads";
import { sibling } from "../../src/ground/base/package-file.ts";
import { spawnThread } from "../../src/ground/base/thread/spawn.ts";
import type { RivalJob } from "./rival.ts";
import { answersOf } from "./threads.ts";

/** Operations per batch, and number of batches. */
export interface Volume {
  readonly batch: number;
  readonly batches: number;
}

const DEADLINE_MS = 20_000;

/** Round trips of a number, or of an array of so many bytes, between two workers by postMessage. */
export async function postMessageRoundTrip(cpus: readonly number[], volume: Volume, bytes = 8): Promise<number[]> {
  const { port1, port2 } = new MessageChannel();
  const job = { kind: "postMessage" as const, pes: 2, bytes, ...volume };
  const threads = [
    start({ ...job, rank: 0, cpu: cpus[0], port: port1 }),
    start({ ...job, rank: 1, cpu: cpus[1 % cpus.length], port: port2 }),
  ];
  return samplesOf(threads);
}

/** A barrier of all CPUs on one shared counter, spinning or sleeping by Atomics.wait. */
export async function flatBarrier(
  kind: "spinning" | "sleeping",
  cpus: readonly number[],
  volume: Volume,
): Promise<number[]> {
  const words = new Int32Array(new SharedArrayBuffer(256));
  const pes = cpus.length;
  return samplesOf(cpus.map((cpu, rank) => start({ kind, rank, pes, cpu, words, ...volume })));
}

/** `--import` this: `navigator.hardwareConcurrency` and `Promise.withResolvers` for Node 20. */
const SHIM: string = `data:text/javascript,${encodeURIComponent(
  "globalThis.navigator ??= { hardwareConcurrency: 4 };" +
    "Promise.withResolvers ??= function () { let resolve, reject;" +
    " const promise = new Promise((a, b) => { resolve = a; reject = b; });" +
    " return { promise, resolve, reject }; };",
)}`;

/** The barrier of npm multithreading. @throws if it is not installed or does not run here */
export async function multithreadingBarrier(cpus: readonly number[], volume: Volume): Promise<number[]> {
  createRequire(import.meta.url).resolve("multithreading");
  const file = fileURLToPath(sibling("./multithreading.js", import.meta.url));
  const args = ["--import", SHIM, file, cpus.join(","), String(volume.batch), String(volume.batches)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: DEADLINE_MS });
  return JSON.parse(stdout) as number[];
}

function start(job: RivalJob): Worker {
  const { port } = job;
  return spawnThread({
    entry: sibling("./rival.js", import.meta.url),
    workerData: job,
    name: `rival ${job.kind} ${job.rank}`,
    ...(port ? { transferList: [port] } : {}),
  });
}

/** Returns the batches of the first thread; all threads are ended. */
async function samplesOf(threads: readonly Worker[]): Promise<number[]> {
  const [samples] = await answersOf<number[]>(threads, threads.slice(0, 1));
  return samples;
}
