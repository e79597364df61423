/** Loops that call a body for each index, or for each chunk of them. */
import { UsageError } from "../../ground/base/errors.ts";
import type { AtOnce } from "../../ground/base/promise.ts";
import type { Group } from "../../pe/group.ts";
import type { Seat } from "../../pe/seat.ts";
import { checkBody, chunksOf, combiningChunks, eachOf, type RunClaim } from "./bodies.ts";
import { areaOf } from "./chunks/area.ts";
import {
  checkedOptions,
  type LoopOptions,
  NAMES,
  type OrderedOptions,
  type ReducingOptions,
} from "./chunks/options.ts";
import type { LoopJob } from "./job.ts";
import { type OrderedParts, OrderedRun } from "./ordered.ts";
import { checkOrdered, chunksInOrder, eachInOrder, ORDERED_TERMS } from "./ordered-parts.ts";
import { type IndexRange, type Iterations, iterationsOf, type Over } from "./range.ts";
import { eachInto, type ReducingJob, type Reduction, reducing } from "./reducing.ts";
import { loopSeat, runLater, runNow } from "./run.ts";

type Body = (...args: never[]) => unknown;
type AllOptions = LoopOptions & Partial<ReducingOptions> & Partial<OrderedOptions<never[]>>;

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
      ordered: undefined,
      prepare: undefined,
      iterationsIn: undefined,
      check: undefined,
    },
    finish: finishNothing,
  };
}

/** That of a loop with an ordered part. */
function inOrder(job: LoopJob<unknown>, parts: OrderedParts): LoopJob<unknown> {
  const ordered = new OrderedRun(job.call, parts);
  const { options, terms } = job;
  const { schedule = "dynamic" } = options;
  return { ...job, terms: terms ^ ORDERED_TERMS, options: { ...options, schedule }, run: ordered.take, ordered };
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
  inOrder(iterations: Iterations, body: Body, part: Body): OrderedParts;
}

/** For each index, or element. */
export const EACH: Form = {
  parameters: ({ items }) => (items === null ? "(index)" : "(element, index)"),
  run: eachOf,
  into: eachInto,
  inOrder: eachInOrder,
};

/** For a chunk of indices. */
export const CHUNKS: Form = {
  parameters: () => "(begin, end, step)",
  run: chunksOf,
  into: (call, iterations, body) => (combine, own) => combiningChunks(call, iterations, body, combine, own),
  inOrder: chunksInOrder,
};

/** @throws UsageError */
export function jobOf(
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
  const { reduce: op, ordered } = options;
  if (ordered !== undefined) checkOrdered(call, seat, options);
  if (op !== undefined) {
    return reducing(seat, { call, iterations, op, options, into: form.into(call, iterations, body) });
  }
  checkNoResult(call, options);
  const plain = withoutResult(seat, call, iterations, options, form.run(call, iterations, body));
  if (ordered === undefined) return plain;
  return { ...plain, job: inOrder(plain.job, form.inOrder(iterations, body, ordered)) };
}

/** At a PE; the thread blocks. Its types and what it does: running/loops/front.ts. @throws as there */
export function forEach(pe: Group, over: Over, body: Body, options?: AllOptions): unknown {
  const seat = loopSeat(pe, "forEach");
  const { job, finish } = jobOf(seat, "forEach", EACH, over, body, options);
  return finish(runNow(seat, job));
}

/** As forEach, without blocking: other events have turns between chunks. @throws as forEach */
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
export function forEachAsync<T, V extends AtOnce>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => V,
  options: OrderedOptions<[value: V, element: T, index: number]>,
): Promise<void>;
export function forEachAsync<V extends AtOnce>(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => V,
  options: OrderedOptions<[value: V, index: number]>,
): Promise<void>;
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

/** As forEach, with a body for a chunk of indices. @throws as there */
export function forRange(pe: Group, over: Over, body: Body, options?: AllOptions): unknown {
  const seat = loopSeat(pe, "forRange");
  const { job, finish } = jobOf(seat, "forRange", CHUNKS, over, body, options);
  return finish(runNow(seat, job));
}

/** As forRange, without blocking. @throws as forEach */
export function forRangeAsync(
  pe: Group,
  over: Over,
  body: (begin: number, end: number, step: number) => number,
  options: ReducingOptions,
): Promise<number>;
export function forRangeAsync<V extends AtOnce>(
  pe: Group,
  over: Over,
  body: (begin: number, end: number, step: number) => V,
  options: OrderedOptions<[value: V, begin: number, end: number, step: number]>,
): Promise<void>;
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
