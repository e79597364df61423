/** Options of launch() and createWorld(), checked before anything starts. */
import type { Algorithm, Trees } from "../../../trees/model/tree.ts";
import { type ChannelKind, channelKinds } from "../../ground/base/channel-kinds.ts";
import {
  abortSignal,
  checkOptions,
  is,
  type OptionFields,
  oneOf,
  optionsOf,
  positive,
  text,
  truth,
  unchecked,
  whole,
} from "../../ground/base/options.ts";
import { algorithms } from "../../ground/base/tree-algorithms.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import type { PlanDocument } from "../../plan/document/document.ts";
import type { Fit } from "../../plan/document/fits.ts";

/** Options of every world. */
export interface WorldOptions {
  /** Number of PEs; it may exceed the number of cores. @default those of `plan`, else one per usable core */
  readonly pes?: number;
  /**
   * The machine model to plan with, or the path of one (`tundish profile -o machine.json`).
   * @default the file named by TUNDISH_MACHINE, else a guess from the topology
   */
  readonly machine?: MachineModel | string;
  /**
   * Trees over the ranks, as `generateTrees` returns them; or the algorithm that builds the trees of the world and of
   * its groups, without measurement: for example `"smelt"`, or `"adaptive"` for those that the model predicts to be
   * fastest.
   * @default generated from `machine`. If `launch` has a `machine` profiled on this machine and a core for each PE, it
   *   measures the most promising trees once and stores the fastest in the user's cache folder
   */
  readonly trees?: Trees | Algorithm;
  /**
   * A plan made before: a document `tundish/plan@1`, or the path or URL of one. It chooses the options of conveyors
   * that are left open, its trees are the world's unless `trees` are given, and its number of PEs is the default of
   * `pes`: docs/plan.md.
   * @default the file named by TUNDISH_PLAN, else none
   */
  readonly plan?: PlanDocument | string | URL;
  /**
   * The handling of a plan that does not fit, made for another number of PEs or nodes, another machine, or smaller
   * items: with `"exact"` a PlanError, with `"adapt"` it is planned again for this world and its loads, without its
   * trees. It holds for plans among the options of conveyors, too. @default "exact"
   */
  readonly fit?: Fit;
  /**
   * The kind of message channels between the PEs of a node, on all nodes the same: `"ump"` or `"fastforward"`, whose
   * receiver sends every cache line back empty (docs/collectives.md compares them).
   * @default what TUNDISH_CHANNEL names, else `"ump"`
   */
  readonly channel?: ChannelKind;
  /** Whether each PE binds itself to a CPU (Linux). Programs that share the cores may want none. @default true */
  readonly pin?: boolean;
  /**
   * Bytes of the shared heap, at most 4 GiB. It is address space; physical memory is used only where it is touched. A
   * heap too small for the world's own areas is rejected, with the required number in the message.
   * @default 1 GiB
   */
  readonly heapBytes?: number;
  /** Limit of one wait for other PEs, ms; beyond it a TimeoutError ends the world. @default no limit */
  readonly waitTimeout?: number;
  /**
   * Whether the PEs' calls are compared, so that calls which do not match give a MismatchError instead of a hang or a
   * wrong result. Costs a few ns per call. @default true
   */
  readonly checks?: boolean;
  /**
   * The handling of a lost PE, as it throws, exits or is killed: the world `"end"`s, with a RankLostError at all PEs;
   * or it `"continue"`s: collectives, conveyors and all else of groups with the lost PE fail with that error,
   * everything else goes on (docs/errors.md). On all nodes the same. @default "end"
   */
  readonly onLoss?: "end" | "continue";
}

/** Options of the threads that launch() and open() start. */
export interface ThreadOptions {
  /**
   * Limits of each PE's memory, as those of a `Worker` of node:worker_threads. A PE that exceeds one is lost.
   * @default those of Node
   */
  readonly resourceLimits?: {
    /** Objects that have lived for a while, MB. Arrays in the shared heap do not count. @default that of Node */
    readonly maxOldGenerationSizeMb?: number;
    /** Objects that were made lately, MB. @default that of Node */
    readonly maxYoungGenerationSizeMb?: number;
    /** Code that V8 generates, MB. @default that of Node */
    readonly codeRangeSizeMb?: number;
    /** The stack, MB: 1 or more. @default 4 */
    readonly stackSizeMb?: number;
  };
  /**
   * Whether each line that a PE prints begins with its rank, as `[3] `. A part of a line is printed at once, and begins
   * again if another PE prints before the rest.
   * @default false
   */
  readonly tagOutput?: boolean;
  /**
   * Time without progress, ms, after which one warning (`TUNDISH_STALL`) says which PE breaks which rule, or which PEs
   * block each other; Infinity for none. SIGUSR2 prints the same at any time, unless the process has another handler.
   * @default 10000
   */
  readonly stallAfter?: number;
}

