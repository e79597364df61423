/** Loops whose values are combined. */
import { opName } from "../../collectives/team/call-words.ts";
import { UsageError } from "../../ground/base/errors.ts";
import type { ReduceOp } from "../../ground/memory/kernels/elements.ts";
import { BlockValues } from "./block-values.ts";
import { blocksOf, chunkOf, iterationsIn, startOf } from "./blocks.ts";
import { claiming, combining, type RunClaim, valuesBy } from "./bodies.ts";
import type { LoopArea } from "./chunks/area.ts";
import { Combined, endingBy, gathered, type OwnValue } from "./chunks/endings.ts";
import { checkOp, checkReduce, type LoopOp, type ReduceOptions } from "./chunks/options.ts";
import { type LoopJob, loopJob } from "./job.ts";
import type { Iterations } from "./range.ts";

type Body = (...args: never[]) => unknown;
type Combine = (a: number, b: number) => number;

/** What each named op begins with: it changes no value. */
export const IDENTITIES: Readonly<Record<ReduceOp, number>> = {
  sum: 0,
  prod: 1,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  and: -1,
  or: 0,
  xor: 0,
};

/** Runs a body, and combines its values with what there is. */
export type BodyInto = (call: string, iterations: Iterations, body: Body, combine: Combine, own: OwnValue) => RunClaim;

/** That of a body for each index. */
export const eachInto: BodyInto = (call, iterations, body, combine, own) =>
  combining(call, valuesBy(iterations, body), combine, own);

/** @throws UsageError */
export function reducing(
  area: LoopArea,
  call: string,
  iterations: Iterations,
  body: Body,
  into: BodyInto,
  op: LoopOp,
  options: ReduceOptions,
): LoopJob<number> {
  const { seat } = area;
  const { count } = iterations;
  const combine = checkOp(call, op);
  checkReduce(call, options);
  const { initial, reproducible = false } = options;
  const isNamed = typeof op === "string";
  if (count === 0 && initial === undefined && !isNamed) {
    throw new UsageError(
      `${call}: expected some iterations, or initial: the result of none, as a function has no value to begin with`,
    );
  }
  if (isNamed && !reproducible) {
    const own = new Combined(seat, op, IDENTITIES[op], initial);
    return loopJob(call, iterations, options, op, into(call, iterations, body, combine, own), own);
  }
  const own: OwnValue = { has: false, value: 0 };
  const run = into(call, iterations, body, combine, own);
  const result = (values: ArrayLike<number>): number => {
    if (count === 0) return initial ?? (isNamed ? IDENTITIES[op] : 0);
    let value = initial === undefined ? (values[0] as number) : combine(initial, values[0] as number);
    for (let i = 1; i < values.length; i++) value = combine(value, values[i] as number);
    return value;
  };
  if (reproducible) return inBlocks(area, loopJob(call, iterations, options, opName(op), run, null), own, result);
  return loopJob(call, iterations, options, "function", run, {
    ...endingBy(seat, () => gathered(seat, own), result),
    begin() {
      own.has = false;
    },
  });
}

/** Each block is an iteration of the loop that is run. */
function inBlocks(
  area: LoopArea,
  job: LoopJob<unknown>,
  own: OwnValue,
  result: (values: ArrayLike<number>) => number,
): LoopJob<number> {
  const { count, options } = job;
  const blocks = blocksOf(count);
  const values = new BlockValues(area, blocks, result);
  return {
    ...job,
    count: blocks,
    terms: job.terms ^ count,
    options: { ...options, chunk: chunkOf(options.chunk, blocks, count) },
    iterationsIn: iterationsIn(blocks, count),
    run: claiming((begin, some) => {
      for (let b = begin; b < begin + some; b++) {
        const start = startOf(b, blocks, count);
        own.has = false;
        const length = startOf(b + 1, blocks, count) - start;
        job.run(start, length, length, length);
        values.all[b] = own.value;
      }
    }),
    ending: values,
  };
}
