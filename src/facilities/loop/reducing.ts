/** Loops whose values are combined. */
import { opName } from "../../collectives/team/call-words.ts";
import { UsageError } from "../../ground/base/errors.ts";
import type { ReduceOp } from "../../ground/memory/kernels/elements.ts";
import type { Seat } from "../../pe/seat.ts";
import { BlockValues } from "./block-values.ts";
import { blocksOf, chunkOf, iterationsIn, startOf } from "./blocks.ts";
import { claiming, combining, type RunClaim, valuesBy } from "./bodies.ts";
import { combined, gathered, type OwnValue } from "./chunks/endings.ts";
import { checkOp, checkReduce, type LoopOp, type ReduceOptions } from "./chunks/options.ts";
import type { LoopJob } from "./job.ts";
import type { Iterations } from "./range.ts";

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

/** A loop with a result, and what it has come to. */
export interface Reduction {
  readonly call: string;
  readonly iterations: Iterations;
  readonly op: LoopOp;
  readonly options: ReduceOptions;
  /** Combines the values of iterations with what there is. */
  readonly into: (combine: Combine, own: OwnValue) => RunClaim;
}

/** That of a body for each index. */
export const eachInto =
  (call: string, iterations: Iterations, body: (...args: never[]) => unknown): Reduction["into"] =>
  (combine, own) =>
    combining(call, valuesBy(iterations, body), combine, own);

/** The job of a loop with a result; `finish` makes the result of what its end gives. */
export interface ReducingJob {
  readonly job: LoopJob<unknown>;
  finish(ended: unknown): number;
}

/** @throws UsageError */
export function reducing(seat: Seat, reduction: Reduction): ReducingJob {
  const { call, op, options } = reduction;
  const { count, terms } = reduction.iterations;
  const combine = checkOp(call, op);
  checkReduce(call, options);
  const { initial } = options;
  if (count === 0 && initial === undefined && typeof op !== "string") {
    throw new UsageError(
      `${call}: expected some iterations, or initial: the result of none, as a function has no value to begin with`,
    );
  }
  const whole = (value: number): number => (initial === undefined ? value : combine(initial, value));
  const none = initial ?? (typeof op === "string" ? IDENTITIES[op] : 0);
  const common = { call, terms, options, op: opName(op) };
  if (options.reproducible === true) return inBlocks(seat, reduction, combine, none);
  if (typeof op === "string") {
    const own: OwnValue = { has: true, value: IDENTITIES[op] };
    const job = { ...common, count, run: reduction.into(combine, own), ending: combined(seat, own, op) };
    return { job, finish: (ended) => whole(ended as number) };
  }
  const own: OwnValue = { has: false, value: 0 };
  const job = { ...common, count, run: reduction.into(combine, own), ending: gathered(seat, own) };
  return { job, finish: (ended) => (count === 0 ? none : whole((ended as number[]).reduce(combine))) };
}

/** Each block is an iteration of the loop that is run. */
function inBlocks(
  seat: Seat,
  { call, iterations, op, options, into }: Reduction,
  combine: Combine,
  none: number,
): ReducingJob {
  const { count, terms } = iterations;
  const blocks = blocksOf(count);
  const own: OwnValue = { has: false, value: 0 };
  const run = into(combine, own);
  const values = new BlockValues(seat, blocks);
  const chunk = chunkOf(options.chunk, blocks, count);
  const job: LoopJob<unknown> = {
    call,
    count: blocks,
    terms: terms ^ count,
    options: { ...options, chunk },
    op: opName(op),
    prepare: values.prepare,
    iterationsIn: iterationsIn(blocks, count),
    run: claiming((begin, some) => {
      for (let b = begin; b < begin + some; b++) {
        const start = startOf(b, blocks, count);
        own.has = false;
        const length = startOf(b + 1, blocks, count) - start;
        run(start, length, length, length);
        values.all[b] = own.value;
      }
    }),
    ending: values,
  };
  return {
    job,
    finish() {
      if (blocks === 0) return none;
      const { initial } = options;
      let value = values.all[0] as number;
      if (initial !== undefined) value = combine(initial, value);
      for (let b = 1; b < blocks; b++) value = combine(value, values.all[b] as number);
      return value;
    },
  };
}
