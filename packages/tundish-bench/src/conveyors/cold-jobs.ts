/** The jobs of `bench conveyors --cold`, each for a process of its own: data. */
import type { LoopKind } from "../../../../microbench/conveyors/job.ts";

/** The first sessions that are told. */
export const FIRST: readonly number[] = [1, 2, 3, 10];

export const nthSession = (nth: number): string => `${nth}${["st", "nd", "rd"][nth - 1] ?? "th"} session`;

/** The use of CPUs during a session. */
export const SPENT = {
  cpu: "CPU time of a PE",
  waiting: "wait of a PE for a CPU",
  others: "CPU time of V8's threads",
} as const;

interface Later {
  /** Time between the first and the later ones, ms, and number of these. */
  readonly warmMs: number;
  readonly batches: number;
}

/** Keys are counted, by so many PEs as there are: see tally.ts. */
export interface TallyJob extends Later {
  readonly kind: "tally";
  readonly items: number;
}

/**
 * The work of the PEs; `items` are those that each pushes in a session. For `own` see own-ring.ts, for `columns`
 * columns-run.ts.
 */
export type ColdJob =
  | (Later & { readonly kind: "columns"; readonly items: number })
  | (Later & { readonly kind: "sessions"; readonly way: LoopKind; readonly items: number })
  | (Later & { readonly kind: "own"; readonly way: Exclude<LoopKind, "run">; readonly items: number })
  | {
      readonly kind: "anew" | "kept";
      readonly way: LoopKind;
      readonly items: number;
      readonly sessions: number;
    }
  | (Later & { readonly kind: "empty" })
  | TallyJob;

/** The amount of measurement. */
export interface ColdVolume extends Later {
  readonly items: number;
  /** Sessions over one conveyor, or over as many. */
  readonly sessions: number;
  readonly sessionWays: readonly Exclude<LoopKind, "run">[];
  /** Keys that are counted. */
  readonly tallies: readonly number[];
}

export const COLD: ColdVolume = {
  warmMs: 1000,
  batches: 20,
  items: 100_000,
  sessions: 100,
  sessionWays: ["batch-wise", "item-wise"],
  tallies: [1e3, 1e4, 1e5, 1e6, 1e7],
};
export const COLD_QUICK: ColdVolume = {
  warmMs: 0,
  batches: 2,
  items: 2000,
  sessions: 3,
  sessionWays: ["batch-wise"],
  tallies: [1000],
};
