/** The job of one world's PEs: one operation with one kind of loop. */
import type { ConveyorOptions } from "../../src/conveyor.ts";
import type { ProbeWords } from "../turns/distance.ts";
import type { Size } from "./payloads.ts";

/** An item at a time by push and pull; many at once, as columns; a whole session in one call. */
export type LoopKind = "item-wise" | "batch-wise" | "run";

/** How long it is measured. */
export interface SessionVolume {
  /** Number of timed sessions. */
  readonly sessions: number;
  /** Target time of one, ms: its items are counted out when V8 has compiled the loop. */
  readonly sessionMs: number;
  /** Duration of the short sessions before the timed ones, ms: V8 compiles meanwhile, on the same CPUs. */
  readonly warmMs: number;
}

/** A job: passed to the program. @typeParam Work items of a size to random PEs, unless the program knows others */
export interface ConveyorJob<Work = Size> extends SessionVolume {
  readonly work: Work;
  readonly way: LoopKind;
  readonly options: Pick<ConveyorOptions, "type" | "hops">;
}

/** One after the other: the argument of a program. */
export interface ConveyorJobs<Work = Size> extends ProbeWords {
  readonly jobs: readonly ConveyorJob<Work>[];
}

/** The timed sessions of one loop. */
export interface TimedSessions {
  /** Items that each PE pushed in a session. */
  readonly items: number;
  /** ns per item, of each session. */
  readonly samples: readonly number[];
  /** Round trips of a cache line around each session; none with more PEs than CPUs, which would wait for a CPU. */
  readonly probes?: readonly (readonly number[])[];
}

/** The result of a PE. */
export interface ConveyorAnswer {
  /** Whether it is bound to a CPU. */
  readonly bound: boolean;
  /** By job. */
  readonly timed: readonly TimedSessions[];
}

/** Sessions, one after another, each checked. */
export interface Sessions {
  /** Largest number of items. @default any */
  readonly most?: number;
  /** A session. All PEs push the same number of items. */
  session(items: number): void;
  /** Checks the last session. Collective. @throws Error if items are missing or duplicated */
  check(): void;
}

/**
 * Items of a short session of two PEs. V8 compiles a function that is called often as a whole; of one that is called
 * rarely only the loop, and in such code it allocates objects for numbers that the loop adds up.
 */
export const WARM_ITEMS = 10_000;
