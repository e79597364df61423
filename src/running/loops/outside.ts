/** Loops outside the PEs: from their arguments to the queue of their world. */

import { abortedBy, checkedOptions, checkOp, checkReduce, NAMES } from "../../facilities/loop/chunks/options.ts";
import type { GivenLoop } from "../../facilities/loop/given.ts";
import { iterationsOf, type Over } from "../../facilities/loop/range.ts";
import type { ScanOptions } from "../../facilities/loop/scan-each.ts";
import type { CallSite } from "../../ground/base/call-site/call-site.ts";
import { UsageError } from "../../ground/base/errors.ts";
import { isRecord } from "../../ground/base/names.ts";
import { isBundled } from "../../ground/base/package-file.ts";
import { shortText } from "../../ground/base/short-text.ts";
import { isTypedArray, type TypedArray } from "../../ground/memory/kernels/elements.ts";
import { isInJob } from "../../links/world/nodes/in-job.ts";
import { checkInMain } from "../run/in-main.ts";
import { resolveModule } from "../run/module.ts";
import type { OpenWorld } from "../run/open-world.ts";
import { worldParts } from "../run/world-parts.ts";
import { defaultWorld } from "./default-world.ts";
import { isModuleFunction, type ModuleFunction } from "./functions.ts";
import { LoopRun } from "./loop-run.ts";
import type { LoopCall } from "./orders.ts";
import { queueOf } from "./queue.ts";
import { isShared } from "./share.ts";
import type { WorldLoopOptions, WorldReducingOptions } from "./types.ts";
import type { LoopPlan } from "./world-loop.ts";

type Options = WorldLoopOptions &
  Partial<WorldReducingOptions> &
  Pick<ScanOptions<unknown>, "exclusive"> & { readonly args?: unknown; readonly into?: TypedArray | undefined };

const AT_PES: readonly string[] = ["wait", "ordered"];
const without = (names: readonly string[]): readonly string[] => [
  ...names.filter((name) => !AT_PES.includes(name)),
  "args",
];
const KNOWN: Readonly<Record<LoopCall, readonly string[]>> = {
  forEach: without(NAMES.each),
  forRange: without(NAMES.each),
  reduceEach: without(NAMES.reduce),
  mapEach: without(NAMES.map),
  scanEach: without(NAMES.scan),
};

/** The URLs of modules, by what was given. */
const places = new WeakMap<ModuleFunction<unknown>, string>();

/** @param given the arguments of the call @throws as forEach */
export async function loopOutside(call: LoopCall, given: readonly unknown[], site: CallSite): Promise<unknown> {
  checkInMain(`${call}()`);
  if (isBundled) {
    throw new UsageError(
      `${call}: expected a program with tundish beside it, got a bundle that has it in it: the PEs do not find the library's ` +
        "part of the loop there. Leave tundish out of the bundle (external: ['tundish']).",
    );
  }
  const [first, ...others] = given;
  const isGiven = worldParts.has(first as object);
  if (!isGiven && isRecord(first) && "run" in first && "close" in first) {
    throw new UsageError(
      `${call}: expected an open world of this tundish, got one of another copy of the package: open it and make the loop by ` +
        "the same copy. `npm ls tundish` shows where there are several.",
    );
  }
  const [over, body, ...rest] = isGiven ? others : given;
  let world = isGiven ? (first as OpenWorld) : null;
  let plan: LoopPlan;
  try {
    const { count } = iterationsOf(call, over as Over);
    const place = bodyOf(call, body);
    world ??= await defaultWorld();
    plan = planOf(call, { over: over as Over, count, ...place, rest, site }, world);
  } catch (error) {
    // the processes of other nodes wait for this one's part of the loop, or of the world that none was given for
    if (world === null && isInJob()) world = await defaultWorld().catch(() => null);
    if (world !== null && isOverNodes(world)) worldParts.get(world)?.fail(error);
    throw error;
  }
  return isOverNodes(world) ? new LoopRun(world, plan).loop.result : queueOf(world).add(plan);
}

const isOverNodes = (world: OpenWorld): boolean => worldParts.get(world)?.pes !== world.size;

