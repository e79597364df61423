/**
 * Uneven work from a main thread, in a fresh process: `node outside-node.js ORDER`, where ORDER is a file with an
 * OutsideOrder as JSON. By a loop of an open world, by piscina or by multithreading with a task for each chunk, or by
 * the main thread alone. Prints an OutsideAnswer as JSON. A sum that is not that of one thread ends it with an error.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { namedCode } from "../../../../src/ground/base/call-site/named-code.ts";
import { requireFrom, sibling } from "../../../../src/ground/base/package-file.ts";
import { open } from "../../../../src/index.ts";
import { forEach, forRange, functionsOf } from "../../../../src/loop.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { pinThread } from "../../../../src/machine/topology/affinity.ts";
import { type Meeting, range, type WorkJob, type WorkPart, workOf } from "./outside-works.ts";

/** By what it is run. */
export type OutsideWay = "alone" | "tundish" | "piscina" | "multithreading";

export interface OutsideOrder extends WorkJob {
  readonly way: OutsideWay;
  /** The file of the library, for others than ours. */
  readonly library: string;
  /** One for each thread, and their model. */
  readonly cpus: readonly number[];
  readonly machine: MachineModel;
  /** Time between the first call and the later ones, ms, and number of these. */
  readonly warmMs: number;
  readonly runs: number;
}

export interface OutsideAnswer {
  /** Whether all threads are bound to their CPUs; those of a world are by the library. */
  readonly bound: boolean;
  /** Iterations of a task; 0 where the library decides. */
  readonly chunk: number;
  /** ns of the first call, and of later ones. */
  readonly first: number;
  readonly later: readonly number[];
}

/** Threads that are there, and have made the work. */
interface Threads {
  readonly bound: boolean;
  /** Whether it wants chunks. */
  readonly isPool: boolean;
  /** @returns the sum of all */
  run(chunk: number): Promise<number>;
  end(): Promise<unknown>;
}

const works = sibling("./outside-works.js", import.meta.url);
/** Tasks for each thread in the first call, and in the sweep, whose quickest is taken for the later ones. */
const FIRST_TASKS = 16;
const TASKS: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
const SWEEP_RUNS = 3;

function partsOf(job: WorkJob, count: number, chunk: number): WorkPart[] {
  const { name, quick } = job;
  const parts = Math.ceil(count / chunk);
  return Array.from({ length: parts }, (_, k) => {
    return { name, quick, begin: k * chunk, end: Math.min(count, (k + 1) * chunk) };
  });
}

const sumOf = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

async function alone({ cpus, name, quick }: OutsideOrder, count: number): Promise<Threads> {
  return {
    bound: pinThread(cpus[0] as number),
    isPool: false,
    run: async () => range(0, count, 1, { name, quick }),
    end: async () => {},
  };
}

async function world({ cpus, machine, ...order }: OutsideOrder, count: number): Promise<Threads> {
  const { name, quick } = order;
  const args: WorkJob = { name, quick };
  const functions = functionsOf<typeof import("./outside-works.ts")>(works);
  const own = await open({ pes: cpus.length, machine });
  await forEach(own, cpus.length, functions.ready, { schedule: "static", args });
  return {
    bound: true,
    isPool: false,
    run: () => forRange(own, count, functions.range, { reduce: "sum", args }),
    end: () => own.close(),
  };
}

async function piscina({ library, cpus, name, quick }: OutsideOrder, count: number): Promise<Threads> {
  const { Piscina } = requireFrom(library)(library) as typeof import("piscina");
  const filename = fileURLToPath(works);
  const pool = new Piscina({ filename, minThreads: cpus.length, maxThreads: cpus.length });
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const meeting: Meeting & WorkJob = { name, quick, arrived, cpus };
  const met = await Promise.all(cpus.map(() => pool.run(meeting, { name: "meet" }) as Promise<boolean>));
  const one = (part: WorkPart): Promise<number> => pool.run(part, { name: "task" });
  return {
    bound: met.every(Boolean),
    isPool: true,
    run: async (chunk) => sumOf(await Promise.all(partsOf({ name, quick }, count, chunk).map(one))),
    end: () => pool.destroy(),
  };
}

