/** Starts worlds, for launch() and open(). */
import type { EnvironmentError } from "../../ground/base/errors.ts";
import type { ThreadsAhead } from "../run/ahead.ts";
import type { Beginning } from "../run/handle.ts";
import { type OpenWorld, openWorld } from "../run/open-world.ts";
import type { LaunchOptions, OpenOptions } from "../run/options.ts";
import { performRun, type TreeChoice } from "../run/run.ts";
import { treesFor } from "./trees.ts";

const treeChoice = (options: LaunchOptions | OpenOptions): TreeChoice => ({
  trees: (prepared, stop) => treesFor(options, prepared, stop),
});

/** The needs of {@link startRun} beside the options of launch(). */
interface Starting {
  readonly beginning: Beginning;
  readonly ahead: ThreadsAhead | null;
  readonly untraced: ((why: EnvironmentError) => void) | undefined;
}

/** As launch(). */
export const startRun = (
  module: URL | string,
  options: LaunchOptions,
  { beginning, ahead, untraced }: Starting,
): Promise<unknown[]> =>
  performRun(module, options, { ...treeChoice(options), ...(untraced && { untraced }) }, beginning, ahead);

/** As open(). */
export const startOpen = (options: OpenOptions, ahead: ThreadsAhead | null): Promise<OpenWorld> =>
  openWorld(options, treeChoice(options), ahead);
