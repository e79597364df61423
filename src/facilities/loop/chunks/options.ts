/**
 * Options of loops. They are checked by hand and not by ground/base/options.ts, as those of collective calls: they come
 * with each loop.
 */
import { SCHEDULES } from "../../../collectives/team/call-words.ts";
import type { Op } from "../../../collectives/team/payload.ts";
import { AbortedError, UsageError } from "../../../ground/base/errors.ts";
import { checkNames } from "../../../ground/base/names.ts";
import type { AtOnce } from "../../../ground/base/promise.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { ReduceOp } from "../../../ground/memory/kernels/elements.ts";
import { combineNumbers } from "../../../ground/memory/kernels/scalar.ts";
import { MOST } from "./layout.ts";

/**
 * Who runs which iterations: of all, or over nodes of those of its node.
 *
 * - `static`: each PE a block; with `chunk`, chunks in turn (cyclic); with `weights`, blocks of these sizes. No memory
 *   that another PE writes is touched: for iterations that take equally long.
 * - `dynamic`: who is free takes the next `chunk`, in order; several at once while they take some us, and the loop has
 *   many. One counter for all PEs.
 * - `guided`: the same, with half of an even share of what is left, and at least `chunk`.
 * - `steal`: each PE begins with its block; who has none left takes half of what another one has left, of the nearest
 *   one first, by the machine model.
 * - `auto`: as `steal`, but a PE whose first chunks say that its block takes less than some 10 us runs it at once.
 *
 * Source: OpenMP 5.2, section 11.5.3 (static, dynamic, guided, auto); Blumofe and Leiserson, 1999 (work stealing).
 */
export type LoopSchedule = "static" | "dynamic" | "guided" | "steal" | "auto";

/**
 * The op of a loop's values: a name as for allreduce of numbers, or a function of two of them, which is associative.
 */
export type LoopOp = ReduceOp | ((a: number, b: number) => number);

