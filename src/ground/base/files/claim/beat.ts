/**
 * The sign of life of a claim without a lock of the kernel: a thread changes the time of a file each second, also while
 * the thread that has the claim computes or waits. Who watches the file compares its times with each other only, never
 * with a clock: the times are counted, so that no step of a clock repeats one, two seconds apart, as some file systems
 * have no finer times.
 */
import { startThread } from "../../thread/spawn.ts";

const BEAT_MS = 1000;

const code = `
const { utimesSync } = require("node:fs");
const { workerData } = require("node:worker_threads");
let time = 1e9;
const beating = setInterval(() => {
  try {
    time += 2;
    utimesSync(workerData.file, time, time);
  } catch (error) {
    if (error.code === "ENOENT") clearInterval(beating);
  }
}, workerData.ms);`;

/** Starts the thread, which ends with the file or this one. @returns its end @throws EnvironmentError without room */
export function beat(file: string): () => void {
  const worker = startThread(code, {
    eval: true,
    execArgv: [],
    workerData: { file, ms: BEAT_MS },
    name: "tundish-claim",
  });
  // without it others take the claim for given up, which its owner sees before it writes
  worker.on("error", () => {});
  worker.unref();
  return () => void worker.terminate();
}
