/**
 * A fresh process of `bench programs` with a pool of piscina: `node pool-node.js ORDER`, where ORDER is a file with a
 * PoolOrder as JSON. Prints a PoolAnswer as JSON. A result that is not that of one thread ends it with an error.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { requireFrom, sibling } from "../../../../src/ground/base/package-file.ts";
import { PROGRAMS, type ProgramName } from "./jobs.ts";
import type { MeetTask } from "./pool-tasks.ts";
import { POOLED, type RunTasks } from "./pooled.ts";
import { compareValues } from "./program.ts";

export interface PoolOrder {
  /** The file of piscina. */
  readonly library: string;
  /** One for each thread. */
  readonly cpus: readonly number[];
  readonly name: ProgramName;
  readonly size: number;
  /** Time between the first run and the later ones, ms, and number of these. */
  readonly warmMs: number;
  readonly runs: number;
}

export interface PoolAnswer {
  /** Whether all threads are bound to their CPUs. */
  readonly bound: boolean;
  /** ns of the first run, and of those after a while. */
  readonly first: number;
  readonly later: readonly number[];
}

const [, , file = ""] = process.argv;
const { library, cpus, name, size, warmMs, runs } = JSON.parse(readFileSync(file, "utf8")) as PoolOrder;
const { Piscina } = requireFrom(library)(library) as typeof import("piscina");
const threads = cpus.length;
const filename = fileURLToPath(sibling("./pool-tasks.js", import.meta.url));
const pool = new Piscina({ filename, minThreads: threads, maxThreads: threads });
const tasks: RunTasks = (name, some) => Promise.all(some.map((task) => pool.run(task, { name })));

const arrived = new Int32Array(new SharedArrayBuffer(4));
const met = await tasks<MeetTask, boolean>(
  "meet",
  cpus.map(() => ({ arrived, cpus })),
);
const pooled = POOLED[name];
if (pooled === undefined) throw new Error(`${name}: expected one of ${Object.keys(POOLED).join(", ")}`);
const one = pooled(size, threads, tasks);
const timed = async (): Promise<number> => {
  const start = performance.now();
  await one.run();
  return (performance.now() - start) * 1e6;
};
const first = await timed();
for (const begun = performance.now(); performance.now() - begun < warmMs; ) await one.run();
const later: number[] = [];
for (let i = 0; i < runs; i++) later.push(await timed());

const whole = PROGRAMS[name].alone(size);
whole.run();
const { values } = whole.result();
if (one.result().values.length !== values.length) throw new Error(`${name}: not all values`);
compareValues(name, one.result(), values, PROGRAMS[name].tolerance ?? 0);
await pool.destroy();
const answer: PoolAnswer = { bound: met.every(Boolean), first, later };
console.log(JSON.stringify(answer));
