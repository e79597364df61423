/** Starts worlds, for launch(), open() and createWorld(). */
import type { EnvironmentError } from "../../ground/base/errors.ts";
import type { Beginning } from "../run/handle.ts";
import { type OpenWorld, openWorld } from "../run/open-world.ts";
import type { LaunchOptions, OpenOptions } from "../run/options.ts";
import { performRun, type TreeChoice } from "../run/run.ts";
import { treesFor } from "./trees.ts";

export { startWorld } from "./host.ts";

const treeChoice = (options: LaunchOptions | OpenOptions): TreeChoice => ({
  trees: (prepared, stop) => treesFor(options, prepared, stop),
});

/** As launch(), for the run of `beginning`. */
export const startRun = (
  module: URL | string,
  options: LaunchOptions,
  beginning: Beginning,
  untraced?: (why: EnvironmentError) => void,
): Promise<unknown[]> =>
  performRun(module, options, { ...treeChoice(options), ...(untraced && { untraced }) }, beginning);

/** As open(). */
export const startOpen = (options: OpenOptions): Promise<OpenWorld> =>
  openWorld(options, treeChoice(options));