/** A call whose range and body were checked. */
interface Given {
  readonly over: Over;
  readonly count: number;
  readonly module: string;
  readonly name: string;
  /** The op, if the call has one, and options. */
  readonly rest: unknown[];
  readonly site: CallSite;
}

/** @throws UsageError; AbortedError on one node: over nodes the others begin the loop, so this one does */
function planOf(call: LoopCall, { over, count, module, name, rest, site }: Given, world: OpenWorld): LoopPlan {
  const hasOp = call === "reduceEach" || call === "scanEach";
  const op = hasOp ? rest.shift() : undefined;
  if (isRecord(rest[0]) && rest[0].ordered !== undefined) {
    throw new UsageError(
      `${call}: ordered: expected none outside the PEs, which cannot get a closure. Keep the values in order by mapEach, or make the loop ` +
        "in a program of the PEs.",
    );
  }
  const options = checkedOptions<Options>(call, rest[0] as Options | undefined, KNOWN[call], world.size);
  const { signal, timeout, onProgress, args, into, schedule, chunk, weights } = options;
  const reduce = hasOp ? op : options.reduce;
  checkResult(call, { ...options, reduce } as Options, count);
  if (signal?.aborted && !isOverNodes(world)) throw abortedBy(call, signal);
  const { initial, reproducible, exclusive } = options;
  const common = { schedule, chunk, weights, reduce, initial, reproducible };
  const loop: GivenLoop = {
    call,
    over,
    options: (call === "scanEach" ? { ...common, exclusive } : common) as GivenLoop["options"],
    into,
    args,
  };
  const isLimited = signal !== undefined || timeout !== undefined || onProgress !== undefined;
  const order = { loop, module, name, isLimited, tells: onProgress !== undefined };
  return { order, count, pes: world.size, limits: options, site };
}

/** @throws UsageError, ModuleError for a file that does not exist */
function bodyOf(call: LoopCall, body: unknown): { readonly module: string; readonly name: string } {
  if (!isModuleFunction(body)) {
    throw new UsageError(
      `${call}: expected a function of a module, got ${shortText(body)}: the threads of PEs cannot get a closure, so they import the ` +
        "body by its name. Export it from a module, and give functionsOf(new URL('./bodies.js', import.meta.url)).name; what " +
        "it needs goes into args. In the program of a PE, with a closure: give the PE as the first argument.",
    );
  }
  let module = places.get(body);
  if (module === undefined) {
    module = resolveModule(body.module).href;
    places.set(body, module);
  }
  return { module, name: body.name };
}

/** @throws UsageError */
function checkInto(call: LoopCall, into: unknown, count: number): void {
  const isBigInt = into instanceof BigInt64Array || into instanceof BigUint64Array;
  if (isTypedArray(into) && !(isBigInt && call === "scanEach") && isShared(into) && into.length >= count) return;
  const got = isTypedArray(into)
    ? `a ${into.constructor.name} of ${into.length}${isShared(into) ? "" : " that is not shared"}`
    : shortText(into);
  throw new UsageError(
    `${call}: into: expected a typed array of at least ${count} ${call === "scanEach" ? "numbers" : "elements"} that all PEs see, got ${got}. ` +
      "Make it before: share(Float64Array, n)",
  );
}

/** @throws UsageError */
function checkResult(call: LoopCall, options: Options, count: number): void {
  const { reduce, into, exclusive } = options;
  if (into !== undefined || call === "scanEach") checkInto(call, into, count);
  if (call === "mapEach") return;
  if (exclusive !== undefined && typeof exclusive !== "boolean") {
    throw new UsageError(`${call}: exclusive: expected true or false, got ${shortText(exclusive)}`);
  }
  if (reduce === undefined && call !== "reduceEach" && call !== "scanEach") {
    if (options.initial === undefined && options.reproducible === undefined) return;
    throw new UsageError(`${call}: initial, reproducible: expected reduce with it, as the loop has no result without`);
  }
  if (typeof reduce !== "string") {
    throw new UsageError(
      `${call}: reduce: expected the name of an operator (sum, prod, min, max, and, or, xor), got ${shortText(reduce)}: ` +
        "PEs cannot get a function",
    );
  }
  checkOp(call, reduce);
  checkReduce(call, options);
}
