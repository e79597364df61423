/**
 * Compares whole programs with the same computation by one thread in plain JavaScript, and by a pool of piscina where
 * tasks suit it: the first run of a fresh process, and later ones. A result that differs is a failure. In turns, in one
 * run, on the same CPUs (see turns.ts).
 */

import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import { TOGETHER } from "../../../../microbench/launch/starts.ts";
import type { Measured } from "../../../../microbench/pairs/profiled.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender, Entry } from "../../../../microbench/turns/turns.ts";
import { requireFrom, sibling } from "../../../../src/ground/base/package-file.ts";
import { runFresh } from "../conveyors/fresh.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import { checkTargets, type Target, type TargetResult } from "../turns/targets.ts";
import type { ProgramAnswer } from "./bench-programs.program.ts";
import { FULL, PROGRAMS, type ProgramJob, type ProgramName, QUICK, sizesOf, titleOf } from "./jobs.ts";
import type { PoolAnswer, PoolOrder } from "./pool-node.ts";
import { POOLED } from "./pooled.ts";

/** One thread, which uses nothing of the library. */
export const ALONE = "one thread";
/** As TOGETHER, but by conveyors where PEs of one node have something better. */
export const BY_CONVEYOR: string = `${TOGETHER}, by conveyors`;
/** A pool with a thread for each CPU. */
export const POOL = "npm piscina";
const TURNS = 5;

/** How many times as fast, at two PEs. */
const BOUNDS: Readonly<Record<ProgramName, number>> = {
  PageRank: 1.2,
  "word count": 1.3,
  "breadth-first search": 1,
  "k-means": 1.8,
  "sample sort": 1.5,
};

export const FIRST = "first run";
export const LATER = "later runs";

/** The operations of a program: its first run, and later ones. */
export const whatsOf = (name: ProgramName, size: number): string[] =>
  [FIRST, LATER].map((when) => `${titleOf(name, size)}, ${when}`);

/** Set for two PEs. */
export const PROGRAM_TARGETS: readonly Target[] = sizesOf(FULL).flatMap(([name, size]) =>
  whatsOf(name, size).map((what): Target => {
    const rivals = { names: [ALONE], whats: [what] };
    return { who: TOGETHER, what, kind: "faster", bound: BOUNDS[name], rivals };
  }),
);

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails, as it does for a wrong result */
export async function benchPrograms(options: BenchOptions = {}): Promise<PartBench> {
  const volume = options.quick ? QUICK : FULL;
  const { warmMs, runs } = volume;
  await using processes = await freshProcesses();
  const turns = options.turns ?? (options.quick ? 1 : TURNS);
  const bench = await measurePart({ ...options, turns }, PROGRAM_TARGETS, (part) => {
    const all = part.cpus.length;
    return [
      fresh(part, processes, TOGETHER, { kind: "launch" }, all),
      ...sizesOf(volume).flatMap(([name, size]) => [
        fresh(part, processes, ALONE, { kind: "alone", name, size, warmMs, runs }, 1),
        ...(name in POOLED ? [pool(part, processes, { name, size, warmMs, runs })] : []),
        fresh(part, processes, TOGETHER, { kind: "together", name, size, warmMs, runs }, all),
        ...(PROGRAMS[name].byConveyor === undefined
          ? []
          : [fresh(part, processes, BY_CONVEYOR, { kind: "byConveyor", name, size, warmMs, runs }, all)]),
      ]),
    ];
  });
  return { ...bench, targets: targetsOf(bench.measured) };
}

/** The figures of one thread: at whatever distance of the CPUs, as it uses one. */
export const aloneOf = (measured: readonly Measured[], what: string): Measured | undefined =>
  measured.find((one) => one.name === ALONE && one.what === what);

/** Each of ours in its mode, beside one thread. */
export function targetsOf(measured: readonly Measured[]): TargetResult[] {
  const ours = measured.filter(({ name }) => name === TOGETHER);
  const beside = ours.flatMap(({ what, mode }) => {
    const alone = aloneOf(measured, what);
    return alone === undefined ? [] : [{ ...alone, mode: mode ?? null }];
  });
  return checkTargets([...ours, ...beside], PROGRAM_TARGETS);
}

/** The figures of another way, the pool or conveyors, in a mode, or in the one in which it was measured. */
export function otherOf(
  way: string,
  measured: readonly Measured[],
  what: string,
  mode: Measured["mode"],
): Measured | undefined {
  const all = measured.filter((one) => one.name === way && one.what === what);
  return all.find((one) => one.mode === mode) ?? all[0];
}

/** A program by a pool, in a process of its own. */
function pool(part: OurPart, processes: FreshProcesses, job: Omit<PoolOrder, "library" | "cpus">): Contender {
  return {
    name: `${POOL}, ${job.name}`,
    run: async () => {
      const order: PoolOrder = { ...job, library: findPiscina(), cpus: part.cpus };
      const file = sibling("./pool-node.js", import.meta.url);
      const { first, later } = await processes.node<PoolAnswer>(part, file, order);
      return whatsOf(job.name, job.size).map(
        (what, i): Entry => ({ name: POOL, what, batch: 1, samples: i === 0 ? [first] : later }),
      );
    },
  };
}

/** The file of piscina, of the working folder or beside this package. @throws Error if it is not installed */
function findPiscina(): string {
  for (const from of [`${process.cwd()}/`, import.meta.url]) {
    try {
      return requireFrom(from).resolve("piscina");
    } catch {
      // the next place
    }
  }
  throw new Error("it is not installed: npm install piscina");
}

/** One job in a process of its own. */
function fresh(part: OurPart, processes: FreshProcesses, name: string, job: ProgramJob, pes: number): Contender {
  return {
    name: job.kind === "launch" ? `${name}, launch` : `${name}, ${job.name}`,
    required: true,
    run: async () => {
      const program = sibling("./bench-programs.program.js", import.meta.url);
      const { launched, ended, answers } = await runFresh<ProgramAnswer>(processes, part, program, pes, job);
      part.sawBound(answers.every(({ bound }) => bound));
      const entry = (what: string, samples: readonly number[]): Entry => ({ name, what, batch: 1, samples });
      if (job.kind === "launch") {
        const begun = Math.max(...answers.map(({ begun }) => begun));
        return [
          entry("launch, until all PEs have begun", [(begun - launched) * 1e6]),
          entry("launch, until its result", [(ended - launched) * 1e6]),
        ];
      }
      const [first, later] = whatsOf(job.name, job.size);
      const [{ first: firstNs, later: laterNs }] = answers;
      return [entry(first, [firstNs]), entry(later, laterNs)];
    },
  };
}
