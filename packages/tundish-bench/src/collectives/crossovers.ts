/**
 * Measures from which size on the algorithm for long arrays is faster, for the choice in decide.ts.
 *
 * Every algorithm of broadcast, reduce and allreduce is measured at sizes from 8 bytes to 1 MiB, on arrays from
 * `pe.alloc` and on private ones, with batches of the algorithms in turns. A call's crossover is the bound with the
 * least total cost if all arrays up to it use the short algorithm and all above it the long one: where the running sum
 * of log(short / long) over the sizes is lowest. Without noise this is the largest size at which the short algorithm is
 * faster; with noise a single contradicting size cannot move it far.
 *
 * Limits: one bound for both kinds of memory, as precise as the measured sizes.
 *
 * Example: tree / single-copy takes 0.5, 0.8, 1.2, 0.99, 1.6 at 8, 448, 896, 1792, 3584 bytes: the running sum is
 * -0.69, -0.92, -0.73, -0.74, -0.27, so the crossover is at 448.
 */

import type { Measured } from "../../../../microbench/pairs/profiled.ts";
import { inFirstMode } from "../../../../microbench/turns/figures.ts";
import { type BenchOptions, turnsOf } from "../../../../microbench/turns/options.ts";
import { type Contender, type TurnsMade, takeTurns } from "../../../../microbench/turns/turns.ts";
import { CHOICES, type Choosable, type Crossovers } from "../../../../src/collectives/calls/decide.ts";
import { EnvironmentError, UsageError } from "../../../../src/ground/base/errors.ts";
import { sibling } from "../../../../src/ground/base/package-file.ts";
import { fitWarning } from "../../../../src/machine/model/fingerprint.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import type { BatchVolume, Samples } from "../../../../src/running/contest/batches.ts";
import { launch } from "../../../../src/running/launch/launch.ts";
import { type CrossoversJob, type Memory, whatOf } from "./crossovers.program.ts";

/** Options of {@link benchCrossovers}; see {@link BenchOptions}. */
export type CrossoverOptions = Omit<BenchOptions, "cpus" | "machine" | "mode">;

/** One call at one size. */
export interface CrossoverPoint {
  readonly call: Choosable;
  readonly memory: Memory;
  readonly bytes: number;
  /** ns by algorithm, the one for long arrays last. */
  readonly times: readonly { readonly algorithm: string; readonly ns: number }[];
}

/** The result of {@link benchCrossovers}. */
export interface CrossoversBench extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  /** Largest size in bytes for which the short algorithm is faster; 0 if it never is. */
  readonly crossovers: Crossovers;
  /** The same for each kind of memory alone. */
  readonly byMemory: Readonly<Record<Memory, Crossovers>>;
  readonly points: readonly CrossoverPoint[];
  /** Whether everything was measured in one mode. */
  readonly stable: boolean;
}

const SIZES = [8, 56, 112, 224, 448, 896, 1792, 3584, 8192, 65_536, 1_048_576];
const FULL: BatchVolume = { batches: 9, batchMs: 2 };
const QUICK_SIZES = [8, 448, 3584, 65_536];
const QUICK: BatchVolume = { batches: 3, batchMs: 0.2 };
const RUN_LIMIT_MS = 60_000;
const MEMORIES = ["alloc", "private"] as const;
const CALLS = Object.keys(CHOICES) as Choosable[];

/**
 * Measures the algorithms on the PEs of a machine model.
 * @param machine of this machine: its CPUs are used, and its trees
 * @throws UsageError for a model of another machine; EnvironmentError if it has one PE only; what {@link launch} throws
 */
export async function benchCrossovers(machine: MachineModel, options: CrossoverOptions = {}): Promise<CrossoversBench> {
  const misfit = fitWarning(machine, await readTopology());
  if (misfit !== null) throw new UsageError(misfit);
  const cpus = machine.pes.map(({ cpu }) => cpu);
  if (cpus.length < 2) {
    throw new EnvironmentError(
      "The algorithms need two PEs or more, and the machine model has one. See: tundish doctor",
    );
  }
  const { quick = false, signal } = options;
  const sizes = quick ? QUICK_SIZES : SIZES;
  const contenders = CALLS.flatMap((call) =>
    MEMORIES.map((memory): Contender => {
      const job: CrossoversJob = { call, memory, sizes, volume: quick ? QUICK : FULL };
      const run = async () => {
        const [samples] = (await launch(sibling("./crossovers.program.js", import.meta.url), {
          args: job,
          machine,
          pes: cpus.length,
          timeout: RUN_LIMIT_MS,
          ...(signal && { signal }),
        })) as Samples[][];
        return samples.map((sample) => ({ name: "tundish", ...sample }));
      };
      return { name: `${call}, ${memory}`, required: true, run };
    }),
  );
  const taken = await takeTurns(contenders, { ...turnsOf(options), cpus });
  const { complete, probe, modes, turns, left } = taken;
  const points = pointsOf(inFirstMode(taken), sizes);
  const [alloc, own] = MEMORIES.map((wanted) => crossoversOf(points.filter(({ memory }) => memory === wanted)));
  return {
    cpus,
    crossovers: crossoversOf(points),
    byMemory: { alloc, private: own },
    points,
    probe,
    modes,
    stable: complete,
    turns,
    left,
  };
}

function pointsOf(measured: readonly Measured[], sizes: readonly number[]): CrossoverPoint[] {
  const ns = new Map(measured.map((one) => [one.what, one.ns]));
  const point = (call: Choosable, memory: Memory, bytes: number): CrossoverPoint => {
    const times = CHOICES[call].map((algorithm) => ({
      algorithm,
      ns: ns.get(whatOf(call, algorithm, memory, bytes)) ?? Number.NaN,
    }));
    return { call, memory, bytes, times };
  };
  return CALLS.flatMap((call) => MEMORIES.flatMap((memory) => sizes.map((bytes) => point(call, memory, bytes))));
}

/** The crossover of each call; see the head of this file. The fastest of several short algorithms counts. */
export function crossoversOf(points: readonly CrossoverPoint[]): Crossovers {
  const of = (call: Choosable): number => crossover(points.filter((point) => point.call === call));
  return { broadcast: of("broadcast"), reduce: of("reduce"), allreduce: of("allreduce") };
}

function crossover(points: readonly CrossoverPoint[]): number {
  const sizes = [...new Set(points.map(({ bytes }) => bytes))].sort((a, b) => a - b);
  let best = { bytes: 0, cost: 0 };
  let cost = 0;
  for (const bytes of sizes) {
    for (const { times } of points.filter((point) => point.bytes === bytes)) {
      const short = Math.min(...times.slice(0, -1).map(({ ns }) => ns));
      cost += Math.log(short / times[times.length - 1].ns);
    }
    if (cost < best.cost) best = { bytes, cost };
  }
  return best.bytes;
}
