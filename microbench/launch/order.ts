/** Arguments and answers of a process of launch-node.ts. */
import type { MachineModel } from "../../src/machine/model/machine-model.ts";

/** A process: it does this `runs` times, one after the other. */
export interface LaunchOrder {
  /** `alone`: in the main thread, bound to the first CPU. `launch`: a new world each. `open`: one for all. */
  readonly way: "alone" | "launch" | "open";
  /** The module of the PEs; for `alone` one that exports `alone(work)`. */
  readonly module: string;
  readonly pes: number;
  readonly machine: MachineModel;
  /** The argument of all of them. */
  readonly work: unknown;
  readonly runs: number;
  /** The modules of the library, by URL: it imports nothing else of it, whose loading would not be seen. */
  readonly library: { readonly index: string; readonly affinity: string };
  /** {@link SETTLED}. */
  readonly settledAfter: number;
}

/** Its output. Times are ns. */
export interface LaunchAnswer {
  /** Of the import of the package. */
  readonly imported: number;
  /** Of the opening of the world; null where none was opened. */
  readonly opened: number | null;
  /** Of each run, until its result is there. */
  readonly times: readonly number[];
  /** Resident memory of the process after the first {@link SETTLED} runs, and after all, bytes. */
  readonly memory: readonly [settled: number, last: number];
  /** The result of each run: what the first PE returned. */
  readonly results: readonly (readonly number[])[];
}

/** Runs after which all has been loaded, made and optimised. */
export const SETTLED = 100;
