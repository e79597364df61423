/**
 * Scatter: part i of the root's x at PE i.
 *
 * The root shows all parts, and each PE copies its own. If they are long together, the root continues when all have.
 *
 * Limits: long data outside the heap is copied to the staging memory, but for the root's own part.
 *
 * Source: MPI 4.0, section 6.6 (scatter).
 *
 * Example with 3 PEs: [1, 2, 3, 4, 5, 6] at the root gives [1, 2], [3, 4], [5, 6]; a list of 3 values
 * gives each PE one.
 */

import type { TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Task } from "../../ground/wait/task.ts";
import { IntoRefusal } from "../team/refusals.ts";
import type { Team } from "../team/team.ts";
import {
  arrayTypeOf,
  type ExposedValue,
  exposeMany,
  exposeParts,
  isClampedShown,
  type Packed,
  partOf,
  unwrap,
  type Value,
} from "./exposed-values.ts";
import { fromRoot } from "./from-root.ts";
import { copyShown, resultArray, unpacked } from "./result-array.ts";

/** This PE's part; `x` is null except at the root. @param into for an array; a new one without */
export function* scatterValues(
  team: Team,
  tag: number,
  x: Packed | readonly Packed[] | null,
  root: number,
  into: TypedArray | undefined,
): Task<Value | IntoRefusal> {
  if (x === null) return yield* fromRoot(team, tag, null, root, (value) => partInto(team, partOf(team, value), into));
  const { rank, size } = team;
  yield* fromRoot(
    team,
    tag,
    () => ("kind" in x ? exposeParts(team, x) : exposeMany(team, x)),
    root,
    () => undefined,
  );
  if (!("kind" in x)) return unpacked(team, x[rank], into);
  const { content } = x;
  const length = content.length / size;
  const own = content.subarray(rank * length, (rank + 1) * length) as TypedArray;
  return unpacked(team, { ...x, content: own, address: x.address < 0 ? -1 : own.byteOffset }, into);
}

/** A value for the reader; of an array, in `into`. */
function partInto(team: Team, part: ExposedValue, into: TypedArray | undefined): Value | IntoRefusal {
  const { address, bytes, extra } = part;
  const type = arrayTypeOf(extra);
  if (type === null) return unwrap(team, part);
  const result = resultArray(team, type, isClampedShown(extra), bytes, into);
  if (!(result instanceof IntoRefusal)) copyShown(team, address, bytes, result, 0);
  return result;
}