/** Options of a loop: the same at all PEs, but signal, timeout and onProgress. */
export interface LoopOptions {
  /** Who runs which iterations. @default "steal" */
  readonly schedule?: LoopSchedule | undefined;
  /**
   * The most iterations that the body of `forRange` gets at once, and the least that a PE takes; with `guided` only
   * the latter.
   * @default of static, its block; of dynamic and guided, 1; of steal and auto, as many as take some 10 us
   */
  readonly chunk?: number | undefined;
  /** Of `static`: how much each PE gets of the whole, by rank, such as [1, 1, 2]. @default all the same */
  readonly weights?: readonly number[] | undefined;
  /**
   * Whether the loop ends with a barrier. Without it a PE goes on as soon as nothing is left to take, and the barrier
   * is at the beginning of the group's next loop, which throws the error of this one.
   * @default true
   */
  readonly wait?: boolean | undefined;
  /**
   * Limit of the loop, ms: whoever sees it exceeded between two chunks, or while it waits for others, ends the loop at
   * all PEs with a TimeoutError. Others then get as long again, and at least 1 s, for the chunk that they are in,
   * before the world ends.
   * @default no limit
   */
  readonly timeout?: number | undefined;
  /** Ends the loop at all PEs; of a blocking loop only if it was aborted before the loop began. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called at this PE with the iterations that are over at all PEs, and all: at most every 100 ms, between chunks and
   * while it waits; at the end, unless the loop was ended early, once with all.
   */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Options of a loop with an ordered part. */
export interface OrderedOptions<Given extends readonly unknown[]> extends LoopOptions {
  /**
   * Gets what the body has returned, and then what the body has got: in the order of the iterations, one at a time, at
   * the PE that has run the body; of `forRange` for each chunk. Bodies of later iterations run meanwhile. On one node.
   *
   * The schedule is `dynamic` if none is said. Where each PE has a block, it waits for the blocks before its own.
   *
   * Source: OpenMP 5.2, section 15.10 (ordered).
   */
  readonly ordered: ((...given: Given) => AtOnce) | undefined;
}

/** Options of a loop that combines the values of its iterations. */
export interface ReduceOptions extends LoopOptions {
  /**
   * A value to begin with, once for all. @default that of the op's name; a function needs none unless there are no
   * iterations
   */
  readonly initial?: number | undefined;
  /**
   * Whether the result has the same bits for any number of PEs and any schedule: values are combined in fixed blocks,
   * at most 1024, and these in order.
   * @default false
   */
  readonly reproducible?: boolean | undefined;
}

/** Of a loop that has a result. */
export interface ReducingOptions extends ReduceOptions {
  /** How the values are combined that the body returns: the result is that of all, at all PEs. */
  readonly reduce: LoopOp;
}

const LOOP: readonly string[] = ["schedule", "chunk", "weights", "wait", "timeout", "signal", "onProgress"];
const REDUCE: readonly string[] = [...LOOP, "initial", "reproducible"];
/** The names of options. */
export const NAMES: Readonly<Record<"each" | "reduce" | "map" | "scan" | "single", readonly string[]>> = {
  each: [...REDUCE, "reduce", "ordered"],
  reduce: REDUCE,
  map: [...LOOP, "into"],
  scan: [...REDUCE, "into", "exclusive"],
  single: ["wait", "timeout", "signal"],
};

const NONE: ReducingOptions = { reduce: undefined as never };

/** All options, checked; unknown ones are absent. Allocates nothing. @param size PEs of the group @throws UsageError */
export function checkedOptions<O extends LoopOptions>(
  call: string,
  options: O | undefined,
  names: readonly string[],
  size: number,
): O {
  if (options === undefined) return NONE as LoopOptions as O;
  checkNames(call, options, names, "option");
  const { schedule = "steal", chunk, weights, wait, timeout, signal, onProgress } = options;
  if (!SCHEDULES.includes(schedule)) throw refused(call, "schedule", `one of ${SCHEDULES.join(", ")}`, schedule);
  if (chunk !== undefined && !(Number.isInteger(chunk) && chunk > 0 && chunk <= MOST)) {
    throw refused(call, "chunk", "a whole number from 1 to 2^31", chunk);
  }
  if (weights !== undefined) checkWeights(call, { schedule, chunk, weights }, size);
  if (wait !== undefined && typeof wait !== "boolean") throw refused(call, "wait", "true or false", wait);
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    throw refused(call, "timeout", "a number of milliseconds > 0", timeout);
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw refused(call, "signal", "an AbortSignal", signal);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw refused(call, "onProgress", "a function", onProgress);
  return options;
}

const refused = (call: string, name: string, expected: string, got: unknown): UsageError =>
  new UsageError(`${call}: ${name}: expected ${expected}, got ${shortText(got)}`);

export const abortedBy = (call: string, { reason }: AbortSignal): AbortedError =>
  new AbortedError(`${call}: the loop was aborted: ${shortText(reason)}`, { cause: reason });

function checkWeights(call: string, { schedule, chunk, weights }: LoopOptions, size: number): void {
  const isRight =
    Array.isArray(weights) &&
    weights.length === size &&
    weights.every((x) => Number.isFinite(x) && x >= 0) &&
    weights.some((x) => x > 0) &&
    Number.isFinite(weights.reduce((a, b) => a + b));
  if (!isRight) {
    throw new UsageError(
      `${call}: weights: expected ${size} numbers >= 0, one for each PE, with a finite sum > 0, got ${shortText(weights)}`,
    );
  }
  if (schedule === "static" && chunk === undefined) return;
  throw new UsageError(`${call}: weights: expected schedule: "static" without a chunk, as only its blocks have sizes`);
}

/** @throws UsageError */
export function checkOp(call: string, op: Op): (a: number, b: number) => number {
  if (typeof op === "string") return combineNumbers(op);
  if (typeof op === "function") return op as (a: number, b: number) => number;
  throw new UsageError(
    `${call}: reduce: expected the name of an operator (sum, prod, min, max, …) or a function of two numbers, got ${shortText(op)}`,
  );
}

/** @throws UsageError */
export function checkReduce(call: string, { wait, initial, reproducible }: ReduceOptions): void {
  if (wait === false) {
    throw new UsageError(`${call}: wait: false: a result needs the values of all PEs. Leave wait out`);
  }
  if (initial !== undefined && typeof initial !== "number") {
    throw new UsageError(`${call}: initial: expected a number, got ${shortText(initial)}`);
  }
  if (reproducible !== undefined && typeof reproducible !== "boolean") {
    throw new UsageError(`${call}: reproducible: expected true or false, got ${shortText(reproducible)}`);
  }
}
