/** What the tests of the C programs find here, and why they skip what is not there. */
import { cleanEnvironment, findMpi, type Mpi, which } from "../../microbench/peers/tools.ts";
import { readTopology } from "../../src/machine/topology.ts";
import { usableCpus } from "../../src/machine/usable.ts";

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
type MpiName = "Open MPI" | "MPICH";
/** Each MPI; null where it is not installed. */
export const mpis: Readonly<Record<MpiName, Mpi | null>> = {
  "Open MPI": await findMpi("Open MPI", clean),
  MPICH: await findMpi("MPICH", clean),
};

/** Why nothing can be compiled here; null when it can. */
export const compiler: string | null = which("gcc", clean) ? null : "gcc is not installed";
const twoCpus = cpus.length < 2 ? "fewer than two usable CPUs" : null;
/** Why programs cannot be measured here; null when they can. The same for those of each MPI. */
export const gcc: string | null = compiler ?? twoCpus;
export const openmpi: string | null = gcc ?? (mpis["Open MPI"] ? null : "Open MPI is not installed");
export const mpich: string | null = gcc ?? (mpis.MPICH ? null : "MPICH is not installed");

/** Each MPI: its name, its name in skips, why it is not there. */
export const both: readonly (readonly [name: MpiName, tool: string, missing: string | null])[] = [
  ["Open MPI", "openmpi", openmpi],
  ["MPICH", "mpich", mpich],
];

/** What a rejected promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error, got none");
}
