/** The jobs of the PEs of `bench loops`. */
import type { Entry } from "../../../../microbench/turns/turns.ts";
import type { UnevenName } from "./works.ts";

/** How long it is measured. */
export interface LoopVolume {
  /** Batches of each measurement, and their time, ms. */
  readonly batches: number;
  readonly batchMs: number;
}

/** What the schedules cost, where all iterations are the same. */
export interface OverheadJob extends LoopVolume {
  readonly kind: "overhead";
  readonly chunks: readonly number[];
}

/** Uneven work by one thread without a loop of ours (one PE), or under each schedule. */
export interface UnevenJob {
  readonly kind: "uneven";
  readonly name: UnevenName;
  readonly quick: boolean;
  readonly runs: number;
}

/** What synchronisation costs, as in peers/c/sync.c. */
export interface SyncJob extends LoopVolume {
  readonly kind: "sync";
}

/** Adaptive quadrature of a function with so many peaks, as in peers/c/quadrature.c. */
export interface QuadratureJob {
  readonly kind: "quadrature";
  readonly peaks: number;
  readonly runs: number;
}

export type LoopJob = OverheadJob | UnevenJob | SyncJob | QuadratureJob;

export interface LoopAnswer {
  /** Whether the PE is bound to a CPU. */
  readonly bound: boolean;
  /** Without the name; of PE 0. */
  readonly entries: readonly Omit<Entry, "name">[];
}

/** Iterations of each PE in a loop, as in peers/c/loops.c. */
export const EACH = 1024;

/** One thread, without a loop of ours. */
export const ALONE = "alone";

/** Pieces of work of each PE between two looks at the clock, as in peers/c/sync.c; and the constructs behind them. */
export const SYNC_EACH = 128;
export const SYNC = ["barrier", "for with reduction", "single", "lock and unlock", "atomic", "ordered"] as const;

export const QUADRATURE = "adaptive quadrature";
