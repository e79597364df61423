/**
 * The loops of `tundish/loop`: of a PE or a group, blocking (facilities/loop); or of an open world, or of no world,
 * from outside the PEs. What these need is loaded by the first of them, so a PE's thread does not load it.
 */
import { forEach as forEachAt, forRange as forRangeAt } from "../../facilities/loop/each.ts";
import { mapEach as mapEachAt } from "../../facilities/loop/map-each.ts";
import { reduceEach as reduceEachAt } from "../../facilities/loop/reduce-each.ts";
import { scanEach as scanEachAt } from "../../facilities/loop/scan-each.ts";
import { CallSite } from "../../ground/base/call-site/call-site.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { Group } from "../../pe/group.ts";
import { worldParts } from "../run/world-parts.ts";
import type { LoopCall } from "./orders.ts";
import type { ForEach, ForRange, MapEach, ReduceEach, ScanEach } from "./types.ts";

type Outside = typeof import("./outside.ts");
let loading: Promise<Outside> | undefined;
let loaded: Outside | undefined;

async function outside(call: LoopCall, given: readonly unknown[]): Promise<unknown> {
  const site = new CallSite();
  const now = given.map(asItIs);
  if (loaded === undefined) {
    loading ??= import("./outside.ts");
    const parts = worldParts.get(given[0] as object);
    // over nodes: a run that is begun meanwhile comes after the loop, as at processes that have loaded it
    if (parts !== undefined) parts.beforeNext = () => loading;
    loaded = await loading;
  }
  return loaded.loopOutside(call, now, site);
}

/** What PEs get later is what it was at the call: elements, a range, and `args` among options. */
function asItIs(one: unknown): unknown {
  try {
    if (Array.isArray(one) || ArrayBuffer.isView(one)) return structuredClone(one);
    if (typeof one !== "object" || one === null) return one;
    if ("end" in one) return { ...one };
    if ("args" in one) return { ...one, args: structuredClone(one.args) };
  } catch {
    // refused where it is sent, in words
  }
  return one;
}

/** Whether a first argument is a world, or what a loop runs over. */
const isOutside = (first: unknown): boolean =>
  typeof first === "number" ||
  Array.isArray(first) ||
  ArrayBuffer.isView(first) ||
  (typeof first === "object" && first !== null && ("end" in first || ("run" in first && "close" in first)));

/** Whether it may be the PE or the group of another copy of the package. */
const isPE = (first: unknown): boolean => typeof first === "object" && first !== null && "rank" in first;

/** A first argument that is neither. */
function refuse(call: LoopCall, first: unknown, isClosure: boolean): Promise<never> {
  const error = new UsageError(
    `${call}: expected a PE or a group, or outside the PEs what it runs over (a number of iterations, { begin, end, step } ` +
      `or an array), with or without an open world before it; got ${shortText(first)}`,
  );
  if (isClosure) throw error;
  return Promise.reject(error);
}

/** A loop that also runs outside the PEs. @param at that of PEs */
const both = <Loop>(call: LoopCall, at: unknown): Loop =>
  // named ones: an array of all would be made for each loop of a PE
  ((first: unknown, over: unknown, body: unknown, more: unknown, options: unknown) =>
    first instanceof Group || isPE(first)
      ? (at as (...all: unknown[]) => unknown)(first, over, body, more, options)
      : isOutside(first)
        ? outside(call, [first, over, body, more, options])
        : refuse(call, first, typeof over === "function" || typeof body === "function")) as Loop;

