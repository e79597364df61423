/** Options of `bench smelt`, and the CPUs of a run. */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { chooseCpus } from "../../../../microbench/profile.ts";
import { cpusOf, modelOf } from "../../../../microbench/turns/options.ts";
import { EnvironmentError, UsageError } from "../../../../src/ground/base/errors.ts";
import type { MachineModel } from "../../../../src/machine/model/machine-model.ts";
import { selectPEs } from "../../../../src/machine/model/select.ts";
import { readTopology } from "../../../../src/machine/topology/topology.ts";
import type { SmeltPart } from "./smelt-parts.ts";

export interface SmeltOptions {
  /** @default all */
  readonly only?: SmeltPart | undefined;
  /** Numbers of PEs, each with a CPU of its own. @default one: as many as there are CPUs */
  readonly pes?: readonly number[] | undefined;
  /** @default the usable ones, one for each core */
  readonly cpus?: readonly number[] | undefined;
  /** A model of this machine: for our trees and for the predictions. @default guessed from the topology */
  readonly machine?: MachineModel | undefined;
  /** Models to simulate. @default those of a checkout (fixtures.ts) */
  readonly machines?: readonly MachineModel[] | undefined;
  readonly turns?: number;
  readonly budgetMs?: number;
  readonly quick?: boolean;
  /** Its `PATH` names the folders of compilers. @default that of the process */
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Where a part measures. */
export interface SmeltPlace {
  /** Ascending numbers of PEs. */
  readonly pes: readonly number[];
  /** By rank: as many as the most PEs. */
  readonly cpus: readonly number[];
  /** A PE for each of these CPUs. */
  readonly machine: MachineModel;
  /** Of this machine, if the model is its profile: then `launch` lets the best trees contest, as for users. */
  readonly fingerprint: string | null;
}

/** @throws UsageError for CPUs and numbers of PEs that cannot be; EnvironmentError for a single CPU */
export async function placeOf(options: SmeltOptions): Promise<SmeltPlace> {
  const topology = await readTopology();
  const all =
    options.cpus === undefined ? chooseCpus(topology, undefined).map(({ cpu }) => cpu) : cpusOf(topology, options.cpus);
  if (all.length < 2) {
    throw new EnvironmentError(
      "bench smelt needs two cores that this process may use, and there is one. See: tundish doctor",
    );
  }
  const pes = [...(options.pes ?? [all.length])].sort((a, b) => a - b);
  const odd = pes.find((one) => !(Number.isInteger(one) && one >= 2 && one <= all.length));
  if (pes.length === 0 || odd !== undefined) {
    throw new UsageError(
      `pes: expected numbers from 2 to ${all.length}, as each PE has a CPU of its own, got ${odd ?? "none"}`,
    );
  }
  const cpus = all.slice(0, pes[pes.length - 1]);
  const machine = modelOf(topology, cpus, options.machine);
  // a guess has no noise, and a model of other CPUs is not taken
  const fingerprint = (machine.noise && options.machine?.fingerprint) ?? null;
  return { pes, cpus, machine, fingerprint };
}

/** The model of the first PEs of a place. */
export function firstPEs({ machine, fingerprint }: SmeltPlace, size: number): MachineModel {
  const part = selectPEs(
    machine,
    Array.from({ length: size }, (_, rank) => rank),
  );
  return fingerprint === null ? part : { ...part, fingerprint };
}

/** A limit for one program, ms: under load it may take a hundred times as long as alone. */
export const LIMIT_MS = 600_000;
