/**
 * Compares loops with those of OpenMP: what each schedule costs with iterations that all take the same, beside a C
 * program of ours (c/loops.c) with gcc's libgomp and LLVM's libomp; and iterations that take different times, under
 * each schedule beside one thread. Each in a process of its own, in turns, in one run, on the same CPUs (see turns.ts).
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
import type { LoopAnswer, LoopVolume, OverheadJob, UnevenJob } from "./job.ts";
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
    const peers: (readonly [string, Built])[] = [];
    for (const [name, compiler] of Object.entries(RUNTIMES)) {
      const packages = compiler === "gcc" ? "gcc libc6-dev libgomp1" : "clang libomp-dev";
      const built = await buildPlain("loops.c", "-fopenmp", packages, folder, process.env, compiler);
      if (built.missing !== null) missing.push({ name, reason: built.missing });
      else peers.push([name, built]);
      if (built.version !== "") versions[compiler] = built.version;
    }
    const bench = await measurePart(options, [], (part) => [
      ...pesOf(quick).flatMap((pes) => [
        ours(part, processes, pes, { kind: "overhead", chunks: chunksOf(quick), ...(quick ? QUICK : VOLUME) }),
        ...peers.map(([name, built]) => theirs(part, name, built, pes)),
      ]),
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

function ours(part: OurPart, processes: FreshProcesses, pes: number, job: OverheadJob | UnevenJob): Contender {
  const name = withPes(OURS, pes);
  return {
    name: job.kind === "uneven" ? `${name}, ${job.name}` : name,
    required: true,
    run: async () => {
      const program = sibling("./bench-loops.program.js", import.meta.url);
      const { answers } = await runFresh<LoopAnswer>(processes, part, program, pes, job);
      part.sawBound(pes > part.cpus.length || answers.every(({ bound }) => bound));
      return (answers[0] as LoopAnswer).entries.map((entry) => ({ name, ...entry }));
    },
  };
}

function theirs({ cpus, quick, signal }: OurPart, runtime: string, { program }: Built, pes: number): Contender {
  const name = withPes(runtime, pes);
  const { batches, batchMs } = quick ? QUICK : VOLUME;
  const args = [batches, batchMs, pes, chunksOf(quick).join(), cpus.slice(0, pes).join()].map(String);
  return {
    name,
    run: async () => {
      const options = { env: cleanEnvironment(process.env), deadlineMs: LIMIT_MS, signal };
      const { stdout } = await runChild(program, args, options);
      return parseSamples(stdout, name).map((sample) => ({ name, ...sample }));
    },
  };
}
