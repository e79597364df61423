/** Who takes turns, what a turn gives, and what all of them say. */
import type { Measured, Missing } from "../pairs/profiled.ts";

/** The batches of one contender for one operation, in one turn. */
export interface Entry {
  /** The contender's name. */
  readonly name: string;
  /** The operation. */
  readonly what: string;
  /** Operations per batch. */
  readonly batch: number;
  /** ns per operation of each batch. */
  readonly samples: readonly number[];
  /** Cache-line round trips in ns before and after each batch. @default those before and after the turn */
  readonly probes?: readonly (readonly number[])[];
}

/** A program that takes turns. */
export interface Contender {
  readonly name: string;
  /** Its failure is thrown; failures of others are listed in `missing`. @default false */
  readonly required?: boolean;
  /** Takes one turn. */
  run(): Promise<readonly Entry[]>;
}

/** One turn of one contender, between two probes. */
export interface Turn {
  readonly contender: Contender;
  readonly probe: readonly [before: number, after: number];
  readonly entries: readonly Entry[];
}

/** A mode that the machine was in. */
export interface SeenMode {
  /** Median of the cache-line round trips, ns, rounded; null for turns during which it changed. */
  readonly mode: number | null;
  /** Number of turns with a batch in it. */
  readonly turns: number;
}

/** The turns and what they say about the machine. */
export interface TurnsMade {
  /** Cache-line round trip in ns before and after each counted turn. */
  readonly probe: readonly number[];
  /** The modes of the counted batches; the one that was seen in most turns first. */
  readonly modes: readonly SeenMode[];
  /** Whether each contender had a batch in the first mode, or the one asked for; if not in that, all count. */
  readonly complete: boolean;
  /** Number of turns, and of those not counted. */
  readonly turns: number;
  readonly left: number;
}

/** The result of the turns. */
export interface TurnsTaken extends TurnsMade {
  /** By contender, operation and mode, in their order, modes as in `modes`. */
  readonly measured: readonly Measured[];
  /** Contenders that could not be measured, and the reasons. */
  readonly missing: readonly Missing[];
}
