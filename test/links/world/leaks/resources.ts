/** What this process holds of the system, on Linux: what a world must give back. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

export interface Resources {
  /** Lines of /proc/self/maps: vm.max_map_count limits them. */
  readonly mappings: number;
  readonly threads: number;
  readonly descriptors: number;
  /** Files of /dev/shm that are ours by their names. */
  readonly shared: number;
  /** Files of the temporary folder, which must be of this process alone. */
  readonly temporary: number;
  /** Resident memory, MB. */
  readonly resident: number;
  /** Objects of the main thread, MB. */
  readonly objects: number;
}

/** PEs of each world. */
export const PES = 3;

const SETTLE_MS = 100;
const SETTLES = 300;

const inFolder = (path: string): number => readdirSync(path).length;

/**
 * Open descriptors but those of modules: Node 20 leaves the one that a thread reads while it is terminated (27 of 342 bare threads), Node 24
 * none. What reads this folder is gone by the time it is looked at.
 */
function descriptors(): number {
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return !/\.[cm]?[jt]s$/.test(readlinkSync(`/proc/self/fd/${name}`));
    } catch {
      return false;
    }
  }).length;
}

function sharedFiles(): number {
  const ours = new RegExp(`tundish|\\b${process.pid}\\b`);
  return readdirSync("/dev/shm").filter((name) => ours.test(name)).length;
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

const countNow = (): Resources => ({
  mappings: readFileSync("/proc/self/maps", "utf8").trimEnd().split("\n").length,
  threads: inFolder("/proc/self/task"),
  descriptors: descriptors(),
  shared: sharedFiles(),
  temporary: inFolder(tmpdir()),
  resident: megabytes(process.memoryUsage.rss()),
  objects: megabytes(process.memoryUsage().heapUsed),
});

/**
 * Counts after garbage collections, once no more than `threads` are left: threads end some time after their exit is
 * told.
 */
export async function count(threads: number = Number.POSITIVE_INFINITY): Promise<Resources> {
  if (globalThis.gc === undefined) throw new Error("Start node with --expose-gc.");
  for (let i = 0; i < 3; i++) {
    globalThis.gc();
    await delay(SETTLE_MS);
  }
  for (let i = 0; i < SETTLES && inFolder("/proc/self/task") > threads; i++) await delay(SETTLE_MS);
  return countNow();
}
