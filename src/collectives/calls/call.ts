/**
 * A collective call: what it is, how it is begun, and what may end it early.
 *
 * Its options are checked by hand and not by base/options.ts: they come with each call, and a schema would take CALLNS.
 */

import { AbortedError, HeapError, UsageError } from "../../base/errors.ts";
import { checkNames } from "../../base/names.ts";
import { shortText } from "../../base/short-text.ts";
import { LARGER_HEAP } from "../../memory/allocator.ts";
import type { Heap } from "../../memory/heap.ts";
import { type Algorithm, callName } from "../team/call-words.ts";
import type { Operation } from "../team/operation.ts";
import { CHOICES } from "./decide.ts";

/** Options of a single call. */
export interface CallOptions {
  /** Time this call may take, ms; then it throws a TimeoutError, and the world ends. @default no limit */
  readonly timeout?: number | undefined;
  /** Aborts an Async call; a blocking call looks at it only before it begins. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * The algorithm of a broadcast, reduce or allreduce, the same at all PEs; `explain()` names them. The
   * other calls have one each. @default chosen by size and model
   */
  readonly algorithm?: Algorithm | undefined;
}

/** What {@link CallOptions} may name. */
const NAMES: readonly string[] = ["timeout", "signal", "algorithm"];

/** A call that has been checked, and can be begun. */
export interface Call<T> {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  begin(tag: number): Operation<unknown>;
  finish(result: unknown): T;
  /** All of it, blocking, for calls that are faster so; others see no difference. */
  readonly straight?: ((tag: number) => T) | undefined;
}

/**
 * Passes for options that can be used with the call that `word` stands for. Which of its algorithms a call
 * with a choice can use is checked when it is chosen.
 * @throws UsageError; AbortedError when the signal has come already
 */
export function checkCallOptions(options: CallOptions | undefined, word: number): void {
  if (options === undefined) return;
  checkNames(callName(word), options, NAMES, "option");
  const { timeout, signal, algorithm } = options;
  if (algorithm !== undefined && !Object.hasOwn(CHOICES, callName(word))) {
    throw new UsageError(
      `algorithm: only ${Object.keys(CHOICES).join(", ")} have a choice; ${callName(word)} got ${shortText(algorithm)}. Leave it out.`,
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

/** The heap is full: the one failure that leaves the world as it was, as all PEs know of it. */
export class HeapRefusal extends HeapError {
  constructor(bytes: number, heap: Heap) {
    super(
      `alloc: the heap has no ${bytes} bytes in one piece for all PEs: ${heap.freeText} here. ${LARGER_HEAP}`,
    );
    this.name = "HeapError";
  }
}
