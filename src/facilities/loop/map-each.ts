/** Loops whose values are kept, in order. */
import { UsageError } from "../../ground/base/errors.ts";
import { serialize } from "../../ground/base/objects/serialized.ts";
import { isPromise } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { checkBody, claiming, type RunClaim, type ValueOf, valuesBy } from "./bodies.ts";
import type { LoopArea } from "./chunks/area.ts";
import { endingBy, listed } from "./chunks/endings.ts";
import { checkedOptions, type LoopOptions, NAMES } from "./chunks/options.ts";
import { type LoopJob, loopJob } from "./job.ts";
import { type StoredRuns, spread } from "./nodes/spread.ts";
import { type IndexRange, type Iterations, iterationsOf, type Over } from "./range.ts";
import { loopAt, runLater, runNow } from "./run.ts";

/** Options of a loop whose values are kept. */
export interface MapOptions extends LoopOptions {
  /** Always true: the values of all PEs are needed. @default true */
  readonly wait?: true | undefined;
}

/** With an array for the values. */
export interface MapIntoOptions<T> extends MapOptions {
  /**
   * A typed array of `allocShared` that all PEs share, at least as long as there are iterations. Over nodes each node
   * has one, and each gets all values.
   */
  readonly into: T;
}

type Value = (...args: never[]) => unknown;

/** The values of one PE: runs of iterations, and all values one after the other. */
export interface Runs {
  readonly begins: number[];
  readonly counts: number[];
  readonly values: unknown[];
}

/** @throws UsageError for what is no array that the PEs of the node share */
export function checkShared(call: string, seat: Seat, into: unknown, count: number): TypedArray {
  const { team } = seat.collectives;
  team.open();
  const sharers = isTypedArray(into) ? (team.payload.sharersOf(into) ?? []) : [];
  const isShared = team.here.every((pe) => sharers.includes(pe));
  if (isTypedArray(into) && isShared && into.length >= count) return into;
  const got = isTypedArray(into)
    ? `one of ${into.length} elements ${isShared ? "" : "that not all PEs of the group share, or a part of one"}`.trimEnd()
    : shortText(into);
  throw new UsageError(
    `${call}: into: expected a typed array of at least ${count} elements from allocShared, got ${got}. ` +
      "Make it before: pe.allocShared(Float64Array, n)",
  );
}

/** What PEs must agree in of such an array; the memories of two nodes need not look alike. */
export const placeOf = ({ collectives, here, size }: Seat, into: TypedArray): number =>
  here.length === size ? collectives.team.payload.placeOf(into) : into.length;

function jobOf(
  area: LoopArea,
  call: string,
  over: Over,
  body: Value,
  given: Partial<MapIntoOptions<unknown>> = {},
): LoopJob<unknown> {
  const { seat } = area;
  const iterations = iterationsOf(call, over);
  const { count, terms } = iterations;
  checkBody(call, body, iterations.items === null ? "(index)" : "(element, index)");
  const options: Partial<MapIntoOptions<unknown>> = checkedOptions(call, given, NAMES.map, seat.size);
  if ((options.wait as boolean | undefined) === false) {
    throw new UsageError(`${call}: wait: false: the array has the values of all PEs. Leave wait out`);
  }
  const valueAt = valuesBy(iterations, body);
  if (options.into !== undefined) {
    const into = checkShared(call, seat, options.into, count);
    return storedJob(area, call, { count, terms: terms ^ placeOf(seat, into) }, options, valueAt, into);
  }
  const own: Runs = { begins: [], counts: [], values: [] };
  const ending = endingBy(
    seat,
    () => listed(seat, own),
    (all) => inOrder(all, count),
  );
  const job = loopJob(call, iterations, options, "", keeping(call, own, valueAt), ending);
  return { ...job, check: () => checkCloneable(call, own.values) };
}

/** One whose values are stored in an array that the PEs of a node share; over nodes that of each gets all. */
export function storedJob(
  { seat, partners, barrier }: LoopArea,
  call: string,
  common: Pick<Iterations, "count" | "terms">,
  options: LoopOptions,
  valueAt: ValueOf,
  into: TypedArray,
): LoopJob<unknown> {
  const store = storing(into, valueAt);
  if (partners === null) return loopJob(call, common, options, "", store, { ...barrier, result: () => into });
  const runs: StoredRuns = { begins: [], counts: [] };
  return loopJob(call, common, options, "", noting(runs, store), spread(seat, into, runs));
}

/** Stores values in an array that all PEs see. */
function storing(into: TypedArray, valueAt: ValueOf): RunClaim {
  const array = into as Float64Array;
  return claiming((begin, count) => {
    for (let k = begin; k < begin + count; k++) array[k] = valueAt(k) as number;
  });
}

/** The same, and notes which iterations these are. */
function noting({ begins, counts }: StoredRuns, run: RunClaim): RunClaim {
  const note = claiming((begin, count) => {
    begins.push(begin);
    counts.push(count);
  });
  return (...claim) => {
    note(...claim);
    run(...claim);
  };
}

/** Keeps values. */
export const keeping = (call: string, own: Runs, valueAt: ValueOf): RunClaim =>
  claiming((begin, count) => {
    own.begins.push(begin);
    own.counts.push(count);
    for (let k = begin; k < begin + count; k++) own.values.push(settled(call, valueAt(k)));
  });

/** @throws UsageError for values that the other PEs cannot get */
export function checkCloneable(call: string, values: unknown[]): void {
  const some = values.filter(
    (value) => typeof value === "function" || typeof value === "symbol" || Object(value) === value,
  );
  if (some.length === 0) return;
  try {
    serialize(some);
  } catch (cause) {
    // at the end of the loop the PE gives them all the same
    values.length = 0;
    throw new UsageError(
      `${call}: expected values that can be cloned, as for postMessage: ${(cause as Error).message} Keep what cannot be in an array of the PE's own.`,
      { cause },
    );
  }
}

function settled(call: string, value: unknown): unknown {
  if (!isPromise(value)) return value;
  throw new UsageError(`${call}: the body returned a promise, which is not awaited: await before or after the loop.`);
}

/** The values of all PEs, by iteration. */
export function inOrder(all: readonly Runs[], count: number): unknown[] {
  const values = new Array<unknown>(count);
  for (const { begins, counts, values: own } of all) {
    let at = 0;
    for (const [i, begin] of begins.entries()) {
      for (let k = begin; k < begin + (counts[i] as number); k++) values[k] = own[at++];
    }
  }
  return values;
}

/** At a PE; the thread blocks. Its types and what it does: running/loops/front.ts. @throws as there */
export function mapEach(pe: Group, over: Over, body: Value, options?: MapOptions): unknown {
  const loop = loopAt(pe, "mapEach");
  return runNow(loop, jobOf(loop.area, "mapEach", over, body, options));
}

/** As mapEach, without blocking. @throws as forEach */
export function mapEachAsync<T, A extends TypedArray>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => A[number],
  options: MapIntoOptions<A>,
): Promise<A>;
export function mapEachAsync<A extends TypedArray>(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => A[number],
  options: MapIntoOptions<A>,
): Promise<A>;
export function mapEachAsync<T, V>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => V,
  options?: MapOptions,
): Promise<V[]>;
export function mapEachAsync<V>(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => V,
  options?: MapOptions,
): Promise<V[]>;
export async function mapEachAsync(pe: Group, over: Over, body: Value, options?: MapOptions): Promise<unknown> {
  const loop = loopAt(pe, "mapEachAsync");
  return await runLater(loop, jobOf(loop.area, "mapEachAsync", over, body, options));
}
