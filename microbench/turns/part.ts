/** One measurement in turns: where our worlds run, who takes turns there, and what all of them say. */

import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { readTopology } from "../../src/machine/topology/topology.ts";
import type { Measured, Missing } from "../pairs/profiled.ts";
import { type BenchOptions, cpusOf, modelOf, turnsOf } from "./options.ts";
import { type Contender, type TurnsMade, takeTurns } from "./turns.ts";

/** Limit for a world that hangs, ms: under load it may take a hundred times as long as alone. */
export const LIMIT_MS = 300_000;

/** The result of a part. */
export interface PartTaken extends Omit<TurnsMade, "complete"> {
  readonly cpus: readonly number[];
  /** Whether our PEs could be bound to these CPUs. */
  readonly pinned: boolean;
  /** Whether the machine was in one mode for a turn of every program. */
  readonly stable: boolean;
  /** All measurements, by mode; our names begin with `tundish`. */
  readonly measured: readonly Measured[];
  /** Programs that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/** Where and how our worlds run. */
export interface OurPart {
  readonly cpus: readonly number[];
  readonly machine: MachineModel;
  readonly quick: boolean;
  readonly signal: AbortSignal | undefined;
  /** To be told whether the PEs of a world were bound to CPUs. */
  sawBound(bound: boolean): void;
}

/** Measures a part. @throws UsageError for unusable CPUs; EnvironmentError for one; the contenders' errors */
export async function takePart(
  options: BenchOptions,
  contendersOf: (part: OurPart) => readonly Contender[],
): Promise<PartTaken> {
  const { quick = false, signal } = options;
  const topology = await readTopology();
  const cpus = cpusOf(topology, options.cpus);
  const machine = modelOf(topology, cpus, options.machine);
  let pinned = true;
  const sawBound = (bound: boolean): void => {
    pinned &&= bound;
  };
  const contenders = contendersOf({ cpus, machine, quick, signal, sawBound });
  const { complete, measured, missing, ...made } = await takeTurns(contenders, { ...turnsOf(options), cpus });
  return { cpus, pinned, stable: complete, ...made, measured, missing };
}
