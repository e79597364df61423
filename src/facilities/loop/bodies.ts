/** What the body of a loop is called with, and what is made of what it returns. */
import { UsageError } from "../../ground/base/errors.ts";
import { isAsync, isGenerator, isPromise, promiseError } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { combineNumbers } from "../../ground/memory/kernels/scalar.ts";
import type { OwnValue } from "./chunks/endings.ts";
import { ownCode } from "./own-code.ts";
import type { Iterations } from "./range.ts";

/** Runs some iterations that follow each other. */
type RunRange = (begin: number, count: number) => void;

/** Runs `count` iterations in chunks of so many, one every `step` iterations. */
export type RunClaim = (begin: number, count: number, chunk: number, step: number) => void;

/** That of a body which does not see chunks. */
export const claiming =
  (run: RunRange): RunClaim =>
  (begin, count, chunk, step) => {
    if (step === chunk || count <= chunk) run(begin, count);
    else for (let left = count, at = begin; left > 0; left -= chunk, at += step) run(at, Math.min(chunk, left));
  };

type Body = (...args: never[]) => unknown;

const INSTEAD = "make the loop's body a function that computes, and await before or after the loop.";

/** @throws UsageError for what is no function, or returns a promise in any case */
export function checkBody(call: string, body: unknown, what: string): void {
  if (typeof body === "function" && !isAsync(body) && !isGenerator(body)) return;
  throw new UsageError(
    `${call}: expected a body ${what} => { … } that does not await, got ${shortText(body)}: ${INSTEAD}`,
  );
}

/** @throws UsageError where a body has returned a promise */
export function refusePromise(call: string, returned: unknown, who = "the body"): void {
  if (isPromise(returned)) throw promiseError(`${call}: ${who}`, INSTEAD);
}

/** Calls it for each index, or each element with its index. */
export const eachOf = (call: string, iterations: Iterations, body: Body): RunClaim =>
  claiming(inTurn(call, iterations, body));

function inTurn(call: string, { begin: from, step, items, count: all }: Iterations, body: Body): RunRange {
  const isPlain = from === 0 && step === 1;
  const text = items !== null ? "body(items[k], k)" : isPlain ? "body(k)" : "body(from + k * step)";
  const own = ownCode(body, text, all)?.(body, from, step, items);
  if (own !== undefined) return (begin, count) => refusePromise(call, own(begin, begin + count));
  if (items !== null) {
    const one = body as unknown as (item: unknown, index: number) => unknown;
    return (begin, count) => {
      let returned: unknown;
      for (let k = begin, end = begin + count; k < end; k++) returned = one(items[k], k);
      refusePromise(call, returned);
    };
  }
  const one = body as unknown as (index: number) => unknown;
  if (isPlain) {
    return (begin, count) => {
      let returned: unknown;
      for (let k = begin, end = begin + count; k < end; k++) returned = one(k);
      refusePromise(call, returned);
    };
  }
  return (begin, count) => {
    let returned: unknown;
    for (let k = begin, end = begin + count; k < end; k++) returned = one(from + k * step);
    refusePromise(call, returned);
  };
}

/** Calls it for each chunk. */
export function chunksOf(call: string, { begin: from, step }: Iterations, body: Body): RunClaim {
  const one = body as unknown as (begin: number, end: number, step: number) => unknown;
  // a loop of its own, as what is done between two calls is what a chunk costs
  if (from === 0 && step === 1) {
    return (begin, count, chunk, every) => {
      let at = begin;
      let left = count;
      for (; left > chunk; left -= chunk, at += every) one(at, at + chunk, 1);
      // as all do, if one does
      refusePromise(call, one(at, at + left, 1));
    };
  }
  return (begin, count, chunk, every) => {
    let returned: unknown;
    for (let left = count, at = begin; left > 0; left -= chunk, at += every) {
      returned = one(from + at * step, from + (at + Math.min(chunk, left)) * step, step);
    }
    refusePromise(call, returned);
  };
}

/** The value of an iteration. */
export type ValueOf = (k: number) => unknown;

/** That of its index, or its element. */
export function valuesBy({ begin, step, items }: Iterations, body: Body): ValueOf {
  if (items === null) {
    const one = body as unknown as (index: number) => unknown;
    // where it is called with k itself nothing stands between
    return begin === 0 && step === 1 ? one : (k) => one(begin + k * step);
  }
  const one = body as unknown as (item: unknown, index: number) => unknown;
  return (k) => one(items[k], k);
}

/** A value for a reduction. @throws UsageError */
export function numberOf(call: string, value: unknown): number {
  if (typeof value === "number") return value;
  refusePromise(call, value);
  throw new UsageError(
    `${call}: expected the body to return a number, as the loop has a reduction; got ${shortText(value)}`,
  );
}

const SUM = combineNumbers("sum");

/** Combines the values of iterations with what there is. */
export function combining(
  call: string,
  valueAt: ValueOf,
  op: (a: number, b: number) => number,
  own: OwnValue,
): RunClaim {
  // a call of an op would cost as much as a short body
  if (op === SUM) {
    return claiming((begin, count) => {
      // -0 changes no sum
      let sum = own.has ? own.value : -0;
      for (let k = begin, end = begin + count; k < end; k++) {
        const value = valueAt(k);
        sum += typeof value === "number" ? value : numberOf(call, value);
      }
      own.value = sum;
      own.has = true;
    });
  }
  return claiming((begin, count) => {
    let k = begin;
    let value = own.has ? own.value : numberOf(call, valueAt(k++));
    for (const end = begin + count; k < end; k++) {
      value = numberOf(call, op(value, numberOf(call, valueAt(k))));
    }
    own.value = value;
    own.has = true;
  });
}

/** The same of a body that takes a chunk. */
export function combiningChunks(
  call: string,
  { begin: from, step }: Iterations,
  body: Body,
  op: (a: number, b: number) => number,
  own: OwnValue,
): RunClaim {
  const one = body as unknown as (begin: number, end: number, step: number) => unknown;
  return (begin, count, chunk, every) => {
    for (let left = count, at = begin; left > 0; left -= chunk, at += every) {
      const value = numberOf(call, one(from + at * step, from + (at + Math.min(chunk, left)) * step, step));
      own.value = own.has ? numberOf(call, op(own.value, value)) : value;
      own.has = true;
    }
  };
}
