/** Counters that all PEs of a node add to: a word of 64 bits. */
import { UsageError } from "../../../ground/base/errors.ts";
import { optionsOf, text } from "../../../ground/base/options.ts";
import { shortText } from "../../../ground/base/short-text.ts";
import type { Group } from "../../../pe/group.ts";
import { type SharedOptions, sharedBlock } from "../block.ts";
import { sharedKernels } from "../kernels/kernels.ts";

const OPTIONS = optionsOf<SharedOptions>({ name: text() });

/** A counter of the PEs of a node, made by {@link sharedCounter}: 0 at first. Sums are exact up to 2^53. */
export interface SharedCounter {
  readonly value: number;
  /**
   * Adds a whole number, which may be negative; 1 if none is given: one atomic addition.
   * @returns the sum: no two PEs get the same one where all add 1
   * @throws UsageError for what is no whole number
   */
  add(by?: number): number;
  /** This PE uses it no more; when all have left, the heap gets its memory back. */
  leave(): void;
}

/**
 * Makes a counter of the PEs of a group, all of one node. Collective: all its PEs make it.
 *
 *     const next = sharedCounter(pe);
 *     for (let task = next.add() - 1; task < tasks.length; task = next.add() - 1) run(tasks[task]);
 *
 * @throws UsageError for bad options, and for a group over several nodes; HeapError
 */
export function sharedCounter(pe: Group, options: SharedOptions = {}): SharedCounter {
  const making = { call: "sharedCounter", kind: "counter", schema: OPTIONS, bytes: () => 8 };
  const block = sharedBlock(pe, making, options);
  const { count } = sharedKernels(block.seat.heap.memory);
  const { offset } = block;
  const add = (by: number): number => {
    block.check("add");
    return count(offset, by);
  };
  return Object.freeze({
    get value() {
      return add(0);
    },
    add(by = 1) {
      if (!Number.isSafeInteger(by)) throw new UsageError(`add: expected a whole number, got ${shortText(by)}`);
      return add(by);
    },
    leave: () => block.leave(),
  });
}
