/** A collective call: its description, its begin, and its limits. */

import { inWords } from "../../base/account.ts";
import { AbortedError, HeapError, UsageError } from "../../base/errors.ts";
import { LARGER_HEAP } from "../../memory/allocator.ts";
import type { Heap } from "../../memory/heap.ts";
import { type Algorithm, callName } from "../team/call-words.ts";
import type { Operation } from "../team/operation.ts";
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
  readonly algorithm?: Algorithm | undefined;
}

/** The names of {@link CallOptions}. */
const NAMES: readonly string[] = ["timeout", "signal", "algorithm"];

/** A checked call that can be begun. */
export interface Call<T> {
  readonly word: number;
  readonly count: number;
  readonly root: number;
  begin(tag: number): Operation<unknown>;
  finish(result: unknown): T;
}

/**
 * Checks options for the call of `word`. An algorithm is checked later, when it is chosen.
 * @throws UsageError; AbortedError if the signal is aborted already
 */
export function checkCallOptions(options: CallOptions | undefined, word: number): void {
  if (options === undefined) return;
  const unknown =
    typeof options === "object" && options !== null
      ? Object.keys(options).find((name) => !NAMES.includes(name))
      : inWords(options);
  if (unknown !== undefined) {
    throw new UsageError(`options of a call: expected { ${NAMES.join(", ")} }, got ${unknown}`);
  }
  const { timeout, signal, algorithm } = options;
  if (algorithm !== undefined && !Object.hasOwn(CHOICES, callName(word))) {
    throw new UsageError(
      `algorithm: only ${Object.keys(CHOICES).join(", ")} have a choice; ${callName(word)} got ${inWords(algorithm)}. Leave it out.`,
    );
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new UsageError(`signal: expected an AbortSignal, got ${inWords(signal)}`);
  }
  if (timeout !== undefined && !(typeof timeout === "number" && timeout > 0)) {
    throw new UsageError(`timeout: expected a number of milliseconds > 0, got ${inWords(timeout)}`);
  }
  if (signal?.aborted) {
    throw new AbortedError(`The call was aborted before it began: ${inWords(signal.reason)}`, {
      cause: signal.reason,
    });
  }
}

/**
 * The heap is full. This is the only failure of a begun call after which the world continues, as all PEs know of it.
 */
export class HeapRefusal extends HeapError {
  constructor(bytes: number, heap: Heap) {
    super(
      `alloc: the heap has no contiguous ${bytes} bytes for all PEs: ${heap.freeText} here. ${LARGER_HEAP}`,
    );
    this.name = "HeapError";
  }
}
