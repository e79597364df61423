/** What the ordered part of a loop is called with. */
import { UsageError } from "../../ground/base/errors.ts";
import { isAsync, isGenerator } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { Seat } from "../../pe/seat.ts";
import type { LoopOptions, OrderedOptions, ReducingOptions } from "./chunks/options.ts";
import type { OrderedParts } from "./ordered.ts";
import type { Iterations } from "./range.ts";

type Body = (...args: never[]) => unknown;
type AnyBody = (...args: unknown[]) => unknown;

/** In the terms of a loop: a PE without the part would never pass the turn on. */
export const ORDERED_TERMS = 0x15a7;

/** @throws UsageError */
export function checkOrdered(
  call: string,
  { here, size }: Seat,
  { ordered, reduce }: LoopOptions & Partial<ReducingOptions> & Partial<OrderedOptions<never[]>>,
): void {
  if (typeof ordered !== "function" || isAsync(ordered) || isGenerator(ordered)) {
    throw new UsageError(
      `${call}: ordered: expected a function that does not await, got ${shortText(ordered)}: it gets what the body returns, in order`,
    );
  }
  if (reduce !== undefined) {
    throw new UsageError(
      `${call}: ordered: expected no reduce with it, as both take what the body returns. For values that are combined in a fixed order: reproducible: true`,
    );
  }
  if (here.length === size) return;
  throw new UsageError(
    `${call}: ordered: expected a group of one node, got one over several: the turn is a word in the memory of a node. ` +
      "Give it a group of each node, or keep the values in order by mapEach.",
  );
}

/** For each index, or element. */
export function eachInOrder({ begin: from, step, items }: Iterations, body: Body, part: Body): OrderedParts {
  const [one, then] = [body as AnyBody, part as AnyBody];
  if (items !== null) {
    return { isEach: true, value: (k) => one(items[k], k), give: (value, k) => then(value, items[k], k) };
  }
  return { isEach: true, value: (k) => one(from + k * step), give: (value, k) => then(value, from + k * step) };
}

/** For a chunk of indices. */
export function chunksInOrder({ begin: from, step }: Iterations, body: Body, part: Body): OrderedParts {
  const [one, then] = [body as AnyBody, part as AnyBody];
  return {
    isEach: false,
    value: (k, count) => one(from + k * step, from + (k + count) * step, step),
    give: (value, k, count) => then(value, from + k * step, from + (k + count) * step, step),
  };
}
