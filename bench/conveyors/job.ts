/** What the PEs of one world measure in `bench conveyors`: one thing, done in one way. */
import type { ConveyorOptions } from "../../src/index.ts";
import type { Size } from "./payloads.ts";

/** An item at a time by push and pull; many at once; a whole session in one call. */
export type LoopKind = "item-wise" | "batch-wise" | "run";

/** What to measure: handed to the program. */
export interface ConveyorJob {
  readonly work: Size | "histogram" | "index-gather";
  readonly way: LoopKind;
  readonly options: Pick<ConveyorOptions, "type" | "hops">;
  /** Items that each PE pushes in a session. */
  readonly items: number;
  /** Sessions that count. */
  readonly sessions: number;
  /** For so long, ms, short sessions come first: V8 compiles meanwhile, on the same CPUs. */
  readonly warmMs: number;
}

/** Sessions, one after the other, each checked. */
export interface Sessions {
  /** What is timed. */
  session(): void;
  /**
   * A short one, which is not: with a few thousand items. V8 compiles a function that is called often as a whole; of one that is called
   * rarely only the loop, and in such code it makes objects of numbers that the loop adds up.
   */
  warm(): void;
  /** What comes after it. @throws Error when anything is missing or too much */
  check(): void;
}

/** Items of a short session. */
export const WARM_ITEMS = 10_000;
