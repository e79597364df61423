/**
 * A collective call: what it is, how it is begun, and what may end it early.
 *
 * Its options are checked by hand and not by ground/base/options.ts: they come with each call. By hand it is 22 ns, a
 * schema takes 1500.
 */

import { AbortedError, UsageError } from "../../ground/base/errors.ts";
import { checkNames } from "../../ground/base/names.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { Task } from "../../ground/wait/task.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import { CHOICES } from "./decide.ts";

/** Options of a single call. */
export interface CallOptions {
  /** Limit of this call, ms; beyond it the call throws a TimeoutError and the world ends. @default no limit */
  readonly timeout?: number | undefined;
  /** Aborts an Async call. A blocking call checks it only before it begins. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * The algorithm of a broadcast, reduce or allreduce, the same at all PEs; `explain()` lists them. The other calls
   * have one each. @default chosen by size and model
   */
  readonly algorithm?: CollectiveAlgorithm | undefined;
}

/** The names of {@link CallOptions}. */
const NAMES: readonly string[] = ["timeout", "signal", "algorithm"];
const WITH_INTO: readonly string[] = [...NAMES, "into"];

/** The calls that return arrays, with the option `into`. */
const INTO_CALLS: readonly string[] = ["gather", "allgather", "scatter", "alltoall", "alltoallv", "reduceScatter"];

/** A checked call that can be begun. */
export interface CheckedCall<T> {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  begin(tag: number): Task<unknown>;
  finish(result: unknown): T;
}

/** Passes for a rank among `size` PEs. @throws UsageError for anything else */
export function checkRoot(root: number, size: number): void {
  if (Number.isInteger(root) && root >= 0 && root < size) return;
  throw new UsageError(`root: expected a rank from 0 to ${size - 1}, got ${shortText(root)}`);
}

/** Checks options for a call; an algorithm later. @throws UsageError; AbortedError if the signal is aborted already */
export function checkCallOptions(options: CallOptions | undefined, name: string): void {
  if (options === undefined) return;
  checkNames(name, options, INTO_CALLS.includes(name) ? WITH_INTO : NAMES, "option");
  const { timeout, signal, algorithm } = options;
  if (algorithm !== undefined && !Object.hasOwn(CHOICES, name)) {
    throw new UsageError(
      `algorithm: only ${Object.keys(CHOICES).join(", ")} have a choice; ${name} got ${shortText(algorithm)}. Leave it out.`,
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new UsageError(`signal: expected an AbortSignal, got ${shortText(signal)}`);
  }
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    throw new UsageError(`timeout: expected a number of milliseconds > 0, got ${shortText(timeout)}`);
  }
  if (signal?.aborted) {
    throw new AbortedError(`The call was aborted before it began: ${shortText(signal.reason)}`, {
      cause: signal.reason,
    });
  }
}
