/**
 * Barriers, table 3 and section 5.4 of Smelt's paper: a tight loop of each, ours, those of the literature in C, GOMP's,
 * pthread's and MPI's; and the overhead of a barrier by EPCC's method, section 5.3 and table 2.
 *
 * EPCC compares GOMP's barrier in C with a delay loop in C, the same program with our tree's and Smelt's tree's barrier
 * in place of GOMP's, as the paper did, and ours in JavaScript with the same loop in JavaScript. The delay is taken off
 * in all, so what is left is the barrier, and how far it overlaps with the delay.
 */

import type { Entry } from "../../../../microbench/turns/turns.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import type { BatchVolume } from "../../../../src/running/contest/batches.ts";
import { barriersBeside, generateTrees, oneTree } from "../../../../trees/generate/generate.ts";
import { treeProblem } from "../../../../trees/model/problem.ts";
import type { Barrier, Tree, TreeBarrier, Trees } from "../../../../trees/model/tree.ts";
import type { EpccSamples, SmeltBarriersAnswer, SmeltBarriersJob } from "./smelt-barriers.program.ts";
import type { CProgram } from "./smelt-c.ts";
import { firstPEs, type SmeltOptions, type SmeltPlace } from "./smelt-options.ts";
import { type MeasuredRivals, measureRivals, type OurProgram, onPes, worlds } from "./smelt-rivals.ts";

/** The time of a delay of EPCC. */
export interface EpccDelay extends Pick<EpccSamples, "delay" | "length"> {
  readonly name: string;
  readonly pes: number;
}

export interface SmeltBarriers extends MeasuredRivals {
  readonly delays: readonly EpccDelay[];
}

/** Operations. */
export const LOOP = "barrier";
export const EPCC = "EPCC BARRIER";

interface Volume {
  readonly loops: BatchVolume;
  readonly epcc: SmeltBarriersJob["epcc"];
}
const FULL: Volume = { loops: { batches: 15, batchMs: 4, warmMs: 200 }, epcc: { repetitions: 200, ms: 1 } };
const QUICK: Volume = { loops: { batches: 2, batchMs: 0.2 }, epcc: { repetitions: 5, ms: 0.1 } };
const ACTIVE = { OMP_WAIT_POLICY: "active" };

/** @throws as {@link measureRivals} */
export async function smeltBarriers(options: SmeltOptions): Promise<SmeltBarriers> {
  const { loops, epcc } = options.quick ? QUICK : FULL;
  const delays = new Map<string, EpccDelay>();
  const note = (name: string, pes: number, { delay, length }: EpccSamples) =>
    delays.set(`${name} ${pes}`, { name, pes, delay, length });
  const ours: OurProgram<SmeltBarriersJob, SmeltBarriersAnswer> = {
    module: sibling("./smelt-barriers.program.js", import.meta.url),
    job: (place, size) => ({ volume: loops, kinds: kindsOn(place, size), epcc }),
    entries: (answer, size) => {
      note("tundish", size, answer.epcc);
      const { batch, samples } = answer.epcc;
      return [
        ...answer.loops.map((one): Entry => ({ ...one, what: onPes(LOOP, size) })),
        { name: "tundish", what: onPes(EPCC, size), batch, samples },
      ];
    },
  };
  const inLoops = [`${loops.batches}`, `${loops.batchMs}`];
  const inEpcc = [`${epcc.repetitions}`, `${epcc.ms}`];
  const programs: CProgram[] = [
    { name: "C", source: "barriers.c", by: "-pthread", args: inLoops },
    { name: "GOMP", source: "gomp.c", by: "-fopenmp", args: inLoops },
    { name: "GOMP, active", source: "gomp.c", by: "-fopenmp", args: inLoops, variables: ACTIVE },
    { name: "GOMP", source: "epcc.c", by: "-fopenmp", args: inEpcc },
    { name: "GOMP, active", source: "epcc.c", by: "-fopenmp", args: inEpcc, variables: ACTIVE },
    ...TREES.map(
      ([tree, barrierOf]): CProgram => ({
        ...{ name: `GOMP, ${tree}`, source: "epcc-tree.c", by: "-fopenmp", args: inEpcc },
        argsBehind: (place, size) => {
          const { reduce, broadcast } = barrierOf(firstPEs(place, size));
          return [edgesOf(reduce).reverse().join(), edgesOf(broadcast).join()];
        },
      }),
    ),
    { name: "Open MPI", source: "mpi.c", by: "Open MPI", args: inLoops },
    { name: "MPICH", source: "mpi.c", by: "MPICH", args: inLoops },
  ];
  const bench = await measureRivals(
    worlds(ours, options.signal),
    programs,
    (sample, { name, source }, size) => {
      if (source.startsWith("epcc")) {
        note(name, size, sample as unknown as EpccSamples);
        return { ...sample, name, what: onPes(EPCC, size) };
      }
      if (source === "barriers.c") return { ...sample, name: `C, ${sample.what}`, what: onPes(LOOP, size) };
      // these programs measure more
      return sample.what === LOOP ? { ...sample, name, what: onPes(LOOP, size) } : null;
    },
    options,
  );
  return { ...bench, delays: [...delays.values()] };
}

/** Barriers up and down a tree: ours, and one tree both ways as in the paper. */
const TREES: readonly (readonly [name: string, barrierOf: (model: MachineModel) => TreeBarrier])[] = [
  [
    "our tree",
    (model) => {
      const { root } = generateTrees(model).broadcast;
      const { reduce, broadcast } = generateTrees(model, { root });
      return { kind: "tree", latency: reduce.latency + broadcast.latency, root, reduce, broadcast };
    },
  ],
  ["Smelt's tree", (model) => oneTree(problemOf(model), "smelt")],
];

const problemOf = (model: MachineModel) =>
  treeProblem(
    model,
    model.pes.map((_, pe) => pe),
  );

/** As a C program reads them, in the order in which a PE tells its children; it expects them in that of their end. */
const edgesOf = ({ children }: Tree): string[] =>
  Object.entries(children).flatMap(([parent, all]) => all.map((child) => `${parent}>${child}`));

/** Our kinds of barriers: up and down our tree and Smelt's, dissemination, and a hybrid where there are domains. */
function kindsOn(place: SmeltPlace, size: number): SmeltBarriersJob["kinds"] {
  const model = firstPEs(place, size);
  const barriers: (readonly [string, Barrier])[] = [
    ...TREES.map(([name, barrierOf]) => [name, barrierOf(model)] as const),
    ...barriersBeside(problemOf(model)).map((barrier) => [barrier.kind, barrier] as const),
  ];
  const { root } = generateTrees(model).broadcast;
  const trees = generateTrees(model, { root });
  return barriers.map(([name, barrier]) => [name, { ...trees, barrier } satisfies Trees]);
}
