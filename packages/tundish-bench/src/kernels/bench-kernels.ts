/**
 * Compares a matrix product by kernels of programs, of AssemblyScript and C, with the same C by compilers for the
 * processor, with OpenMP and vectors of 128 bits. Each in a process of its own, in turns, in one run, on the same CPUs
 * (see turns.ts). Some elements of each product are checked; a wrong one is a failure.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { runFresh } from "../conveyors/fresh.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import type { Target } from "../turns/targets.ts";
import { FULL, type KernelAnswer, type KernelJob, QUICK, titleOf } from "./job.ts";
import { FUSED, kernelFile, native, RIVALS } from "./native.ts";

/** Ours, and the files of the kernels. */
export const OURS = {
  "tundish, AssemblyScript": "matrix-assemblyscript.wasm",
  "tundish, C by clang": "matrix-c.wasm",
} as const;
/** V8 goes over from its quick code in the first run. */
export const firstOf = (n: number): string => `${titleOf(n)}, first run`;

const BOUND = 0.8;
const rivals = { names: RIVALS.map(({ name }) => name), whats: [titleOf(FULL.n)] };
/** Set for two PEs. */
const TARGETS: readonly Target[] = Object.keys(OURS).map((who) => ({
  ...{ who, what: titleOf(FULL.n), kind: "faster", bound: BOUND, rivals },
}));

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails, as it does for a wrong result */
export async function benchKernels(options: BenchOptions = {}): Promise<PartBench> {
  const volume = options.quick ? QUICK : FULL;
  await using processes = await freshProcesses();
  const folder = await mkdtemp(join(tmpdir(), "tundish-kernels-"));
  try {
    return await measurePart(options, TARGETS, (part) => [
      ...Object.entries(OURS).map(([name, file]) => ours(part, processes, name, { ...volume, ...placeOf(file) })),
      ...[...RIVALS, FUSED].map((way) => native(part, folder, way, volume)),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const placeOf = (file: string): Pick<KernelJob, "file"> => ({ file: kernelFile(file).href });

function ours(part: OurPart, processes: FreshProcesses, name: string, job: KernelJob): Contender {
  return {
    name,
    required: true,
    run: async () => {
      const program = sibling("./bench-kernels.program.js", import.meta.url);
      const { answers } = await runFresh<KernelAnswer>(processes, part, program, part.cpus.length, job);
      part.sawBound(answers.every(({ bound }) => bound));
      const [{ first, times }] = answers;
      const entry = (what: string, samples: readonly number[]) => ({ name, what, batch: 1, samples });
      return [entry(titleOf(job.n), times), entry(firstOf(job.n), [first])];
    },
  };
}
