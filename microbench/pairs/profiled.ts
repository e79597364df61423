/** Options and results of the measurements: shared by the profile, the comparison and the CLI. */
import type { ChannelKind } from "../../src/ground/base/channel-kinds.ts";
import type { MachineModel, Topology } from "../../src/machine/model/machine-model.ts";

/** A progress report of a measurement; made between rounds, never inside a timed section. */
export interface Progress {
  /** The current stage, for example `pass 2: pair 3 of 12`. */
  readonly stage: string;
  /** Finished share of the expected work, 0 to 1. */
  readonly done: number;
}

/** Options of {@link profile}. */
export interface ProfileOptions {
  /** The CPUs to measure, one PE each. @default all usable ones (one per core, inside mask and quota) */
  readonly cpus?: readonly number[];
  /** The topology, if it was read already. @default read now */
  readonly topology?: Topology;
  /** The kind of channels that are measured. @default what TUNDISH_CHANNEL names, else `"ump"` */
  readonly channel?: ChannelKind;
  /** Rounds per pair and batch size in one pass. @default 5000, fewer when there are many pairs */
  readonly rounds?: number;
  /** Least and largest number of passes over all pairs. @default 5 and 15 */
  readonly minPasses?: number;
  readonly maxPasses?: number;
  /** No new pass begins after this time, ms. @default 20000 */
  readonly budgetMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** A model of this machine; `noise.stable` tells whether it is reliable. */
export interface Profiled extends MachineModel {
  readonly noise: NonNullable<MachineModel["noise"]>;
}

/** A measurement of one program doing one operation. */
export interface Measured {
  /** The program: `tundish`, `postMessage`, `flat SharedArrayBuffer barrier`, `npm multithreading`. */
  readonly name: string;
  /** The operation: `barrier`, `broadcast f64`, `reduce f64`, `allreduce f64`, `round trip`, … */
  readonly what: string;
  /** Median over batches, ns per operation. */
  readonly ns: number;
  /** Quartiles over batches, ns per operation. */
  readonly low: number;
  readonly high: number;
  /** Operations per batch and number of batches. */
  readonly batch: number;
  readonly batches: number;
  /** The mode of the counted turns: the typical line round trip, ns; null if it changed in each of them. */
  readonly mode?: number | null;
}

/** A program that could not be measured, and the reason. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** A collective's latency: predicted by the model and measured. */
export interface Prediction {
  /**
   * `broadcast`, `reduce`: in one direction, the tree's root and the last leaf in turn being the root; `allreduce`: by
   * exchange, or the reduce tree and then the broadcast tree from its root, as the model chooses.
   */
  readonly operation: "barrier" | "broadcast" | "reduce" | "allreduce";
  readonly algorithm: string;
  /** ns, by the model. */
  readonly predicted: number;
  /** ns, median. */
  readonly measured: number;
}

/** Result of the comparison that `npm start` prints. */
export interface Comparison {
  readonly pes: number;
  /** Cache-line round trip in ns before and after each counted turn: shows near or far. */
  readonly probe: readonly number[];
  /** Whether the machine was in the same mode, near or far, as while it was profiled. */
  readonly likeProfile: boolean;
  /** Number of turns, and of those excluded because of their mode. */
  readonly turns: number;
  readonly left: number;
  readonly predictions: readonly Prediction[];
  readonly ours: readonly Measured[];
  readonly rivals: readonly Measured[];
  /** Programs that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}

/** Options of {@link compare}. */
export interface CompareOptions {
  /** Turns of each program in the profile's mode. @default 3 */
  readonly turns?: number;
  /** No turn beyond the first `turns` starts after this time, ms. @default 20000 */
  readonly budgetMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}
