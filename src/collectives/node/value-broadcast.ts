/**
 * Broadcast of a structured-cloneable value: the root shows it serialised, and every other PE reads a copy.
 *
 * Limits: the value is serialised as for postMessage (v8.serialize), which takes time and does not support functions.
 *
 * Source: single-copy.ts, with a value in place of an array.
 *
 * Example: `{ rows: 3 }` at the root gives every other PE a copy of its own; the root keeps its object.
 */

import type { Task } from "../../ground/wait/task.ts";
import type { Team } from "../team/team.ts";
import { exposeWhole, type Packed, unwrap, type Value } from "./exposed-values.ts";
import { fromRoot } from "./from-root.ts";

/** The root's value, at every other PE; undefined at the root. `x` is null except at the root. */
export function* broadcastValue(team: Team, tag: number, x: Packed | null, root: number): Task<Value> {
  return yield* fromRoot(team, tag, x && (() => exposeWhole(team, x)), root, (value) => unwrap(team, value));
}
