/** Loops as data, which the launcher of a world gives to its PEs (running/loops), with a body that each PE has. */
import { fnv1a } from "../../ground/base/hash.ts";
import type { NumberArray, TypedArray } from "../../ground/memory/kernels/elements.ts";
import type { Group } from "../../pe/group.ts";
import { checkBody, type RunClaim, valuesBy } from "./bodies.ts";
import { endingBy, listed } from "./chunks/endings.ts";
import type { LoopOp, LoopOptions, ReducingOptions } from "./chunks/options.ts";
import { CHUNKS, EACH, jobOf } from "./each.ts";
import { type LoopJob, loopJob } from "./job.ts";
import type { Loop } from "./loop.ts";
import { checkCloneable, keeping, type Runs, storedJob } from "./map-each.ts";
import { type Iterations, iterationsOf, type Over } from "./range.ts";
import { loopAt, runNow } from "./run.ts";
import { type ScanOptions, scanLoops } from "./scan-each.ts";

type Body = (...args: never[]) => unknown;
type AnyBody = (...args: unknown[]) => unknown;

/** A loop; its options were checked. */
export interface GivenLoop {
  readonly call: "forEach" | "forRange" | "reduceEach" | "mapEach" | "scanEach";
  readonly over: Over;
  readonly options: Pick<LoopOptions, "schedule" | "chunk" | "weights"> &
    Partial<ReducingOptions> &
    Pick<ScanOptions<unknown>, "exclusive">;
  /** In memory that all threads see; over nodes each has one. @default values are kept by the PEs that have them */
  readonly into?: TypedArray | undefined;
  /** The body's last argument. */
  readonly args: unknown;
}

/** What may end it early at this PE, and whom it tells how far it is. */
export interface GivenLimits {
  readonly signal?: Pick<AbortSignal, "aborted" | "reason">;
  readonly onProgress?: (done: number) => void;
}

/** What a PE has of a loop at its end. */
export interface GivenEnd {
  /** The combined values, of a loop that combines some. */
  readonly value: number | undefined;
  /** Of a loop that keeps values, those of this PE; over nodes those of all, at the first PE of each node. */
  readonly runs: readonly Runs[];
}

const PARAMETERS = {
  index: "(index, args)",
  element: "(element, index, args)",
  forRange: "(begin, end, step, args)",
} as const;

/** Where a body has thrown: in the chunks with these indices, from `begin` on, before `end`; places in an array. */
export interface FailedIterations {
  /** Of the PE. */
  readonly rank: number;
  readonly begin: number;
  readonly end: number;
}

/** Runs a loop with the other PEs; the thread blocks. @throws as forEach, an error of the body with its iterations */
export function runGiven(pe: Group, given: GivenLoop, body: Body, limits: GivenLimits): GivenEnd {
  const { call, over } = given;
  const loop = loopAt(pe, call);
  const iterations = iterationsOf(call, over);
  if (call === "scanEach") return scanGiven(loop, given, iterations, body, limited(given.options, limits));
  if (call === "mapEach") return mapGiven(loop, given, iterations, body, limited(given.options, limits));
  const form = call === "forRange" ? CHUNKS : EACH;
  const job = jobOf(loop, call, form, over, withArgs(body, given, iterations), given.options);
  const { options } = job;
  const value = runNow(loop, located(loop, given, iterations, body, { ...job, options: limited(options, limits) }));
  return { value, runs: [] };
}

/** A blocking loop asks a signal no more than whether it is aborted, and why. */
const limited = (options: LoopOptions, limits: GivenLimits): LoopOptions => ({ ...options, ...limits }) as LoopOptions;

function mapGiven(loop: Loop, given: GivenLoop, iterations: Iterations, body: Body, options: LoopOptions): GivenEnd {
  const { area } = loop;
  const { call, into } = given;
  const { count, terms } = iterations;
  const valueAt = valuesBy(iterations, withArgs(body, given, iterations));
  if (into !== undefined) {
    const stored = storedJob(area, call, { count, terms: terms ^ into.length }, options, valueAt, into);
    runNow(loop, located(loop, given, iterations, body, stored));
    return { value: undefined, runs: [] };
  }
  const own: Runs = { begins: [], counts: [], values: [] };
  const ending =
    area.partners === null
      ? { ...area.barrier, result: () => [own] }
      : endingBy(
          area.seat,
          () => listed(area.seat, own),
          (all) => (area.place === 0 ? all : []),
        );
  const job = loopJob<readonly Runs[]>(call, iterations, options, "", keeping(call, own, valueAt), ending);
  const checked = { ...job, check: () => checkCloneable(call, own.values) };
  return { value: undefined, runs: runNow(loop, located(loop, given, iterations, body, checked)) ?? [] };
}

/** The limits are those of the loop that calls the body; the other one is short. */
function scanGiven(loop: Loop, given: GivenLoop, iterations: Iterations, body: Body, options: LoopOptions): GivenEnd {
  const { call } = given;
  const valueAt = valuesBy(iterations, withArgs(body, given, iterations));
  const [op, into] = [given.options.reduce as LoopOp, given.into as NumberArray];
  const { first, second } = scanLoops(loop.area, call, { iterations, valueAt, op, options, into, place: into.length });
  runNow(loop, located(loop, given, iterations, body, first));
  runNow(loop, second);
  return { value: undefined, runs: [] };
}

/** The body with its last argument. */
function withArgs(body: Body, { call, args }: GivenLoop, { items }: Iterations): Body {
  // what the user wrote: a function around it looks like any other
  checkBody(call, body, PARAMETERS[call === "forRange" ? call : items === null ? "index" : "element"]);
  if (args === undefined) return body;
  const one = body as AnyBody;
  if (call === "forRange") return ((begin, end, step) => one(begin, end, step, args)) as AnyBody;
  if (items !== null) return ((element, index) => one(element, index, args)) as AnyBody;
  return ((index) => one(index, args)) as AnyBody;
}

/** The job with errors of its body that say where they arose. */
function located<T>({ area }: Loop, given: GivenLoop, iterations: Iterations, body: Body, job: LoopJob<T>): LoopJob<T> {
  const { begin: from, step } = iterations;
  const { initial, exclusive = false } = given.options;
  const { iterationsIn = (_: number, some: number) => some } = job;
  /** The index of the first of the program's iterations in that one of the loop. */
  const index = (iteration: number): number => from + iterationsIn(0, iteration, iteration, iteration) * step;
  const run: RunClaim = (begin, count, chunk, every) => {
    try {
      job.run(begin, count, chunk, every);
    } catch (error) {
      const before = Math.ceil(count / chunk) - 1;
      const end = begin + before * every + count - before * chunk;
      tell(error, { rank: area.seat.rank, begin: index(begin), end: index(end) });
      throw error;
    }
  };
  // the process of another node may have given another body, or first value
  const terms = area.partners === null ? job.terms : job.terms ^ fnv1a(`${body.name} ${initial} ${exclusive}`);
  return { ...job, terms, run };
}

/** An error that is frozen, and what is none, stays as it is. */
function tell(error: unknown, iterations: FailedIterations): void {
  if (error instanceof Error) Reflect.set(error, "iterations", iterations);
}
