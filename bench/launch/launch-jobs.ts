/** What `bench launch` measures: data, and what its processes are told and say. */
import type { MachineModel } from "../../src/machine/model/types.ts";

/** A computation whose input each thread makes for its own share. */
export type WorkName = "sum" | "k-means";

/** Work of a size: terms or points. */
export interface Work {
  readonly name: WorkName;
  readonly size: number;
}

/** A process: it does this `runs` times, one after the other. */
export interface LaunchOrder {
  /** `alone`: in the main thread, bound to the first CPU. `launch`: a new world each time. `open`: one world for all runs. */
  readonly way: "alone" | "launch" | "open";
  readonly pes: number;
  readonly machine: MachineModel;
  /** Null: the PEs return at once. */
  readonly work: Work | null;
  readonly runs: number;
}

/** What it prints. Times are ns. */
export interface LaunchAnswer {
  /** Of the import of the package. */
  readonly imported: number;
  /** Of the opening of the world; null where none was opened. */
  readonly opened: number | null;
  /** Of each run, until its result is there. */
  readonly times: readonly number[];
  /** Resident memory of the process after the first {@link SETTLED} runs, and after all, bytes. */
  readonly memory: readonly [settled: number, last: number];
  /** The result of each run. */
  readonly results: readonly (readonly number[])[];
}

/** The amount of measurement. */
export interface LaunchVolume {
  readonly sizes: Readonly<Record<WorkName, readonly number[]>>;
  /** Runs of each process: the first one, and later ones. */
  readonly runs: number;
  /** Runs in an open world whose PEs return at once. */
  readonly openRuns: number;
}

/** Runs after which all has been loaded, made and optimised. */
export const SETTLED = 100;

export const FULL: LaunchVolume = {
  sizes: { sum: [1e6, 3e6, 1e7, 3e7, 1e8, 3e8], "k-means": [1e4, 3e4, 1e5, 3e5, 1e6] },
  runs: 4,
  openRuns: 1000,
};
export const QUICK: LaunchVolume = {
  sizes: { sum: [1000, 3000], "k-means": [100, 300] },
  runs: 2,
  openRuns: 20,
};

const UNITS: Readonly<Record<WorkName, string>> = { sum: "terms", "k-means": "points" };

/** Number of something: `1000 terms`. */
export const sizeText = ({ name, size }: Work): string => `${size} ${UNITS[name]}`;

/** The operations of a work: its first run in a process, later ones, and those beside later ones in an open world. */
export const whatsOf = (work: Work): [first: string, later: string, open: string] => [
  `${work.name}, ${sizeText(work)}, first`,
  `${work.name}, ${sizeText(work)}, later`,
  `${work.name}, ${sizeText(work)}, open world`,
];
