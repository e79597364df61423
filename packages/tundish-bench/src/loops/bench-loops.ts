/**
 * Compares loops with those of OpenMP, part by part: what schedules and synchronisation cost, where all iterations do
 * the same, and adaptive quadrature by tasks (even.ts); work whose iterations take different times (uneven.ts); and the
 * same from a main thread, beside pools (outside.ts). Each in a process of its own, in turns, in one run, on the same
 * CPUs (see turns.ts).
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshProcesses } from "../../../../microbench/launch/processes.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import { schedules, synchronisation, tasks } from "./even.ts";
import { LOOP_PARTS, type LoopPart } from "./names.ts";
import { type BestChunks, outside } from "./outside.ts";
import { peersOf } from "./peers.ts";
import { UNEVEN_TARGETS, uneven } from "./uneven.ts";

export interface LoopsBench extends PartBench {
  readonly parts: readonly LoopPart[];
  /** Of the compilers. */
  readonly versions: Readonly<Record<string, string>>;
  /** Of the tasks of pools. */
  readonly chunks: Readonly<BestChunks>;
}

/**
 * Measures all parts, or `only` one.
 * @throws as `benchConveyors`; NativeError if a process fails, as it does for a wrong result
 */
export async function benchLoops(
  options: BenchOptions & { readonly only?: LoopPart | undefined } = {},
): Promise<LoopsBench> {
  const { quick = false, only } = options;
  const parts = only === undefined ? LOOP_PARTS : [only];
  await using processes = await freshProcesses();
  const folder = await mkdtemp(join(tmpdir(), "tundish-loops-"));
  try {
    const { peers, versions, missing } = await peersOf(parts, folder);
    const chunks: BestChunks = {};
    const contenders: Readonly<Record<LoopPart, (part: OurPart) => Contender[]>> = {
      schedules: (part) => schedules(part, processes, peers("schedules")),
      synchronisation: (part) => synchronisation(part, processes, peers("synchronisation")),
      tasks: (part) => tasks(part, processes, peers("tasks")),
      uneven: (part) => uneven(part, processes, peers("uneven")),
      outside: (part) => outside(part, processes, chunks),
    };
    const targets = parts.includes("uneven") && !quick ? UNEVEN_TARGETS : [];
    const bench = await measurePart(options, targets, (part) => parts.flatMap((name) => contenders[name](part)));
    return { ...bench, parts, versions, chunks, missing: [...missing, ...bench.missing] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
