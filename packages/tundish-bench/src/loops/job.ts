/** The jobs of the PEs of `bench loops`. */
import type { Entry } from "../../../../microbench/turns/turns.ts";
import type { LoopSchedule } from "../../../../src/loop.ts";
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

/** Uneven work under a schedule, by one thread without a loop of ours if that is null; then `later` times again. */
export interface UnevenJob {
  readonly name: UnevenName;
  readonly schedule: LoopSchedule | null;
  readonly quick: boolean;
  readonly later: number;
}

/** What synchronisation costs, as in peers/c/openmp/sync.c. */
export interface SyncJob extends LoopVolume {
  readonly kind: "sync";
}

/** Adaptive quadrature of a function with so many peaks, as in peers/c/openmp/quadrature.c. */
export interface QuadratureJob {
  readonly kind: "quadrature";
  readonly peaks: number;
  readonly runs: number;
}

/** Of bench-loops.program.ts. */
export type LoopJob = OverheadJob | SyncJob | QuadratureJob;

export interface LoopAnswer {
  /** Whether the PE is bound to a CPU. */
  readonly bound: boolean;
  /** Without the name; of PE 0. */
  readonly entries: readonly Omit<Entry, "name">[];
}

/** Iterations of each PE in a loop, as in peers/c/openmp/loops.c. */
export const EACH = 1024;

/** One thread, without a loop of ours. */
export const ALONE = "alone";

/** The first run of a process, and those after it. */
export const FIRST = "first";
export const LATER = "later";

/** The work of synchronisation by one thread, without a construct. */
export const WORK_ALONE = "work alone";

/** Pieces of work of each PE between two looks at the clock, as in sync.c; and the constructs behind them. */
export const SYNC_EACH = 128;
export const SYNC = ["barrier", "for with reduction", "single", "lock and unlock", "atomic", "ordered"] as const;

export const QUADRATURE = "adaptive quadrature";
