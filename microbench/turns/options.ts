/** Options of the benchmarks that compare Tundish with other programs. */

import type { ChannelKind } from "../../src/ground/base/channel-kinds.ts";
import { EnvironmentError, UsageError } from "../../src/ground/base/errors.ts";
import type { Cpu, MachineModel, Topology } from "../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../src/machine/model/select.ts";
import { guessModel } from "../../src/machine/topology/guess.ts";
import type { Progress } from "../pairs/profiled.ts";
import { chooseCpus } from "../profile.ts";
import type { TurnOptions } from "./turns.ts";

/** Options of a benchmark. */
export interface BenchOptions {
  /** The CPUs of all programs, two or more. @default the first two usable ones */
  readonly cpus?: readonly number[];
  /** The model for our trees, if it contains those CPUs. @default guessed from the topology */
  readonly machine?: MachineModel;
  /** Of the collectives: the kind of channels of our PEs. @default what TUNDISH_CHANNEL names, else `"ump"` */
  readonly channel?: ChannelKind;
  /** Only turns with a cache-line round trip like this one count, ns. @default those in each mode, apart */
  readonly mode?: number;
  /** Turns of each program in the mode of most; at most 2 `turns` + 2 are tried. @default 3 */
  readonly turns?: number;
  /** No turn beyond the first `least` starts after this time, ms. @default 60000, 0 when quick */
  readonly budgetMs?: number;
  /** @default `turns` */
  readonly least?: number;
  /** Measures the round trip of a cache line between turns, ns. @default by two threads on the first two CPUs */
  readonly probe?: () => Promise<number>;
  /** Few and short batches: to see that it works, not how fast. @default false */
  readonly quick?: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** The turns for these options. */
export function turnsOf({
  mode,
  turns,
  quick = false,
  budgetMs = quick ? 0 : 60_000,
  least,
  probe,
  onProgress,
  signal,
}: Omit<BenchOptions, "cpus" | "machine" | "channel">): Omit<TurnOptions, "cpus"> {
  const wanted = turns ?? (quick ? 1 : 3);
  return { turns: wanted, maxTurns: 2 * wanted + 2, budgetMs, least, mode, probe, quick, onProgress, signal };
}

/** The CPUs of all programs. @throws UsageError for CPUs that cannot be used; EnvironmentError if there is only one */
export function cpusOf(topology: Topology, wanted: readonly number[] | undefined): number[] {
  const numbers = (chosen: readonly Cpu[]) => chosen.map(({ cpu }) => cpu);
  if (wanted === undefined) {
    const cpus = numbers(chooseCpus(topology, undefined)).slice(0, 2);
    if (cpus.length === 2) return cpus;
    throw new EnvironmentError(
      "The comparison needs two cores that this process may use, and there is one. See: tundish doctor",
    );
  }
  if (wanted.length >= 2) return numbers(chooseCpus(topology, wanted));
  throw new UsageError(`cpus: expected two or more, got [${wanted.join(", ")}]`);
}

/** The model of exactly these CPUs. */
export function modelOf(topology: Topology, cpus: readonly number[], machine: MachineModel | undefined): MachineModel {
  const rows = cpus.map((wanted) => machine?.pes.findIndex(({ cpu }) => cpu === wanted) ?? -1);
  if (machine !== undefined && !rows.includes(-1)) return selectPEs(machine, rows);
  return guessModel(topology, chooseCpus(topology, cpus));
}
