/** Loops that call a body for each index, or for each chunk of them. */
import { UsageError } from "../../ground/base/errors.ts";
import type { AtOnce } from "../../ground/base/promise.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { areaOf } from "./area.ts";
import { checkBody, chunksOf, combiningChunks, eachOf, type RunClaim } from "./bodies.ts";
import type { LoopJob } from "./loop.ts";
import { checkedOptions, type LoopOptions, NAMES, type ReducingOptions } from "./options.ts";
import { type IndexRange, type Iterations, iterationsOf, type Over } from "./range.ts";
import { eachInto, type ReducingJob, type Reduction, reducing } from "./reducing.ts";
import { loopSeat, runLater, runNow } from "./run.ts";

type Body = (...args: never[]) => unknown;
type AllOptions = LoopOptions & Partial<ReducingOptions>;

const finishNothing = (): undefined => undefined;

interface AnyJob {
  readonly job: LoopJob<unknown>;
  finish(ended: unknown): number | undefined;
}

/** That of a loop without a result. */
function withoutResult(
  seat: Seat,
  call: string,
  { count, terms }: Iterations,
  options: LoopOptions,
  run: RunClaim,
): AnyJob {
  const ending = options.wait === false ? null : areaOf(seat).barrier;
  return {
    job: {
      call,
      count,
      terms,
      options,
      op: "",
      run,
      ending,
      prepare: undefined,
      iterationsIn: undefined,
      check: undefined,
    },
    finish: finishNothing,
  };
}

function checkNoResult(call: string, { initial, reproducible }: AllOptions): void {
  if (initial === undefined && reproducible === undefined) return;
  const name = initial === undefined ? "reproducible" : "initial";
  throw new UsageError(`${call}: ${name}: expected reduce with it, as the loop has no result without`);
}

/** A kind of body. */
interface Form {
  parameters(iterations: Iterations): string;
  run(call: string, iterations: Iterations, body: Body): RunClaim;
  into(call: string, iterations: Iterations, body: Body): Reduction["into"];
}

/** For each index, or element. */
const EACH: Form = {
  parameters: ({ items }) => (items === null ? "(index)" : "(element, index)"),
  run: eachOf,
  into: eachInto,
};

/** For a chunk of indices. */
const CHUNKS: Form = {
  parameters: () => "(begin, end, step)",
  run: chunksOf,
  into: (call, iterations, body) => (combine, own) => combiningChunks(call, iterations, body, combine, own),
};

function jobOf(
  seat: Seat,
  call: string,
  form: Form,
  over: Over,
  body: Body,
  given: AllOptions | undefined,
): AnyJob | ReducingJob {
  const iterations = iterationsOf(call, over);
  checkBody(call, body, form.parameters(iterations));
  const options = checkedOptions(call, given, NAMES.each, seat.size);
  const { reduce: op } = options;
  if (op !== undefined) {
    return reducing(seat, { call, iterations, op, options, into: form.into(call, iterations, body) });
  }
  checkNoResult(call, options);
  return withoutResult(seat, call, iterations, options, form.run(call, iterations, body));
}

/**
 * Runs a body once for each index of a range, or each element of an array, divided among the PEs of a group on one
 * node: OpenMP's `for`. Collective: all PEs make the call with the same range and options. It ends with a barrier, so
 * what one PE has written into shared memory before, the others read after it.
 *
 *     forEach(pe, 1000, (i) => { y[i] = f(x[i]); });
 *     const sum = forEach(pe, x, (value) => value * value, { reduce: "sum" });
 *
 * For loops of tight arithmetic use {@link forRange}, whose body gets a whole chunk of indices and loops by itself.
 *
 * @param over n for 0 to n - 1, `{ begin, end, step }`, or an array, of the same length at all PEs; at most 2^31
 * iterations
 * @param body `(index) => …`, of an array `(element, index) => …`; with `reduce` it returns a number. It must not
 * await, and make no loop and no collective
 * @returns with `reduce`, the combined values, at all PEs
 * @throws the error of a body that throws, AbortedError, TimeoutError: at all PEs alike, and the group goes on;
 * RankLostError; UsageError; MismatchError, which ends the world
 */
export function forEach<T>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => number,
  options: ReducingOptions,
): number;
export function forEach(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => number,
  options: ReducingOptions,
): number;
export function forEach<T>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => AtOnce,
  options?: LoopOptions,
): void;
export function forEach(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => AtOnce,
  options?: LoopOptions,
): void;
export function forEach(pe: Group, over: Over, body: Body, options?: AllOptions): unknown {
  const seat = loopSeat(pe, "forEach");
  const { job, finish } = jobOf(seat, "forEach", EACH, over, body, options);
  return finish(runNow(seat, job));
}

/** As {@link forEach}, without blocking: other events have turns between chunks. @throws as forEach */
export function forEachAsync<T>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => number,
  options: ReducingOptions,
): Promise<number>;
export function forEachAsync(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => number,
  options: ReducingOptions,
): Promise<number>;
export function forEachAsync<T>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => AtOnce,
  options?: LoopOptions,
): Promise<void>;
export function forEachAsync(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => AtOnce,
  options?: LoopOptions,
): Promise<void>;
export async function forEachAsync(pe: Group, over: Over, body: Body, options?: AllOptions): Promise<unknown> {
  const seat = loopSeat(pe, "forEachAsync");
  const { job, finish } = jobOf(seat, "forEachAsync", EACH, over, body, options);
  return finish(await runLater(seat, job));
}

/**
 * As {@link forEach}, with a body for a chunk of indices, in which it loops by itself:
 *
 *     forRange(pe, n, (begin, end) => { for (let i = begin; i < end; i++) y[i] += a * x[i]; });
 *
 * @param over as for forEach; of an array the body gets its indices
 * @param body `(begin, end, step) => …`, before `end`; with a step of the range, the body's loop has the same. With
 * `reduce` it returns the combined value of its indices
 * @throws as forEach
 */
export function forRange(
  pe: Group,
  over: Over,
  body: (begin: number, end: number, step: number) => number,
  options: ReducingOptions,
): number;
export function forRange(
  pe: Group,
  over: Over,
  body: (begin: number, end: number, step: number) => AtOnce,
  options?: LoopOptions,
): void;
export function forRange(pe: Group, over: Over, body: Body, options?: AllOptions): unknown {
  const seat = loopSeat(pe, "forRange");
  const { job, finish } = jobOf(seat, "forRange", CHUNKS, over, body, options);
  return finish(runNow(seat, job));
}

/** As {@link forRange}, without blocking. @throws as forEach */
export function forRangeAsync(
  pe: Group,
  over: Over,
  body: (begin: number, end: number, step: number) => number,
  options: ReducingOptions,
): Promise<number>;
export function forRangeAsync(
  pe: Group,
  over: Over,
  body: (begin: number, end: number, step: number) => AtOnce,
  options?: LoopOptions,
): Promise<void>;
export async function forRangeAsync(pe: Group, over: Over, body: Body, options?: AllOptions): Promise<unknown> {
  const seat = loopSeat(pe, "forRangeAsync");
  const { job, finish } = jobOf(seat, "forRangeAsync", CHUNKS, over, body, options);
  return finish(await runLater(seat, job));
}