/** Limits of a run, or of the opening of a world. */
export interface RunLimitOptions {
  /** Limit of the run, ms, with the measurement of its trees; then it ends with a TimeoutError. @default no limit */
  readonly timeout?: number;
  /** Ends the run with an AbortedError, also while its trees are measured. @default none */
  readonly signal?: AbortSignal;
}

/** Options of {@link OpenWorld.run}. */
export interface WorldRunOptions<Args = unknown> extends RunLimitOptions {
  /** Passed to every PE's main as its second argument; must be cloneable. @default undefined */
  readonly args?: Args;
}

/** Options of open(). `timeout` and `signal` limit the opening. */
export interface OpenOptions extends WorldOptions, ThreadOptions, RunLimitOptions {}

/** Options of launch(). */
export interface LaunchOptions<Args = unknown> extends WorldOptions, ThreadOptions, RunLimitOptions {
  /** Passed to every PE's main as its second argument; must be cloneable. @default undefined */
  readonly args?: Args;
  /**
   * A file for a trace of all conveyors, readable by chrome://tracing and ui.perfetto.dev. Over nodes each has its own:
   * `trace.json` the first, `trace.1.json` the next. It is written when the run
   * ends, with or without an error. If writing fails, for example on a full disk, a warning (`TUNDISH_TRACE`) says so,
   * and the results are returned nevertheless.
   * @default none
   */
  readonly trace?: string;
}

const isObject = (x: unknown): boolean => typeof x === "object" && x !== null;

const WORLD_FIELDS: OptionFields<WorldOptions> = {
  pes: whole(1, 4096),
  machine: is("a machine model or the path of one", (x) => typeof x === "string" || isObject(x)),
  trees: is(
    `trees of generateTrees(), or one of ${algorithms.join(", ")}`,
    (x) => isObject(x) || algorithms.includes(x as Algorithm),
  ),
  plan: is(
    "a plan tundish/plan@1, or the path or URL of one",
    (x) => (typeof x === "string" && x !== "") || x instanceof URL || isObject(x),
  ),
  fit: oneOf(["exact", "adapt"]),
  channel: oneOf(channelKinds),
  pin: truth,
  heapBytes: is("a whole number of bytes", (x) => typeof x === "number"),
  waitTimeout: positive("milliseconds"),
  checks: truth,
  onLoss: oneOf(["end", "continue"]),
};
const WORLD = optionsOf<WorldOptions>(WORLD_FIELDS);
const megabytes = positive("MB");
/** V8 ends the process if a thread has no room to start: below 0.25 MB with Node 20 on x64. */
const LEAST_STACK_MB = 1;
const THREAD_FIELDS: OptionFields<ThreadOptions> = {
  resourceLimits: optionsOf<NonNullable<ThreadOptions["resourceLimits"]>>(
    {
      maxOldGenerationSizeMb: megabytes,
      maxYoungGenerationSizeMb: megabytes,
      codeRangeSizeMb: megabytes,
      stackSizeMb: is("a number of MB >= 1", (x) => typeof x === "number" && x >= LEAST_STACK_MB),
    },
    [],
    "limit",
  ),
  tagOutput: truth,
  stallAfter: positive("milliseconds"),
};
const LIMIT_FIELDS: OptionFields<RunLimitOptions> = {
  timeout: positive("milliseconds"),
  signal: abortSignal,
};
const LAUNCH = optionsOf<LaunchOptions>({
  ...WORLD_FIELDS,
  ...THREAD_FIELDS,
  ...LIMIT_FIELDS,
  args: unchecked,
  trace: text("the path of a file"),
});
const OPEN = optionsOf<OpenOptions>({ ...WORLD_FIELDS, ...THREAD_FIELDS, ...LIMIT_FIELDS });
const RUN = optionsOf<WorldRunOptions>({ ...LIMIT_FIELDS, args: unchecked });

/** Passes when createWorld() can use the options. @throws UsageError that names the one which it cannot */
export const checkWorldOptions = (options: WorldOptions): void => checkOptions("createWorld", WORLD, options);

/** As {@link checkWorldOptions}, for launch(). */
export const checkLaunchOptions = (options: LaunchOptions): void => checkOptions("launch", LAUNCH, options);

/** As {@link checkWorldOptions}, for open(). */
export const checkOpenOptions = (options: OpenOptions): void => checkOptions("open", OPEN, options);

/** As {@link checkWorldOptions}, for a run in an open world. */
export const checkRunOptions = (options: WorldRunOptions): void => checkOptions("run", RUN, options);
