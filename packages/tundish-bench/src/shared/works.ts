/** The cases of `bench shared`: what is measured, and the arguments of its PEs. */

/** Locks, by one PE and by two at once; maps, by one thread's Map and by two PEs. */
export type SharedWork = "lock" | "get" | "mixed" | "insert";

/** A job for a fresh process. */
export interface SharedJob {
  readonly kind: "alone" | "together";
  readonly work: SharedWork;
  /** Operations of all PEs together. */
  readonly size: number;
  readonly runs: number;
}

/** The answer of each PE. */
export interface SharedAnswer {
  readonly bound: boolean;
  /** ns of each run; the first one has cold code. */
  readonly times: readonly number[];
  /** Bytes of memory for each entry; null where there are none. */
  readonly entryBytes: number | null;
}

/** Entries of the maps. */
export const ENTRIES = 200_000;

export const FULL = { size: 2_000_000, runs: 8 };
export const QUICK = { size: 2000, runs: 2 };

const TEXTS: Readonly<Record<SharedWork, string>> = {
  lock: "lock and unlock",
  get: `map of ${ENTRIES} numbers, get`,
  mixed: `map of ${ENTRIES} numbers, 9 of 10 get, 1 sets`,
  insert: "map, insert from empty on",
};
export const textOf = (work: SharedWork): string => TEXTS[work];
/** Of maps the first run of a process is told apart. */
export const firstOf = (what: string): string => `${what}, first run`;
