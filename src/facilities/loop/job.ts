/** A loop as what runs it gets it. */
import type { OpName } from "../../collectives/team/call-words.ts";
import type { RunClaim } from "./bodies.ts";
import type { LoopEnd } from "./chunks/endings.ts";
import type { LoopOp, LoopOptions } from "./chunks/options.ts";
import type { OrderedRun } from "./ordered.ts";
import type { Iterations } from "./range.ts";

/** A loop that has been checked. */
export interface LoopJob<T> {
  /** The call, for messages. */
  readonly call: string;
  readonly count: number;
  /** A hash of what PEs must agree in besides. */
  readonly terms: number;
  /** Of the loop that has it now. */
  options: LoopOptions;
  /** The op of its values, the same at all PEs. */
  readonly op: OpName;
  /** Runs the body for some iterations. */
  readonly run: RunClaim;
  /** null for none: the barrier is at the beginning of the group's next loop. */
  readonly ending: LoopEnd<T> | null;
  /** What it runs these with, where there is an ordered part. @default there is none */
  readonly ordered: OrderedRun | undefined;
  /** Over nodes: whether each node runs all of it. @default its share */
  readonly isOnEach: boolean;
  /** How many iterations of the program some are, where they are not the same. @default one each */
  readonly iterationsIn: ((...claim: Parameters<RunClaim>) => number) | undefined;
  /** Called when nothing is left to run at this PE. @default nothing is to be checked */
  readonly check: (() => void) | undefined;
}

/** A job that the next loop has, too, if it is the same. */
export interface KeptJob {
  readonly call: string;
  readonly over: number;
  readonly body: (...args: never[]) => unknown;
  readonly iterations: Iterations;
  readonly op: LoopOp | undefined;
  readonly initial: number | undefined;
  readonly wait: boolean | undefined;
  readonly job: LoopJob<unknown>;
}

/** One with nothing but a body and an end. All have their fields in this order, for V8. */
export const loopJob = <T>(
  call: string,
  { count, terms }: Pick<Iterations, "count" | "terms">,
  options: LoopOptions,
  op: OpName,
  run: RunClaim,
  ending: LoopEnd<T> | null,
): LoopJob<T> => ({
  call,
  count,
  terms,
  options,
  op,
  run,
  ending,
  ordered: undefined,
  isOnEach: false,
  iterationsIn: undefined,
  check: undefined,
});
