/**
 * Compares loops with those of OpenMP: what each schedule costs with iterations that all take the same, and what
 * synchronisation does, beside C programs of ours (c/loops.c, c/sync.c) with gcc's libgomp and LLVM's libomp; iterations
 * that take different times, under each schedule beside one thread; and adaptive quadrature by tasks (c/quadrature.c). Each in a process of its own, in turns, in one run, on the same CPUs (see turns.ts).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChild } from "../../../../microbench/launch/child.ts";
import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import type { Missing } from "../../../../microbench/pairs/profiled.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import { LIMIT_MS, type OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { runFresh } from "../conveyors/fresh.ts";
import { type Built, buildPlain } from "../peers/build.ts";
import { parseSamples } from "../peers/peers.ts";
import { cleanEnvironment } from "../peers/tools.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import type { LoopAnswer, LoopJob, LoopVolume } from "./job.ts";
import { UNEVEN_NAMES } from "./works.ts";

export interface LoopsBench extends PartBench {
  /** Of the compilers. */
  readonly versions: Readonly<Record<string, string>>;
}

export const OURS = "tundish";
/** The OpenMP runtimes, with the compilers that use them. */
export const RUNTIMES = { GOMP: "gcc", libomp: "clang" } as const;

/** Numbers of PEs, and of threads; more than there are CPUs share them. */
export const pesOf = (quick: boolean | undefined): readonly number[] => (quick ? [2] : [2, 4, 8]);
export const chunksOf = (quick: boolean | undefined): readonly number[] =>
  quick ? [1, 128] : [1, 2, 4, 8, 16, 32, 64, 128];

const VOLUME: LoopVolume = { batches: 9, batchMs: 4 };
const QUICK: LoopVolume = { batches: 2, batchMs: 0.2 };

/** A runtime, with its programs of loops, of synchronisation, and of quadrature. */
interface Peer {
  readonly name: string;
  readonly programs: readonly [loops: string, sync: string, quadrature: string];
}

/** The name of a contender with so many PEs. */
export const withPes = (name: string, pes: number): string => `${name}, ${pes} PE${pes === 1 ? "" : "s"}`;

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails, as it does for a wrong result */
export async function benchLoops(options: BenchOptions = {}): Promise<LoopsBench> {
  const { quick = false } = options;
  await using processes = await freshProcesses();
  const folder = await mkdtemp(join(tmpdir(), "tundish-loops-"));
  try {
    const missing: Missing[] = [];
    const versions: Record<string, string> = {};
    const volume = quick ? QUICK : VOLUME;
    const [peaks, runs] = quick ? [1, 1] : [10, 7];
    const peers: Peer[] = [];
    for (const [name, compiler] of Object.entries(RUNTIMES)) {
      const packages = compiler === "gcc" ? "gcc libc6-dev libgomp1" : "clang libomp-dev";
      const build = (source: string) => buildPlain(source, "-fopenmp", packages, folder, process.env, compiler);
      const [loops, sync, quadrature] = await Promise.all(["loops.c", "sync.c", "quadrature.c"].map(build));
      const built = [loops, sync, quadrature] as readonly Built[];
      const reason = built.find((one) => one.missing !== null)?.missing ?? null;
      if (reason !== null) missing.push({ name, reason });
      else peers.push({ name, programs: built.map(({ program }) => program) as unknown as Peer["programs"] });
      if (built[0]?.version) versions[compiler] = built[0].version;
    }
    const { batches, batchMs } = volume;
    const bench = await measurePart(options, [], (part) => [
      ...pesOf(quick).flatMap((pes) => [
        ours(part, processes, pes, { kind: "overhead", chunks: chunksOf(quick), ...volume }),
        ...peers.map(({ name, programs: [loops] }) =>
          theirs(part, name, pes, loops, [batches, batchMs, pes, chunksOf(quick).join()]),
        ),
        ours(part, processes, pes, { kind: "sync", ...volume }),
        ...peers.map(({ name, programs: [, sync] }) => theirs(part, name, pes, sync, [batches, batchMs, pes])),
      ]),
      ...[1, ...pesOf(quick).slice(0, 2)].map((pes) => ours(part, processes, pes, { kind: "quadrature", peaks, runs })),
      ...pesOf(quick)
        .slice(0, 2)
        .flatMap((pes) =>
          peers.map(({ name, programs: [, , quadrature] }) => theirs(part, name, pes, quadrature, [runs, peaks, pes])),
        ),
      ...UNEVEN_NAMES.flatMap((name) =>
        [1, ...pesOf(quick).slice(0, 2)].map((pes) =>
          ours(part, processes, pes, { kind: "uneven", name, quick, runs: quick ? 1 : 7 }),
        ),
      ),
    ]);
    return { ...bench, versions, missing: [...missing, ...bench.missing] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function ours(part: OurPart, processes: FreshProcesses, pes: number, job: LoopJob): Contender {
  const name = withPes(OURS, pes);
  return {
    name: `${name}, ${job.kind === "uneven" ? job.name : job.kind}`,
    required: true,
    run: async () => {
      const program = sibling("./bench-loops.program.js", import.meta.url);
      const { answers } = await runFresh<LoopAnswer>(processes, part, program, pes, job);
      part.sawBound(pes > part.cpus.length || answers.every(({ bound }) => bound));
      return (answers[0] as LoopAnswer).entries.map((entry) => ({ name, ...entry }));
    },
  };
}

/** @param args of the program, but for the CPUs */
function theirs(
  { cpus, signal }: OurPart,
  runtime: string,
  pes: number,
  program: string,
  args: readonly (string | number)[],
): Contender {
  const name = withPes(runtime, pes);
  return {
    name,
    run: async () => {
      const options = { env: cleanEnvironment(process.env), deadlineMs: LIMIT_MS, signal };
      const { stdout } = await runChild(program, [...args, cpus.slice(0, pes).join()].map(String), options);
      return parseSamples(stdout, name).map((sample) => ({ name, ...sample }));
    },
  };
}