/**
 * Runs a body once for each index of a range, or each element of an array, divided among PEs: OpenMP's `for`.
 *
 * At the PEs of a group it is collective, and blocks: all make the call with the same range and options. It
 * ends with a barrier, so what one PE has written into shared memory before, the others read after it. Over nodes each
 * node has a block, and under all schedules but `static` one that is done gets chunks of the others.
 *
 *     forEach(pe, 1000, (i) => { y[i] = f(x[i]); });
 *     const sum = forEach(pe, x, (value) => value * value, { reduce: "sum" });
 *     forEach(pe, files, compress, { ordered: (bytes) => writeSync(fd, bytes) });
 *
 * Outside the PEs, of an open world, or with none of one that the library keeps ({@link defaultWorld}), it is one call,
 * not SPMD. The body is an exported function ({@link functionsOf}), whose last argument is `args`. Loops and runs of a
 * world come one after the other, in the order of the calls. Over nodes every process makes the same ones.
 *
 *     const { heat } = functionsOf<typeof import("./heat.js")>(new URL("./heat.js", import.meta.url));
 *     await forEach(world, 1000, heat, { args: { x, y } });
 *     const sum = await forEach(1000, heat, { args: { x, y }, reduce: "sum" });
 *
 * For loops of tight arithmetic use {@link forRange}, whose body gets a whole chunk of indices and loops by itself.
 *
 * - over: n for 0 to n - 1, `{ begin, end, step }`, or an array, of the same length at all PEs; at most 2^31
 *   iterations
 * - body: `(index) => …`, of an array `(element, index) => …`; with `reduce` it returns a number. It must not await,
 *   and makes no loop and no collective; with `ordered` what it returns is given to that in order
 *
 * It returns the combined values with `reduce`, at all PEs. It throws the error of a body that throws, AbortedError,
 * TimeoutError: at all PEs alike, and the group goes on; RankLostError; UsageError; MismatchError, which ends the
 * world. Outside, an error of a body has {@link FailedIterations} as `iterations`; WorldClosedError for a world that
 * was closed; ModuleError for a module without the function.
 */
export const forEach: ForEach = both("forEach", forEachAt);

/**
 * As {@link forEach}, with a body for a chunk of indices, in which it loops by itself:
 *
 *     forRange(pe, n, (begin, end) => { for (let i = begin; i < end; i++) y[i] += a * x[i]; });
 *
 * - over: as for forEach; of an array the body gets its indices
 * - body: `(begin, end, step) => …`, before `end`; with a step of the range, the body's loop has the same. With
 *   `reduce` it returns the combined value of its indices
 */
export const forRange: ForRange = both("forRange", forRangeAt);

/**
 * Combines the numbers that a body returns for each index, or each element, divided among the PEs: the same as
 * {@link forEach} with `reduce`.
 *
 *     const norm = Math.sqrt(reduceEach(pe, x, (value) => value * value, "sum", { reproducible: true }));
 *
 * Without `reproducible` the order in which values are combined depends on who runs what; sums of fractions then differ
 * in their last bits from run to run.
 */
export const reduceEach: ReduceEach = both("reduceEach", reduceEachAt);

/**
 * The value of a body for each index, or each element, in order: an array that all PEs get, or the caller outside.
 *
 *     const sizes = mapEach(pe, files, (file) => statSync(file).size);
 *     mapEach(pe, n, (i) => f(i), { into: pe.allocShared(Float64Array, n) });
 *     const rows = await mapEach(world, n, row, { into: share(Float64Array, n) });
 *
 * Without `into` values are anything that v8.serialize can clone, and each PE gets a copy of those of others; with it
 * they are stored where all PEs see them, and nothing is copied.
 */
export const mapEach: MapEach = both("mapEach", mapEachAt);

/**
 * Combines what a body returns for each index, or each element, with all before it, in order: place k of `into` gets
 * the result of iterations 0 to k.
 *
 *     const starts = pe.allocShared(Uint32Array, n);
 *     scanEach(pe, rows, (row) => row.length, "sum", { into: starts, exclusive: true });
 *     await scanEach(world, n, size, "sum", { into: share(Float64Array, n) });
 *
 * The op is associative. It is called twice for most places, and the body once. It returns `into`, complete at all PEs.
 */
export const scanEach: ScanEach = both("scanEach", scanEachAt);
