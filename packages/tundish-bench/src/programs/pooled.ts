/**
 * The programs by a pool of piscina: what the main thread does. Each run hands out a task for each thread, and joins
 * what they return.
 */
import type { ProgramName } from "./jobs.ts";
import { CENTRES, DIMENSIONS, ITERATIONS, move, pointsOf } from "./k-means.ts";
import type { ClusterTask, SortTask } from "./pool-tasks.ts";
import type { Part } from "./program.ts";
import { keysOf } from "./sample-sort.ts";
import { add, byVocabulary, type Counts, textOf } from "./word-count.ts";

/** Runs a task of pool-tasks.ts for each element at once. */
export type RunTasks = <Task, Result>(name: string, tasks: readonly Task[]) => Promise<readonly Result[]>;

/** A computation by a pool, whose input is there. */
export interface PooledRun {
  run(): Promise<void>;
  result(): Part;
}

/** Makes the input. @param threads of the pool */
type Pooled = (size: number, threads: number, tasks: RunTasks) => PooledRun;

/** A copy in shared memory. */
function shared(values: Float64Array): Float64Array {
  const copy = new Float64Array(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}

/** Contiguous parts of `unit` elements each, or several. */
const partsOf = (values: Float64Array, threads: number, unit = 1): Float64Array[] =>
  Array.from({ length: threads }, (_, i) => {
    const bound = (part: number) => unit * Math.floor((values.length / unit / threads) * part);
    return values.subarray(bound(i), i + 1 === threads ? values.length : bound(i + 1));
  });

const kMeans: Pooled = (size, threads, tasks) => {
  const points = shared(pointsOf(size));
  const parts = partsOf(points, threads, DIMENSIONS);
  const centres = new Float64Array(CENTRES * DIMENSIONS);
  return {
    async run() {
      centres.set(points.subarray(0, centres.length));
      for (let i = 0; i < ITERATIONS; i++) {
        const some = parts.map((points): ClusterTask => ({ points, centres }));
        const sums = new Float64Array(CENTRES * (DIMENSIONS + 1));
        for (const found of await tasks<ClusterTask, Float64Array>("cluster", some))
          for (let k = 0; k < sums.length; k++) sums[k] += found[k];
        move(centres, sums);
      }
    },
    result: () => ({ first: 0, values: centres }),
  };
};

const sampleSort: Pooled = (size, threads, tasks) => {
  const keys = partsOf(shared(keysOf(size)), threads);
  const room = partsOf(shared(new Float64Array(size)), threads);
  let merged = new Float64Array(0);
  return {
    async run() {
      await tasks<SortTask, void>(
        "sort",
        keys.map((keys, i) => ({ keys, sorted: room[i] })),
      );
      merged = merge(room);
    },
    result: () => ({ first: 0, values: merged }),
  };
};

/** One sorted array of several, in rounds: two become one. */
function merge(runs: readonly Float64Array[]): Float64Array<ArrayBuffer> {
  let rest = runs.map((run) => Float64Array.from(run));
  while (rest.length > 1) {
    const pairs = Array.from({ length: rest.length >> 1 }, (_, i) => mergeTwo(rest[2 * i], rest[2 * i + 1]));
    rest = rest.length % 2 === 1 ? [...pairs, rest[rest.length - 1]] : pairs;
  }
  return rest[0];
}

function mergeTwo(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  const all = new Float64Array(a.length + b.length);
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) all[i + j] = a[i] <= b[j] ? a[i++] : b[j++];
  all.set(i < a.length ? a.subarray(i) : b.subarray(j), i + j);
  return all;
}

const wordCount: Pooled = (size, threads, tasks) => {
  const parts = Array.from({ length: threads }, (_, i) => {
    const bound = (part: number) => Math.floor((size * part) / threads);
    const text = Buffer.from(textOf(bound(i), bound(i + 1)), "latin1");
    const bytes = new Uint8Array(new SharedArrayBuffer(text.length));
    bytes.set(text);
    return bytes;
  });
  let counts: Counts = new Map();
  return {
    async run() {
      counts = new Map();
      for (const found of await tasks<Uint8Array, Map<string, number>>("count", parts))
        for (const [word, times] of found) add(counts, word, times);
    },
    result: () => ({ first: 0, values: byVocabulary(counts) }),
  };
};

/** Those that a pool of independent tasks suits. */
export const POOLED: Partial<Readonly<Record<ProgramName, Pooled>>> = {
  "k-means": kMeans,
  "sample sort": sampleSort,
  "word count": wordCount,
};
