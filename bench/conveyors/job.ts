/** The job of one world's PEs in `bench conveyors`: one operation with one kind of loop. */
import type { ConveyorOptions } from "../../src/conveyor.ts";
import type { Size } from "./payloads.ts";

/** An item at a time by push and pull; many at once, as columns; a whole session in one call. */
export type LoopKind = "item-wise" | "batch-wise" | "run";

/** What is done. */
export type Work = Size | "histogram" | "index-gather";

/** How long it is measured. */
export interface SessionVolume {
  /** Number of timed sessions. */
  readonly sessions: number;
  /** Target time of one, ms: its items are counted out when V8 has compiled the loop. */
  readonly sessionMs: number;
  /** Duration of the short sessions before the timed ones, ms: V8 compiles meanwhile, on the same CPUs. */
  readonly warmMs: number;
}

/** A job: passed to the program. */
export interface ConveyorJob extends SessionVolume {
  readonly work: Work;
  readonly way: LoopKind;
  readonly options: Pick<ConveyorOptions, "type" | "hops">;
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
 * Items of a short session of two PEs. V8 compiles a function that is called often as a whole; of one that is called rarely only the
 * loop, and in such code it allocates objects for numbers that the loop adds up.
 */
export const WARM_ITEMS = 10_000;

/** Items of which a PE has the indices in a histogram or an index-gather: as in the C program (items.c). */
export const REQUESTS: number = 2 ** 20;
