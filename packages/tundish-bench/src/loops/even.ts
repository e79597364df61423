/**
 * The parts of `bench loops` beside OpenMP of gcc and of LLVM: what schedules and what synchronisation cost, where all
 * iterations do the same, and adaptive quadrature by tasks.
 */
import type { FreshProcesses } from "../../../../microbench/launch/processes.ts";
import type { OurPart } from "../../../../microbench/turns/part.ts";
import type { Contender } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { ours, theirs } from "./contenders.ts";
import type { LoopJob, LoopVolume } from "./job.ts";
import { withPes } from "./names.ts";
import type { LoopPeer } from "./peers.ts";

/** Numbers of PEs, and of threads; more than there are CPUs share them. */
const pesOf = (quick: boolean): readonly number[] => (quick ? [2] : [2, 4, 8]);
export const chunksOf = (quick: boolean): readonly number[] => (quick ? [1, 128] : [1, 2, 4, 8, 16, 32, 64, 128]);

const volumeOf = (quick: boolean): LoopVolume => (quick ? { batches: 2, batchMs: 0.2 } : { batches: 9, batchMs: 4 });

type Contenders = (part: OurPart, processes: FreshProcesses, peers: readonly LoopPeer[]) => Contender[];

const our = (part: OurPart, processes: FreshProcesses, pes: number, job: LoopJob): Contender =>
  ours(part, processes, sibling("./bench-loops.program.js", import.meta.url), pes, job.kind, job);

export const schedules: Contenders = (part, processes, peers) => {
  const volume = volumeOf(part.quick);
  const chunks = chunksOf(part.quick);
  return pesOf(part.quick).flatMap((pes) => [
    our(part, processes, pes, { kind: "overhead", chunks, ...volume }),
    ...peers.map(({ name, program }) =>
      theirs(part, withPes(name, pes), program, pes, [volume.batches, volume.batchMs, pes, chunks.join()]),
    ),
  ]);
};

export const synchronisation: Contenders = (part, processes, peers) => {
  const volume = volumeOf(part.quick);
  return pesOf(part.quick).flatMap((pes) => [
    our(part, processes, pes, { kind: "sync", ...volume }),
    ...peers.map(({ name, program }) =>
      theirs(part, withPes(name, pes), program, pes, [volume.batches, volume.batchMs, pes]),
    ),
  ]);
};

export const tasks: Contenders = (part, processes, peers) => {
  const [peaks, runs] = part.quick ? [1, 1] : [10, 7];
  const few = pesOf(part.quick).slice(0, 2);
  return [
    ...[1, ...few].map((pes) => our(part, processes, pes, { kind: "quadrature", peaks, runs })),
    ...few.flatMap((pes) =>
      peers.map(({ name, program }) => theirs(part, withPes(name, pes), program, pes, [runs, peaks, pes])),
    ),
  ];
};
