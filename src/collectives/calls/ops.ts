/**
 * The ops of one PE in one team: named ones as kernels and as JavaScript functions, user functions with checks.
 *
 * A user's function must return an element, and must not call a collective of the same team: it runs in the middle of a
 * collective, and not equally often at every PE, so no PE would answer. A violation ends the world, as any error thrown
 * by the function does.
 */

import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { ElementType } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import { combineNumbers } from "../../ground/memory/kernels/scalar.ts";
import type { Combine, Op, Payload } from "../team/payload.ts";

/** Called when a function begins (true) and when it has returned. */
export type Inside = (inside: boolean) => void;

/** The ops of reductions. */
export class Ops {
  readonly #payload: Payload;
  readonly #inside: Inside;
  // the last wrapped functions: a program that uses one repeatedly allocates nothing
  #last: Op = Math.max;
  #watched: Combine<number>;
  #lastReduced: Op = Math.max;
  #lastType: ElementType | null = null;
  #reducer: Reducer = () => {};

  constructor(payload: Payload, inside: Inside) {
    this.#payload = payload;
    this.#inside = inside;
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

  /** The op over elements of the heap. @throws UsageError for an invalid op, or one that the type does not have */
  elements(op: Op, type: ElementType): Reducer {
    if (typeof op === "string") return this.#payload.kernel(op, type);
    if (op !== this.#lastReduced || type !== this.#lastType) {
      this.#reducer = this.#watchAll(functionOf(op) as Combine<number>, type);
      this.#lastReduced = op;
      this.#lastType = type;
    }
    return this.#reducer;
  }

  /** The op for numbers as elements of arrays of length 1: also bitwise ops, which f64 does not have. */
  lifted(op: Op): Reducer {
    return typeof op === "string" ? this.#payload.reducer(combineNumbers(op), "f64") : this.elements(op, "f64");
  }

  #watch(combine: Combine<number>): Combine<number> {
    const inside = this.#inside;
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

  #watchAll(combine: Combine<number>, type: ElementType): Reducer {
    const inside = this.#inside;
    const wanted = type === "i64" || type === "u64" ? "bigint" : "number";
    const reducer = this.#payload.reducer((a, b) => {
      const result: unknown = combine(a, b);
      if (typeof result !== wanted) throw notAnElement(wanted, result);
      return result as number;
    }, type);
    return (dst, src, count) => {
      inside(true);
      try {
        reducer(dst, src, count);
      } finally {
        inside(false);
      }
    };
  }
}

/** The function of an op. @throws UsageError if it is neither a function nor a name */
function functionOf(op: Op): Op {
  if (typeof op === "function") return op;
  throw new UsageError(
    `op: expected the name of an operator (sum, prod, min, max, …) or a function of two elements, got ${shortText(op)}`,
  );
}

const notAnElement = (wanted: string, got: unknown): UsageError =>
  new UsageError(`op: expected the function to return a ${wanted} for two of them, got ${shortText(got)}`);
