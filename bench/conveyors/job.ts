/** The job of one world's PEs in `bench conveyors`: one operation with one kind of loop. */
import type { ConveyorOptions } from "../../src/index.ts";
import type { Size } from "./payloads.ts";

/** An item at a time by push and pull; many at once; a whole session in one call. */
export type LoopKind = "item-wise" | "batch-wise" | "run";

/** A job: passed to the program. */
export interface ConveyorJob {
  readonly work: Size | "histogram" | "index-gather";
  readonly way: LoopKind;
  readonly options: Pick<ConveyorOptions, "type" | "hops">;
  /** Items that each PE pushes in a session. */
  readonly items: number;
  /** Number of timed sessions. */
  readonly sessions: number;
  /** Duration of the short sessions before the timed ones, ms: V8 compiles meanwhile, on the same CPUs. */
  readonly warmMs: number;
}

/** Sessions, one after another, each checked. */
export interface Sessions {
  /** A timed session. */
  session(): void;
  /**
   * A short session that is not timed, with a few thousand items. V8 compiles a function that is called often as a
   * whole; of one that is called rarely only the loop, and in such code it allocates objects for numbers that the loop
   * adds up.
   */
  warm(): void;
  /** Checks the last session. @throws Error if items are missing or duplicated */
  check(): void;
}

/** Items of a short session. */
export const WARM_ITEMS = 10_000;
