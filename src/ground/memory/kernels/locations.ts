/**
 * The operators `minloc` and `maxloc`: the smallest or largest value and where it is, as MPI_MINLOC and MPI_MAXLOC.
 *
 * Elements are pairs: value, index, value, index, …. Of two pairs the one with the smaller (larger) value is taken; of
 * equal values the one with the smaller index. Values are ordered as `Math.min` and `Math.max` do it: a NaN is taken
 * before any other value, and -0 is smaller than 0. So the order is total, and all PEs get the same pair.
 *
 * Limits: in JavaScript, some ns a pair. The indices must be no NaN.
 *
 * Source: MPI 4.0, section 6.9.4 (MINLOC and MAXLOC), which leaves NaN open.
 *
 * Example, minloc: [5, 0, 7, 0] and [5, 1, 2, 1] give [5, 0, 2, 1].
 */
import type { LocOp, TypedArray } from "./elements.ts";
import type { Reducer } from "./kernels.ts";

/** The reducer of an operator over the elements of a view of the heap; `count` is in elements, two for a pair. */
export function locReducer(op: LocOp, view: TypedArray): Reducer {
  const all = view as Float64Array;
  const size = view.BYTES_PER_ELEMENT;
  const isBefore = op === "minloc" ? isSmaller : isLarger;
  return (dst, src, count) => {
    const from = src / size;
    const to = dst / size;
    for (let i = 0; i < count; i += 2) {
      const mine = all[to + i];
      const other = all[from + i];
      const isTaken = isBefore(other, mine) || (!isBefore(mine, other) && all[from + i + 1] < all[to + i + 1]);
      if (!isTaken) continue;
      all[to + i] = other;
      all[to + i + 1] = all[from + i + 1];
    }
  };
}

/** Whether a comes before b under `minloc`; also of bigints. */
function isSmaller(a: number, b: number): boolean {
  if (a < b) return true;
  if (a > b) return false;
  return precedes(a, b, -0);
}

/** The same under `maxloc`. */
function isLarger(a: number, b: number): boolean {
  if (a > b) return true;
  if (a < b) return false;
  return precedes(a, b, 0);
}

/** The same of values that are equal or not comparable. @param zero the zero that comes first */
function precedes(a: number, b: number, zero: number): boolean {
  // a NaN is not itself
  if (a !== b) return Number.isNaN(a) && !Number.isNaN(b);
  return Object.is(a, zero) && !Object.is(b, zero);
}
