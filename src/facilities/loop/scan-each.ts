/**
 * Prefix reductions over a range, in two loops: each fixed block is scanned by itself; then each gets what all blocks
 * before it have come to. So the result has the same bits for any number of PEs and any schedule. Over nodes all nodes
 * get all blocks between the two loops, and each runs the second one on its own array.
 *
 * Source: Blelloch, "Prefix Sums and Their Applications", 1990, section 1.2.
 */

import { opName } from "../../collectives/team/call-words.ts";
import { UsageError } from "../../ground/base/errors.ts";
import type { NumberArray } from "../../ground/memory/kernels/elements.ts";
import type { Group } from "../../pe/group.ts";
import { BlockValues } from "./block-values.ts";
import { blocksOf, chunkOf, iterationsIn, startOf } from "./blocks.ts";
import { checkBody, claiming, numberOf, type RunClaim, type ValueOf, valuesBy } from "./bodies.ts";
import type { LoopArea } from "./chunks/area.ts";
import type { LoopEnd } from "./chunks/endings.ts";
import { checkedOptions, checkOp, checkReduce, type LoopOp, type LoopOptions, NAMES } from "./chunks/options.ts";
import { type LoopJob, loopJob } from "./job.ts";
import { checkShared, placeOf } from "./map-each.ts";
import { spread } from "./nodes/spread.ts";
import { type IndexRange, type Iterations, iterationsOf, type Over } from "./range.ts";
import { IDENTITIES } from "./reducing.ts";
import { loopAt, runLater, runNow } from "./run.ts";

/** Options of a scan. */
export interface ScanOptions<A> extends LoopOptions {
  /**
   * For the result: a typed array of `allocShared` of numbers that all PEs share, at least as long as the range; over
   * nodes one of each node.
   */
  readonly into: A;
  /** Whether a place has what comes before it, without its own value (exscan). @default false */
  readonly exclusive?: boolean | undefined;
  /** A value to begin with. @default that of the op's name; an exclusive scan by a function needs one */
  readonly initial?: number | undefined;
  /** Always true: the result has the same bits for any number of PEs and any schedule. @default true */
  readonly reproducible?: true | undefined;
  /** Always true. @default true */
  readonly wait?: true | undefined;
}

type Value = (...args: never[]) => unknown;

/** The two loops of a scan. */
interface Scan {
  readonly first: LoopJob<unknown>;
  readonly second: LoopJob<unknown>;
}

/** One that has been checked. */
interface CheckedScan {
  readonly iterations: Iterations;
  readonly valueAt: ValueOf;
  readonly op: LoopOp;
  readonly options: LoopOptions & Pick<ScanOptions<unknown>, "exclusive" | "initial">;
  readonly into: NumberArray;
  /** What PEs must agree in of that. */
  readonly place: number;
}

interface Wishes {
  readonly op: LoopOp;
  readonly options: ScanOptions<NumberArray>;
}

function scanOf(area: LoopArea, call: string, over: Over, body: Value, { op, options: given }: Wishes): Scan {
  const { seat } = area;
  const iterations = iterationsOf(call, over);
  checkBody(call, body, iterations.items === null ? "(index)" : "(element, index)");
  checkOp(call, op);
  const options = checkedOptions(call, given ?? { into: undefined }, NAMES.scan, seat.size);
  checkReduce(call, options);
  const { exclusive = false, initial } = options;
  if (typeof exclusive !== "boolean") throw new UsageError(`${call}: exclusive: expected true or false`);
  if (exclusive && initial === undefined && typeof op !== "string") {
    throw new UsageError(`${call}: initial: expected a number for an exclusive scan by a function: the first result`);
  }
  const into = checkShared(call, seat, options.into, iterations.count) as NumberArray;
  const valueAt = valuesBy(iterations, body);
  return scanLoops(area, call, { iterations, valueAt, op, options, into, place: placeOf(seat, into) });
}

