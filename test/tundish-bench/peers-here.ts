/** What the tests of the C programs find here, and why they skip what is not there. */
import { cleanEnvironment, which } from "../../packages/tundish-bench/src/peers/tools.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import { usableCpus } from "../../src/machine/topology/usable.ts";
import { KINDS, type Kind, WORDS, whyNoMpi } from "../machine/mpi/launchers.ts";

/** Time that any one program may take. */
export const LIMIT_MS: number = 30_000;
/** A short measurement. */
export const volume: { batches: number; batchMs: number; deadlineMs: number } = {
  batches: 3,
  batchMs: 0.2,
  deadlineMs: LIMIT_MS,
};
/** The environment that programs get. */
export const clean: NodeJS.ProcessEnv = cleanEnvironment(process.env);

/** Two CPUs to measure on. */
export const cpus: readonly number[] = usableCpus(await readTopology())
  .slice(0, 2)
  .map(({ cpu }) => cpu);

/** Why nothing can be compiled here; null when it can. */
export const compiler: string | null = which("gcc", clean) ? null : "gcc is not installed";
const twoCpus = cpus.length < 2 ? "fewer than two usable CPUs" : null;
/** Why programs cannot be measured here; null when they can. The same for those of each MPI. */
export const gcc: string | null = compiler ?? twoCpus;
export const openmpi: string | null = gcc ?? whyNoMpi("Open MPI");
export const mpich: string | null = gcc ?? whyNoMpi("MPICH");

/** Each MPI: its name, its name in skips, why it is not there. */
export const both: readonly (readonly [name: Kind, tool: string, missing: string | null])[] = KINDS.map((kind) => [
  kind,
  WORDS[kind],
  gcc ?? whyNoMpi(kind),
]);

/** What a rejected promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error, got none");
}
