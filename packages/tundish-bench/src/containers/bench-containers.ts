/**
 * Compares containers over all PEs with what one thread has in plain JavaScript: a Map, a Set, a typed array, a
 * union-find. Items in all are the same for any number of PEs. Each in a process of its own, after runs that are not
 * counted; a result that differs is a failure. In turns, in one run, on the same CPUs (see turns.ts).
 */

import { type FreshProcesses, freshProcesses } from "../../../../microbench/launch/processes.ts";
import { TOGETHER } from "../../../../microbench/launch/starts.ts";
import type { BenchOptions } from "../../../../microbench/turns/options.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { runFresh } from "../conveyors/fresh.ts";
import { ALONE } from "../programs/bench-programs.ts";
import { measurePart, type PartBench } from "../turns/part.ts";
import {
  type ContainerAnswer,
  type ContainerJob,
  FULL,
  isLarge,
  QUICK,
  RIVALS,
  sizeOf,
  type WorkName,
  whatOf,
} from "./works.ts";

/**
 * Memory for each entry, bytes: typed arrays of ours as they are allocated, the heap of one thread after garbage
 * collection.
 */
export interface EntryBytes {
  readonly name: string;
  readonly what: string;
  readonly bytes: number;
}

export interface ContainersBench extends PartBench {
  readonly memory: readonly EntryBytes[];
}

/** Numbers of PEs; more than there are CPUs share them. */
export const pesOf = (quick: boolean | undefined): readonly number[] => (quick ? [2] : [1, 2, 4]);
/** Shares of what one thread does, at the same time: the raw limit for two PEs. */
export const APART = "2 threads, each its half, nothing sent";
export const ourName = (pes: number): string => `${TOGETHER}, ${pes} PE${pes === 1 ? "" : "s"}`;
export const WORKS: readonly WorkName[] = Object.keys(RIVALS) as WorkName[];

/** Measures all of it. @throws as `benchConveyors`; NativeError if a process fails, as it does for a wrong result */
export async function benchContainers(options: BenchOptions = {}): Promise<ContainersBench> {
  const volume = options.quick ? QUICK : FULL;
  await using processes = await freshProcesses();
  const memory = new Map<string, EntryBytes>();
  const remember = (one: EntryBytes) => memory.set(`${one.name}: ${one.what}`, one);
  const bench = await measurePart(options, [], (part) =>
    WORKS.flatMap((name) => {
      const job = { ...volume, name, size: sizeOf(name, volume.size) };
      return [
        contender(part, processes, { kind: "alone", ...job }, 1, remember),
        ...(isLarge(name) ? [contender(part, processes, { kind: "apart", ...job }, 2, remember)] : []),
        ...pesOf(options.quick).map((pes) => contender(part, processes, { kind: "together", ...job }, pes, remember)),
      ];
    }),
  );
  return { ...bench, memory: [...memory.values()] };
}

function contender(
  part: OurPart,
  processes: FreshProcesses,
  job: ContainerJob,
  pes: number,
  remember: (one: EntryBytes) => void,
): Contender {
  const name = { alone: ALONE, apart: APART, together: ourName(pes) }[job.kind];
  const what = whatOf(job.name, job.size);
  return {
    name: `${name}, ${job.name}`,
    required: true,
    run: async () => {
      const program = sibling("./bench-containers.program.js", import.meta.url);
      const { answers } = await runFresh<ContainerAnswer>(processes, part, program, pes, job);
      part.sawBound(pes > part.cpus.length || answers.every(({ bound }) => bound));
      const [{ times, entryBytes }] = answers;
      if (entryBytes !== null && job.kind !== "apart") remember({ name, what, bytes: entryBytes });
      return [{ name, what, batch: job.size, samples: times.map((ns) => ns / job.size) }];
    },
  };
}
