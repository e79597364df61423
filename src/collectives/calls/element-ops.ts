/**
 * The ops of one PE in one team over elements of the heap: named ones as kernels, user functions with checks (ops.ts).
 */
import type { ElementType } from "../../ground/memory/kernels/elements.ts";
import type { Reducer } from "../../ground/memory/kernels/kernels.ts";
import { combineNumbers } from "../../ground/memory/kernels/scalar.ts";
import type { Combine, Op, Payload } from "../team/payload.ts";
import { functionOf, type Inside, notAnElement } from "./ops.ts";

/** The ops of reductions of arrays. */
export class ElementOps {
  readonly #payload: Payload;
  readonly #inside: Inside;
  // the last wrapped function, as in Ops
  #last: Op = Math.max;
  #lastType: ElementType | null = null;
  #reducer: Reducer = () => {};

  constructor(payload: Payload, inside: Inside) {
    this.#payload = payload;
    this.#inside = inside;
  }

  /** @throws UsageError for an invalid op, or one that the type does not have */
  of(op: Op, type: ElementType): Reducer {
    if (typeof op === "string") return this.#payload.kernel(op, type);
    if (op !== this.#last || type !== this.#lastType) {
      this.#reducer = this.#watch(functionOf(op) as Combine<number>, type);
      this.#last = op;
      this.#lastType = type;
    }
    return this.#reducer;
  }

  /** The op for numbers as elements of arrays of length 1: also bitwise ops, which f64 does not have. */
  lifted(op: Op): Reducer {
    return typeof op === "string" ? this.#payload.reducer(combineNumbers(op), "f64") : this.of(op, "f64");
  }

  #watch(combine: Combine<number>, type: ElementType): Reducer {
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
