/** A loop as what runs it gets it. */
import type { OpName } from "../../collectives/team/call-words.ts";
import type { RunClaim } from "./bodies.ts";
import type { Slot } from "./chunks/area.ts";
import type { LoopEnd } from "./chunks/endings.ts";
import type { LoopOptions } from "./chunks/options.ts";
import type { OrderedRun } from "./ordered.ts";

/** A loop that has been checked. */
export interface LoopJob<T> {
  /** The call, for messages. */
  readonly call: string;
  readonly count: number;
  /** A hash of what PEs must agree in besides. */
  readonly terms: number;
  readonly options: LoopOptions;
  /** The op of its values, the same at all PEs. */
  readonly op: OpName;
  /** Runs the body for some iterations. */
  readonly run: RunClaim;
  /** What it runs these with, where there is an ordered part. @default there is none */
  readonly ordered?: OrderedRun | undefined;
  /** Called before the first one, at each PE. @default nothing is to be done */
  readonly prepare?: ((slot: Slot) => void) | undefined;
  /** Over nodes: whether each node runs all of it. @default its share */
  readonly isOnEach?: boolean;
  /** How many iterations of the program some are, where they are not the same. @default one each */
  readonly iterationsIn?: ((...claim: Parameters<RunClaim>) => number) | undefined;
  /** Called when nothing is left to run at this PE. @default nothing is to be checked */
  readonly check?: (() => void) | undefined;
  /** null for none: the barrier is at the beginning of the group's next loop. */
  readonly ending: LoopEnd<T> | null;
}
