/** Reductions over a range. */
import type { Group } from "../../pe/group.ts";
import { type LoopOp, NAMES, type ReduceOptions } from "./chunks/options.ts";
import { EACH, jobOf } from "./each.ts";
import type { IndexRange, Over } from "./range.ts";
import { loopAt, runLater, runNow } from "./run.ts";

type Value = (...args: never[]) => number;

/** At a PE; the thread blocks. Its types and what it does: running/loops/front.ts. @throws as there */
export function reduceEach(pe: Group, over: Over, body: Value, op: LoopOp, options?: ReduceOptions): number {
  const loop = loopAt(pe, "reduceEach");
  return runNow(loop, jobOf(loop, "reduceEach", EACH, over, body, options, NAMES.reduce, op)) as number;
}

/** As reduceEach, without blocking. @throws as forEach */
export function reduceEachAsync<T>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => number,
  op: LoopOp,
  options?: ReduceOptions,
): Promise<number>;
export function reduceEachAsync(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => number,
  op: LoopOp,
  options?: ReduceOptions,
): Promise<number>;
export async function reduceEachAsync(
  pe: Group,
  over: Over,
  body: Value,
  op: LoopOp,
  options?: ReduceOptions,
): Promise<number> {
  const loop = loopAt(pe, "reduceEachAsync");
  const job = jobOf(loop, "reduceEachAsync", EACH, over, body, options, NAMES.reduce, op);
  return (await runLater(loop, job)) as number;
}
