/** What the body of a loop is called with, and what is made of what it returns. */
import { UsageError } from "../../ground/base/errors.ts";
import { isAsync, isGenerator, isPromise, promiseError } from "../../ground/base/promise.ts";
import { shortText } from "../../ground/base/short-text.ts";
import type { OwnValue } from "./endings.ts";
import type { Iterations } from "./range.ts";

/** Runs some iterations. */
export type RunChunk = (begin: number, count: number) => void;

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
function refusePromise(call: string, returned: unknown): void {
  if (isPromise(returned)) throw promiseError(`${call}: the body`, INSTEAD);
}

/** Calls it for each index, or each element with its index. */
export function eachOf(call: string, { begin: from, step, items }: Iterations, body: Body): RunChunk {
  if (items !== null) {
    const one = body as unknown as (item: unknown, index: number) => unknown;
    return (begin, count) => {
      let returned: unknown;
      for (let k = begin, end = begin + count; k < end; k++) returned = one(items[k], k);
      refusePromise(call, returned);
    };
  }
  const one = body as unknown as (index: number) => unknown;
  if (from === 0 && step === 1) {
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
export function chunksOf(call: string, { begin: from, step }: Iterations, body: Body): RunChunk {
  const one = body as unknown as (begin: number, end: number, step: number) => unknown;
  return (begin, count) => {
    refusePromise(call, one(from + begin * step, from + (begin + count) * step, step));
  };
}

/** The value of an iteration. */
export type ValueOf = (k: number) => unknown;

/** That of its index, or its element. */
export function valuesBy({ begin, step, items }: Iterations, body: Body): ValueOf {
  if (items === null) {
    const one = body as unknown as (index: number) => unknown;
    return (k) => one(begin + k * step);
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

/** Combines the values of iterations with what there is. */
export function combining(
  call: string,
  valueAt: ValueOf,
  op: (a: number, b: number) => number,
  own: OwnValue,
): RunChunk {
  return (begin, count) => {
    let k = begin;
    let value = own.has ? own.value : numberOf(call, valueAt(k++));
    for (const end = begin + count; k < end; k++) value = numberOf(call, op(value, numberOf(call, valueAt(k))));
    own.value = value;
    own.has = true;
  };
}

/** The same of a body that takes a chunk. */
export function combiningChunks(
  call: string,
  { begin: from, step }: Iterations,
  body: Body,
  op: (a: number, b: number) => number,
  own: OwnValue,
): RunChunk {
  const one = body as unknown as (begin: number, end: number, step: number) => unknown;
  return (begin, count) => {
    const value = numberOf(call, one(from + begin * step, from + (begin + count) * step, step));
    own.value = own.has ? numberOf(call, op(own.value, value)) : value;
    own.has = true;
  };
}
