/** Reductions over a range. */
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { checkBody } from "./bodies.ts";
import { checkedOptions, type LoopOp, NAMES, type ReduceOptions } from "./chunks/options.ts";
import { type IndexRange, iterationsOf, type Over } from "./range.ts";
import { eachInto, type ReducingJob, type Reduction, reducing } from "./reducing.ts";
import { loopSeat, runLater, runNow } from "./run.ts";

type Value = (...args: never[]) => number;

interface Wishes {
  readonly op: LoopOp;
  readonly options: ReduceOptions | undefined;
}

function jobOf(seat: Seat, call: string, over: Over, body: Value, { op, options: given }: Wishes): ReducingJob {
  const iterations = iterationsOf(call, over);
  checkBody(call, body, iterations.items === null ? "(index)" : "(element, index)");
  const options = checkedOptions(call, given, NAMES.reduce, seat.size);
  return reducing(seat, { call, iterations, op, options, into: eachInto(call, iterations, body) } satisfies Reduction);
}

/** At a PE; the thread blocks. Its types and what it does: running/loops/front.ts. @throws as there */
export function reduceEach(pe: Group, over: Over, body: Value, op: LoopOp, options?: ReduceOptions): number {
  const seat = loopSeat(pe, "reduceEach");
  const { job, finish } = jobOf(seat, "reduceEach", over, body, { op, options });
  return finish(runNow(seat, job));
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
  const seat = loopSeat(pe, "reduceEachAsync");
  const { job, finish } = jobOf(seat, "reduceEachAsync", over, body, { op, options });
  return finish(await runLater(seat, job));
}
