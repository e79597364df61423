/**
 * The ops of one PE in one team: named ones as JavaScript functions of two numbers, user functions with checks. Those
 * of arrays: element-ops.ts.
 *
 * A user's function must return an element, and must not call a collective of the same team: it runs in the middle of a
 * collective, and not equally often at every PE, so no PE would answer. A violation ends the world, as any error thrown
 * by the function does.
 */

import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { combineNumbers } from "../../ground/memory/kernels/scalar.ts";
import type { Combine, Op } from "../team/payload.ts";

/** Called when a function begins (true) and when it has returned. */
export type Inside = (inside: boolean) => void;

/** The ops of reductions of numbers. */
export class Ops {
  readonly inside: Inside;
  // the last wrapped function: a program that uses one repeatedly allocates nothing
  #last: Op = Math.max;
  #watched: Combine<number>;

  constructor(inside: Inside) {
    this.inside = inside;
    this.#watched = this.#watch(Math.max);
  }

  /** The op for two numbers. @throws UsageError for an invalid op */
  numbers(op: Op): Combine<number> {
    if (typeof op === "string") return combineNumbers(op);
    if (op !== this.#last) {
      this.#watched = this.#watch(functionOf(op) as Combine<number>);
      this.#last = op;
    }
    return this.#watched;
  }

  #watch(combine: Combine<number>): Combine<number> {
    const { inside } = this;
    return (a, b) => {
      inside(true);
      try {
        const result: unknown = combine(a, b);
        if (typeof result !== "number") throw notAnElement("number", result);
        return result;
      } finally {
        inside(false);
      }
    };
  }
}

/** The function of an op. @throws UsageError if it is neither a function nor a name */
export function functionOf(op: Op): Op {
  if (typeof op === "function") return op;
  throw new UsageError(
    `op: expected the name of an operator (sum, prod, min, max, …) or a function of two elements, got ${shortText(op)}`,
  );
}

export const notAnElement = (wanted: string, got: unknown): UsageError =>
  new UsageError(`op: expected the function to return a ${wanted} for two of them, got ${shortText(got)}`);
