/**
 * Scatter: part i of the root's x at PE i.
 *
 * The root shows all parts; each PE copies its own; the root continues when all have.
 *
 * Limits: data outside the heap is copied whole to the staging memory.
 *
 * Source: MPI 4.0, section 6.6 (scatter).
 *
 * Example with 3 PEs: [1, 2, 3, 4, 5, 6] at the root gives [1, 2], [3, 4], [5, 6]; a list of 3 values
 * gives each PE one.
 */

import type { Routine } from "../team/operation.ts";
import type { Team } from "../team/team.ts";
import { type ExposedValue, type Packed, partOf, type Value, wrapAny } from "./exposed-values.ts";
import { fromRoot } from "./from-root.ts";

/** This PE's part; `x` is null except at the root. */
export function* scatterValues(
  team: Team,
  tag: number,
  x: Packed | readonly Packed[] | null,
  root: number,
): Routine<Value> {
  const own = x && wrapAny(team, x);
  const part = (value: ExposedValue): Value => partOf(team, value);
  const read = yield* fromRoot(team, tag, own, root, part);
  return own === null ? read : part(own);
}