/** Its loops, one after the other. */
export function scanLoops(area: LoopArea, call: string, scan: CheckedScan): Scan {
  const { valueAt, op, options, place } = scan;
  const { count, terms } = scan.iterations;
  const { exclusive = false, initial } = options;
  const into = scan.into as Float64Array;
  const combine = checkOp(call, op);
  const isOverNodes = area.partners !== null;
  const blocks = blocksOf(count);
  const values = new BlockValues(area, blocks, () => undefined);
  const runs = { begins: [] as number[], counts: [] as number[] };
  const chunk = chunkOf(options.chunk, blocks, count);
  const common = { count: blocks, terms: terms ^ count ^ place };
  const job = (wanted: LoopOptions, run: RunClaim, ending: LoopEnd<unknown>): LoopJob<unknown> =>
    loopJob(call, common, wanted, opName(op), run, ending);
  const first = job(
    { ...options, chunk },
    claiming((begin, some) => {
      if (isOverNodes) {
        const start = startOf(begin, blocks, count);
        runs.begins.push(start);
        runs.counts.push(startOf(begin + some, blocks, count) - start);
      }
      for (let b = begin; b < begin + some; b++) {
        const end = startOf(b + 1, blocks, count);
        let k = startOf(b, blocks, count);
        let sum = numberOf(call, valueAt(k));
        // an exclusive one: the first place of a block gets its value below
        if (!exclusive) into[k] = sum;
        for (k++; k < end; k++) {
          if (exclusive) into[k] = sum;
          sum = numberOf(call, combine(sum, numberOf(call, valueAt(k))));
          if (!exclusive) into[k] = sum;
        }
        values.all[b] = sum;
      }
    }),
    isOverNodes ? both(values, spread(area.seat, into, runs)) : values,
  );
  let before: readonly (number | undefined)[] = [];
  const second = job(
    { schedule: "static" },
    claiming((begin, some) => {
      for (let b = begin; b < begin + some; b++) {
        const prefix = before[b];
        if (prefix === undefined) continue;
        const end = startOf(b + 1, blocks, count);
        let k = startOf(b, blocks, count);
        if (exclusive) into[k++] = prefix;
        for (; k < end; k++) into[k] = combine(prefix, into[k] as number);
      }
    }),
    {
      ...area.barrier,
      // the values of all blocks are there since the barrier of the first loop
      begin() {
        before = prefixes(values.all, combine, initial ?? (exclusive ? identityOf(op) : undefined));
      },
    },
  );
  return {
    first: { ...first, iterationsIn: iterationsIn(blocks, count) },
    second: { ...second, isOnEach: isOverNodes },
  };
}

/** One after the other. */
const both = (first: LoopEnd<unknown>, second: LoopEnd<unknown>): LoopEnd<unknown> => ({
  begin(slot) {
    first.begin?.(slot);
    second.begin?.(slot);
  },
  now() {
    first.now();
    second.now();
  },
  *later() {
    yield* first.later();
    yield* second.later();
  },
  result: () => undefined,
});

const identityOf = (op: LoopOp): number | undefined => (typeof op === "string" ? IDENTITIES[op] : undefined);

/** What comes before each block; undefined before the first one, if there is nothing. */
function prefixes(
  sums: Float64Array,
  combine: (a: number, b: number) => number,
  initial: number | undefined,
): (number | undefined)[] {
  let sum = initial;
  return Array.from(sums, (value) => {
    const before = sum;
    sum = before === undefined ? value : combine(before, value);
    return before;
  });
}

/** At a PE; the thread blocks. Its types and what it does: running/loops/front.ts. @throws as there */
export function scanEach(pe: Group, over: Over, body: Value, op: LoopOp, options: ScanOptions<NumberArray>): unknown {
  const loop = loopAt(pe, "scanEach");
  const { first, second } = scanOf(loop.area, "scanEach", over, body, { op, options });
  runNow(loop, first);
  runNow(loop, second);
  return options.into;
}

/** As scanEach, without blocking. @throws as forEach */
export function scanEachAsync<T, A extends NumberArray>(
  pe: Group,
  over: ArrayLike<T>,
  body: (element: T, index: number) => number,
  op: LoopOp,
  options: ScanOptions<A>,
): Promise<A>;
export function scanEachAsync<A extends NumberArray>(
  pe: Group,
  over: number | IndexRange,
  body: (index: number) => number,
  op: LoopOp,
  options: ScanOptions<A>,
): Promise<A>;
export async function scanEachAsync(
  pe: Group,
  over: Over,
  body: Value,
  op: LoopOp,
  options: ScanOptions<NumberArray>,
): Promise<unknown> {
  const loop = loopAt(pe, "scanEachAsync");
  const { first, second } = scanOf(loop.area, "scanEachAsync", over, body, { op, options });
  await runLater(loop, first);
  await runLater(loop, second);
  return options.into;
}
