/** The cases of `bench containers`: data, and the arguments of its PEs. */

export type WorkName =
  | "counting map, u32"
  | "counting map, words"
  | "counting map, k-mers"
  | "run of a conveyor, k-mers"
  | "map, insert"
  | "map, visit"
  | "set, insert"
  | "array, add"
  | "disjoint set, union";

/** The single-threaded counterpart of the container. */
export const RIVALS: Readonly<Record<WorkName, string>> = {
  "counting map, u32": "Map",
  "counting map, words": "Map",
  "counting map, k-mers": "typed table",
  "run of a conveyor, k-mers": "typed table",
  "map, insert": "Map",
  "map, visit": "Map",
  "set, insert": "Set",
  "array, add": "Float64Array",
  "disjoint set, union": "union-find",
};

/** A job for a fresh process: operations of all PEs together, `runs` times after at least `warmMs` of the same. */
export interface ContainerJob {
  /**
   * By one thread, by all PEs, or each PE with its share as one thread does it, nothing sent: what the machine allows.
   */
  readonly kind: "alone" | "together" | "apart";
  readonly name: WorkName;
  readonly size: number;
  readonly warmMs: number;
  readonly runs: number;
}

/** The answer of each PE. */
export interface ContainerAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** ns of each run. */
  readonly times: readonly number[];
  /** Bytes of memory for each entry; null where nothing grows with entries. */
  readonly entryBytes: number | null;
}

/** A computation whose input is there. */
export interface Work {
  /** Does all of it, from the input on, each time. Collective of several PEs. */
  run(): void;
  /** Some numbers that depend on all of the result, the same at every PE. Collective. */
  result(): readonly number[];
  /** Bytes of memory for each entry; null where there are no entries. Collective. */
  entryBytes(): number | null;
}

/** The amount of measurement. */
export type ContainerVolume = Omit<ContainerJob, "kind" | "name">;

export const FULL: ContainerVolume = { size: 2e6, warmMs: 500, runs: 5 };
export const QUICK: ContainerVolume = { size: 2000, warmMs: 0, runs: 2 };

/** Whether the table is in no cache, so that what memory allows two threads bounds all. */
export const isLarge = (name: WorkName): boolean => name.endsWith("k-mers");

/** Operations of a work. */
export const sizeOf = (name: WorkName, size: number): number => (isLarge(name) ? 10 * size : size);

/** `map, insert, 2000000 operations` */
export const whatOf = (name: WorkName, size: number): string => `${name}, ${size} operations`;