/** npm multithreading, as far as it is used here. */
interface Multithreading {
  spawn(moved: unknown, job: unknown): { join(): Promise<{ ok: boolean; value: unknown }> };
  move(...args: unknown[]): unknown;
  initRuntime(config: { maxWorkers: number }): void;
  shutdown(): void;
}

/** It makes text of functions, which have nothing but their arguments: no helper that a compiler adds either. */
const asText = (text: string): unknown => new Function(namedCode(text, "tundish://bench/outside"))() as unknown;

async function multithreading({ cpus, name, quick }: OutsideOrder, count: number): Promise<Threads> {
  const library: string = "multithreading"; // a variable: it is not a dependency of this package
  const { spawn, move, initRuntime, shutdown } = (await import(library)) as Multithreading;
  initRuntime({ maxWorkers: cpus.length });
  const arrived = new Int32Array(new SharedArrayBuffer(4));
  const call = async (from: string, argument: object): Promise<unknown> => {
    const { ok, value } = await spawn(move(works.href, argument), functions[from]).join();
    if (!ok) throw new Error(`multithreading: ${String(value)}`);
    return value;
  };
  const functions: Readonly<Record<string, unknown>> = {
    meet: asText("return async (works, meeting) => (await import(works)).meet(meeting)"),
    task: asText("return async (works, part) => (await import(works)).task(part)"),
  };
  const met = await Promise.all(cpus.map(() => call("meet", { name, quick, arrived, cpus })));
  return {
    bound: met.every(Boolean),
    isPool: true,
    run: async (chunk) => {
      const parts = partsOf({ name, quick }, count, chunk).map((part) => call("task", part));
      return sumOf((await Promise.all(parts)) as number[]);
    },
    end: async () => shutdown(),
  };
}

const START = { alone, tundish: world, piscina, multithreading } as const;

const [, , file = ""] = process.argv;
const order = JSON.parse(readFileSync(file, "utf8")) as OutsideOrder;
const { way, name, quick, cpus, warmMs, runs } = order;
const { count } = workOf({ name, quick });
const sums = new Set<number>();
const threads = await START[way](order, count);

const chunkOf = (tasks: number): number => Math.max(1, Math.ceil(count / (tasks * cpus.length)));
const timed = async (chunk: number): Promise<number> => {
  const start = performance.now();
  const sum = await threads.run(chunk);
  const ns = (performance.now() - start) * 1e6;
  sums.add(sum);
  return ns;
};
const least = async (chunk: number): Promise<number> => {
  const all: number[] = [];
  for (let i = 0; i < SWEEP_RUNS; i++) all.push(await timed(chunk));
  return Math.min(...all);
};

let chunk = chunkOf(FIRST_TASKS);
const first = await timed(chunk);
for (const begun = performance.now(); performance.now() - begun < warmMs; ) await timed(chunk);
if (threads.isPool) {
  let best = Number.POSITIVE_INFINITY;
  for (const size of new Set(TASKS.map(chunkOf))) {
    const ns = await least(size);
    if (ns < best) [best, chunk] = [ns, size];
  }
}
const later: number[] = [];
for (let i = 0; i < runs; i++) later.push(await timed(chunk));
await threads.end();
// at the end, so that the first call of one thread alone finds nothing compiled
const expected = range(0, count, 1, { name, quick });
for (const sum of sums) if (sum !== expected) throw new Error(`${name}, ${way}: expected ${expected}, got ${sum}`);
const answer: OutsideAnswer = { bound: threads.bound, chunk: threads.isPool ? chunk : 0, first, later };
console.log(JSON.stringify(answer));
