/** launch(): runs an SPMD program on the cores of this machine, on the best known trees. */
import type { EnvironmentError, RankLostError } from "../../ground/base/errors.ts";
import type { NeedsArgs } from "../../ground/base/options.ts";
import type { ArgsOf, ResultOf } from "../../pe/spmd.ts";
import { type Run, runOf } from "../run/handle.ts";
import type { LaunchOptions } from "../run/options.ts";
import { startingAhead } from "./starting.ts";

/**
 * As below, in a world that goes on without lost PEs.
 * @returns what each PE's main returned, or the RankLostError of one that is lost
 * @throws RankLostError only if all PEs are lost
 */
export function launch<Program = unknown>(
  module: URL | string,
  options: LaunchOptions<ArgsOf<Program>> & NeedsArgs<ArgsOf<Program>> & { readonly onLoss: "continue" },
): Run<ResultOf<Program> | RankLostError>;
/**
 * Runs an SPMD module on the cores of this machine.
 *
 *     const results = await launch<typeof import("./sum.js")>(new URL("./sum.js", import.meta.url), { args: [1, 2] });
 *
 * With the type of the module, `args` are checked and the results have their type when the program is compiled. Or
 * `Program` is the type of a result, which is not checked.
 * @param module a path (relative to the working directory) or a URL. Its default export is made by `spmd()`. TypeScript
 * needs tsx or a Node that reads it.
 * @returns what each PE's main returned, in rank order
 * @throws UsageError for bad options, and in a worker under mpirun; ModuleError for a module that does not exist, and
 * for one that calls launch when a PE imports it (guard the call by `isEntry(import.meta)`); ModelError for a bad
 * machine model; RankLostError when a PE throws, exits or is killed (its `cause` is the PE's error); TimeoutError,
 * AbortedError
 */
export function launch<Program = unknown>(
  module: URL | string,
  ...options: LaunchArguments<ArgsOf<Program>>
): Run<ResultOf<Program>>;
export function launch<Result = unknown>(module: URL | string, options: LaunchOptions = {}): Run<Result> {
  return launchWithNotice(module, options);
}

/** The options of launch(); they may be left out where the program can do without `args`. */
export type LaunchArguments<Args> = undefined extends Args
  ? [options?: LaunchOptions<Args>]
  : [options: LaunchOptions<Args> & { readonly args: Args }];

/** As {@link launch}. @param untraced called if the trace was not written at the end. @default a warning */
export const launchWithNotice = <Result = unknown>(
  module: URL | string,
  options: LaunchOptions,
  untraced?: (why: EnvironmentError) => void,
): Run<Result> =>
  runOf((beginning) =>
    startingAhead("launch()", options, ({ startRun }, ahead) =>
      startRun(module, options, { beginning, ahead, untraced }),
    ),
  );
