/** Loops that call a body for each index, or for each chunk of them. */
import { UsageError } from "../../ground/base/errors.ts";
import type { AtOnce } from "../../ground/base/promise.ts";
import type { Group } from "../../pe/group.ts";
import { checkBody, chunksOf, combiningChunks, eachOf, type RunClaim } from "./bodies.ts";
import {
  checkedOptions,
  type LoopOp,
  type LoopOptions,
  NAMES,
  type OrderedOptions,
  type ReducingOptions,
} from "./chunks/options.ts";
import { type LoopJob, loopJob } from "./job.ts";
import type { Loop } from "./loop.ts";
import { type OrderedParts, OrderedRun } from "./ordered.ts";
import { checkOrdered, chunksInOrder, eachInOrder, ORDERED_TERMS } from "./ordered-parts.ts";
import { LONG } from "./own-code.ts";
import { type IndexRange, type Iterations, iterationsOf, type Over } from "./range.ts";
import { type BodyInto, eachInto, reducing } from "./reducing.ts";
import { loopAt, runLater, runNow } from "./run.ts";

type Body = (...args: never[]) => unknown;
type AllOptions = LoopOptions & Partial<ReducingOptions> & Partial<OrderedOptions<never[]>>;

/** A kind of body. */
interface Form {
  parameters(iterations: Iterations): string;
  run(call: string, iterations: Iterations, body: Body): RunClaim;
  readonly into: BodyInto;
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
  into: combiningChunks,
  inOrder: chunksInOrder,
};

/**
 * A loop that is the same as the one before, but for what its options say of schedule and limits, has the job of that:
 * so a short loop that is made again and again allocates little. With 2 PEs on 2 CPUs, which all wait for the slowest,
 * it takes V8 milliseconds to collect what there is.
 * @param names of options @param wanted the op of a call that has it as an argument
 * @throws UsageError
 */
export function jobOf(
  loop: Loop,
  call: string,
  form: Form,
  over: Over,
  body: Body,
  given: AllOptions | undefined,
  names: readonly string[] = NAMES.each,
  wanted?: LoopOp,
): LoopJob<number | undefined> {
  const { area, kept } = loop;
  // one that is under way keeps its options: this call is refused
  const isSame = area.call === "" && kept !== null && kept.call === call && kept.over === over && kept.body === body;
  const iterations = isSame ? kept.iterations : iterationsOf(call, over);
  if (!isSame) checkBody(call, body, form.parameters(iterations));
  const options = checkedOptions(call, given, names, area.seat.size);
  const { reduce: op = wanted, ordered, initial, reproducible, wait } = options;
  const isReducing = op !== undefined || names === NAMES.reduce;
  const isPlain = ordered === undefined && reproducible === undefined;
  if (isSame && isPlain && kept.op === op && kept.initial === initial && kept.wait === wait) {
    kept.job.options = options;
    return kept.job as LoopJob<number | undefined>;
  }
  if (ordered !== undefined) checkOrdered(call, area.seat, options);
  if (!isReducing) checkNoResult(call, options);
  const ending = wait === false ? null : area.barrier;
  const job = isReducing
    ? reducing(area, call, iterations, body, form.into, op as LoopOp, options)
    : ordered !== undefined
      ? inOrder(call, iterations, form.inOrder(iterations, body, ordered), options, ending)
      : loopJob(call, iterations, options, "", form.run(call, iterations, body), ending);
  // a longer one may get code of its own the next time
  if (isPlain && typeof over === "number" && over < LONG) {
    loop.kept = { call, over, body, iterations, op, initial, wait, job };
  }
  return job;
}

/** One with an ordered part. */
function inOrder(
  call: string,
  { count, terms }: Iterations,
  parts: OrderedParts,
  { schedule = "dynamic", ...options }: LoopOptions,
  ending: LoopJob<undefined>["ending"],
): LoopJob<undefined> {
  const ordered = new OrderedRun(call, parts);
  const common = { count, terms: terms ^ ORDERED_TERMS };
  return { ...loopJob(call, common, { ...options, schedule }, "", ordered.take, ending), ordered };
}

function checkNoResult(call: string, { initial, reproducible }: AllOptions): void {
  if (initial === undefined && reproducible === undefined) return;
  const name = initial === undefined ? "reproducible" : "initial";
  throw new UsageError(`${call}: ${name}: expected reduce with it, as the loop has no result without`);
}

/** At a PE; the thread blocks. Its types and what it does: running/loops/front.ts. @throws as there */
export function forEach(pe: Group, over: Over, body: Body, options?: AllOptions): unknown {
  const loop = loopAt(pe, "forEach");
  return runNow(loop, jobOf(loop, "forEach", EACH, over, body, options));
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
  const loop = loopAt(pe, "forEachAsync");
  return await runLater(loop, jobOf(loop, "forEachAsync", EACH, over, body, options));
}

/** As forEach, with a body for a chunk of indices. @throws as there */
export function forRange(pe: Group, over: Over, body: Body, options?: AllOptions): unknown {
  const loop = loopAt(pe, "forRange");
  return runNow(loop, jobOf(loop, "forRange", CHUNKS, over, body, options));
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
  const loop = loopAt(pe, "forRangeAsync");
  return await runLater(loop, jobOf(loop, "forRangeAsync", CHUNKS, over, body, options));
}
