/**
 * Collective calls of containers, each written once for its blocking form and its Async form: as steps, each of which is a collective
 * of the group, with local work between them.
 */

import type { CallOptions } from "../../collectives/calls/call.ts";
import { MismatchError } from "../../ground/base/errors.ts";
import { fnv1a } from "../../ground/base/hash.ts";
import type { Group } from "../../pe/group.ts";

/** A step: a collective, and what it gives. */
interface Step {
  block(group: Group, options?: CallOptions): unknown;
  await(group: Group, options?: CallOptions): Promise<unknown>;
}

/** A collective call in steps. @typeParam T what it gives at this PE */
export type Steps<T> = Generator<Step, T, unknown>;

/** Sums a number of all PEs. */
export function* sum(x: number): Steps<number> {
  return (yield {
    block: (group, options) => group.allreduce(x, "sum", options),
    await: (group, options) => group.allreduceAsync(x, "sum", options),
  }) as number;
}

/** The values of all PEs by rank at the root; undefined elsewhere. */
export function* gathered<T extends object>(x: T, root: number): Steps<readonly T[] | undefined> {
  return (yield {
    block: (group, options) => group.gather(x, root, options),
    await: (group, options) => group.gatherAsync(x, root, options),
  }) as readonly T[] | undefined;
}

/** The values of all PEs by rank at every PE. */
export function* allgathered<T extends object>(x: T): Steps<readonly T[]> {
  return (yield {
    block: (group, options) => group.allgather(x, options),
    await: (group, options) => group.allgatherAsync(x, options),
  }) as readonly T[];
}

/** Part j of each PE's list at PE j, by rank. */
export function* exchanged<T>(parts: readonly T[]): Steps<readonly T[]> {
  return (yield {
    block: (group, options) => group.alltoall(parts, options),
    await: (group, options) => group.alltoallAsync(parts, options),
  }) as readonly T[];
}

/**
 * The steps of a call that is the same at all PEs, which is checked before anything else is sent: collectives of different calls would be
 * taken for each other.
 * @param call with its container and its arguments, as text
 * @throws MismatchError, at all PEs
 */
export function* agreed<T>(call: string, steps: Steps<T>): Steps<T> {
  // what its arguments are is checked first, at this PE alone
  let step = steps.next();
  const hash = fnv1a(call);
  const [most, least] = (yield {
    block: (group, options) => group.allreduce(Float64Array.of(hash, -hash), "max", options),
    await: (group, options) => group.allreduceAsync(Float64Array.of(hash, -hash), "max", options),
  }) as Float64Array;
  if (most !== 0 - (least as number)) throw differing((yield* allgathered([call])).flat());
  while (!step.done) step = steps.next(yield step.value);
  return step.value;
}

function differing(calls: readonly string[]): MismatchError {
  const other = calls.findIndex((call) => call !== calls[0]);
  return new MismatchError(
    `containers: expected the same call at all PEs, got ${calls[0]} at PE 0 and ${calls[other]} at PE ${other}. ` +
      "Every PE makes the same collective calls, in the same order, with the same arguments where these are not the PE's own.",
  );
}

/** Takes the steps of a call, and blocks. */
export function blockOn<T>(group: Group, steps: Steps<T>, options?: CallOptions): T {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value.block(group, options));
  return step.value;
}

/** Takes them without blocking. */
export async function awaitOn<T>(group: Group, steps: Steps<T>, options?: CallOptions): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value.await(group, options));
  return step.value;
}
