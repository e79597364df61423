/** What launch() and createWorld() can be told, and its check, before anything starts. */
import type { Algorithm, Trees } from "../../trees/model/types.ts";

import {
  abortSignal,
  checkOptions,
  type Fields,
  is,
  optionsOf,
  positive,
  text,
  truth,
  unchecked,
  whole,
} from "../base/options.ts";
import { algorithms } from "../base/tree-algorithms.ts";
import type { MachineModel } from "../machine/types.ts";

/** What a world can be told, however its PEs come to it. */
export interface WorldOptions {
  /** Number of PEs. More than there are cores is fine. @default one per usable core */
  readonly pes?: number;
  /**
   * The machine model to plan with, or the path of one (`tundish profile -o machine.json`).
   * @default the file that TUNDISH_MACHINE names, else a guess from the topology
   */
  readonly machine?: MachineModel | string;
  /**
   * Trees to run on, as `generateTrees` gives them, over ranks; or the algorithm that the trees of the world and of its groups are
   * built by, measured or not: `"smelt"`, say, or `"adaptive"` for what the model prefers.
   * @default generated from `machine`; by `launch`, with a `machine` that was profiled here and a core for each
   *   PE, the most promising ones are measured once and the fastest kept in the user's cache folder
   */
  readonly trees?: Trees | Algorithm;
  /** Whether each PE binds itself to a CPU (Linux). Programs that share the cores may be better off without. @default true */
  readonly pin?: boolean;
  /**
   * Bytes of the shared heap, at most 4 GiB: address space, used only where touched. What the world needs for itself is
   * refused to be less, with the number in the message.
   * @default 1 GiB
   */
  readonly heapBytes?: number;
  /** Time that one wait for other PEs may take, ms; then a TimeoutError ends the world. @default no limit */
  readonly waitTimeout?: number;
  /**
   * Whether the calls of the PEs are compared, so that calls that do not match give a MismatchError
   * rather than a hang or a wrong result. Costs a few ns a call. @default true
   */
  readonly checks?: boolean;
}

/** How to start a world. */
export interface LaunchOptions extends WorldOptions {
  /** Handed to every PE's main as its second argument; must be cloneable. @default undefined */
  readonly args?: unknown;
  /**
   * Time the whole run may take, ms, the measuring of its trees included; then it ends with a TimeoutError.
   * @default no limit
   */
  readonly timeout?: number;
  /** Ends the run with an AbortedError, also while its trees are measured. @default none */
  readonly signal?: AbortSignal;
  /**
   * Time without progress in conveyors after which a warning (`TUNDISH_STALL`) says once which PE keeps which promise not, ms;
   * Infinity for none. SIGUSR2 prints it at any time, unless the process has another handler. @default 10000
   */
  readonly stallAfter?: number;
  /**
   * A file for a trace of all conveyors that chrome://tracing and ui.perfetto.dev show; written when the run ends, however.
   * Where that fails, as on a full disk, a warning (`TUNDISH_TRACE`) says so, and the results are there all the same.
   * @default none
   */
  readonly trace?: string;
}

const isObject = (x: unknown): boolean => typeof x === "object" && x !== null;

const WORLD_FIELDS: Fields<WorldOptions> = {
  pes: whole(1, 4096),
  machine: is("a machine model or the path of one", (x) => typeof x === "string" || isObject(x)),
  trees: is(
    `trees of generateTrees(), or one of ${algorithms.join(", ")}`,
    (x) => isObject(x) || algorithms.includes(x as Algorithm),
  ),
  pin: truth,
  heapBytes: is("a whole number of bytes", (x) => typeof x === "number"),
  waitTimeout: positive("milliseconds"),
  checks: truth,
};
const WORLD = optionsOf<WorldOptions>(WORLD_FIELDS);
const LAUNCH = optionsOf<LaunchOptions>({
  ...WORLD_FIELDS,
  args: unchecked,
  timeout: positive("milliseconds"),
  signal: abortSignal,
  stallAfter: positive("milliseconds"),
  trace: text("the path of a file"),
});

/** Passes when createWorld() can use the options. @throws UsageError that names the one which it cannot */
export const checkWorldOptions = (options: WorldOptions): void => checkOptions("createWorld", WORLD, options);

/** As {@link checkWorldOptions}, for launch(). */
export const checkLaunchOptions = (options: LaunchOptions): void => checkOptions("launch", LAUNCH, options);
