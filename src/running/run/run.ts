/** Runs a module on this node: checks, a world, its trees and memory, threads, and their end. */
import type { Trees } from "../../../trees/model/tree.ts";
import { EnvironmentError } from "../../ground/base/errors.ts";
import { shieldThreads } from "../../ground/base/shield.ts";
import type { Epoch } from "../../links/world/nodes/epoch.ts";
import type { ThreadsAhead } from "./ahead.ts";
import { type Beginning, type Run, runOf } from "./handle.ts";
import { kernelsAhead } from "./kernels.ts";
import { RunLimits } from "./limits.ts";
import { resolveModule } from "./module.ts";
import { makeNode, type Node } from "./node.ts";
import { checkLaunchOptions, type LaunchOptions, type ThreadOptions } from "./options.ts";
import { beginEpoch } from "./over-nodes/begin.ts";
import { givenPlan } from "./plan.ts";
import { type PreparedWorld, prepare } from "./prepare.ts";
import { RunningWorld } from "./running-world.ts";
import { endLines, outputOfPEs } from "./stdio/output.ts";
import { checkInputs } from "./stdio/stdin.ts";
import type { Start } from "./threads.ts";

const STALL_AFTER_MS = 10_000;

/** How the trees of a run are chosen. */
export interface TreeChoice {
  /** Chooses the trees for a world; `stop` ends the choice. */
  readonly trees: (prepared: PreparedWorld, stop: AbortSignal) => Trees | Promise<Trees>;
  /** Makes a world of this node alone, also under mpirun, and without TUNDISH_PLAN's plan. @default false */
  readonly isAlone?: boolean;
  /** Called if the trace could not be written at the end of the run. @default a warning */
  readonly untraced?: (why: EnvironmentError) => void;
}

/** Runs an SPMD module on the trees chosen by `treeChoice`. @throws as launch() */
export function runModule<Result>(module: URL | string, options: LaunchOptions, treeChoice: TreeChoice): Run<Result> {
  return runOf<Result>((beginning) => performRun(module, options, treeChoice, beginning, null));
}

/** As {@link runModule}, for the run of `beginning`. @param ahead threads that have been started for it */
export async function performRun(
  module: URL | string,
  options: LaunchOptions,
  treeChoice: TreeChoice,
  beginning: Beginning,
  ahead: ThreadsAhead | null,
): Promise<unknown[]> {
  shieldThreads();
  const epoch = treeChoice.isAlone ? null : await beginEpoch();
  try {
    return await startNode(module, options, treeChoice, beginning, epoch, ahead);
  } catch (error) {
    // the first node to fail names the error for all nodes
    epoch?.fail(error as Error);
    throw error;
  } finally {
    await epoch?.leave();
  }
}

async function startNode(
  module: URL | string,
  options: LaunchOptions,
  { trees: choose, isAlone = false, untraced = warnUntraced }: TreeChoice,
  { closing, onBegin, onPost }: Beginning,
  epoch: Epoch | null,
  ahead: ThreadsAhead | null,
): Promise<unknown[]> {
  checkLaunchOptions(options);
  checkInputs(isAlone ? { ...options, plan: "" } : options, epoch !== null);
  const url = resolveModule(module);
  const { args } = options;
  // opened before the run, so that a file that cannot be written is reported early
  const trace =
    options.trace === undefined
      ? null
      : await (await import("../trace/file.ts")).traceFile(options.trace, epoch?.node ?? 0);
  const limits = new RunLimits(options, closing);
  let world: RunningWorld | null = null;
  let start: Start | undefined;
  const compiling = kernelsAhead();
  try {
    const given = isAlone ? null : await givenPlan(options);
    const prepared = await prepare(options, limits.signal, epoch, given);
    const trees = await choose(prepared, limits.signal);
    const make = () => makeNode(options, prepared, trees);
    const node = ahead === null ? make() : await ahead.beside(make);
    start = startOf(node, options, await compiling, trace !== null, ahead);
    world = new RunningWorld(node, epoch);
    onBegin(world);
    return await world.launch(start, { number: 1, module: url.href, args }, limits.signal, onPost);
  } finally {
    limits.end();
    if (start !== undefined) endLines(start.common.output);
    if (trace !== null) {
      const why = await trace.write(world?.traces ?? []);
      // not thrown: the results or the error of the run matter more
      if (why !== null) untraced(new EnvironmentError(`Cannot write the trace to ${trace.name}: ${why}`));
    }
  }
}

/** How the threads of a node are started. */
export function startOf(
  { seats, trees, model, plan }: Node,
  { resourceLimits, tagOutput = false, stallAfter = STALL_AFTER_MS }: ThreadOptions,
  kernels: Start["common"]["kernels"],
  trace: boolean,
  ahead: ThreadsAhead | null,
): Start {
  return {
    seats,
    common: { trees, model, plan, trace, output: outputOfPEs(tagOutput), kernels },
    resourceLimits,
    ahead,
    stallAfter,
  };
}

function warnUntraced({ message }: EnvironmentError): void {
  process.emitWarning(message, { type: "TundishWarning", code: "TUNDISH_TRACE" });
}
