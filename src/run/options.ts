/** Options of launch() and createWorld(), checked before anything starts. */
import type { Algorithm, Trees } from "../../trees/model/types.ts";
import { inWords } from "../base/account.ts";
import type { ChannelKind } from "../base/channel-kinds.ts";
import { UsageError } from "../base/errors.ts";
import { checkNames } from "../base/options.ts";
import { algorithms } from "../base/tree-algorithms.ts";
import { channelOf } from "../channel/backends.ts";
import type { MachineModel } from "../machine/types.ts";

/** Options of every world. */
export interface WorldOptions {
  /** Number of PEs; it may exceed the number of cores. @default one per usable core */
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
   * The kind of message channels between the PEs of a node, on all nodes the same: `"ump"` or `"fastforward"`, whose receiver sends every cache
   * line back empty (docs/collectives.md compares them).
   * @default what TUNDISH_CHANNEL names, else `"ump"`
   */
  readonly channel?: ChannelKind;
  /** Whether each PE binds itself to a CPU (Linux). Programs that share the cores may be better off without. @default true */
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
}

/** Options of launch(). */
export interface LaunchOptions extends WorldOptions {
  /** Passed to every PE's main as its second argument; must be cloneable. @default undefined */
  readonly args?: unknown;
  /**
   * Limit of the whole run, ms, including the measurement of its trees; beyond it the run ends with a TimeoutError.
   * @default no limit
   */
  readonly timeout?: number;
  /** Ends the run with an AbortedError, also while its trees are measured. @default none */
  readonly signal?: AbortSignal;
  /**
   * Time without progress in conveyors, ms, after which one warning (`TUNDISH_STALL`) says which PE breaks which rule;
   * Infinity for none. SIGUSR2 prints the same at any time, unless the process has another handler. @default 10000
   */
  readonly stallAfter?: number;
  /**
   * A file for a trace of all conveyors, readable by chrome://tracing and ui.perfetto.dev. It is written when the run
   * ends, with or without an error. If writing fails, for example on a full disk, a warning (`TUNDISH_TRACE`) says so,
   * and the results are returned nevertheless.
   * @default none
   */
  readonly trace?: string;
}

const WORLD_OPTIONS: readonly (keyof WorldOptions)[] = [
  "pes",
  "machine",
  "trees",
  "channel",
  "pin",
  "heapBytes",
  "waitTimeout",
  "checks",
];

/** Checks the options. @throws UsageError that names the invalid one */
export function checkWorldOptions(options: WorldOptions, more: readonly string[] = []): void {
  checkNames(options, [...WORLD_OPTIONS, ...more]);
  const { pes, waitTimeout, machine, heapBytes } = options;
  if (pes !== undefined && !(Number.isInteger(pes) && pes >= 1 && pes <= 4096)) {
    throw new UsageError(`pes: expected a whole number from 1 to 4096, got ${inWords(pes)}`);
  }
  checkMilliseconds("waitTimeout", waitTimeout);
  if (heapBytes !== undefined && typeof heapBytes !== "number") {
    throw new UsageError(`heapBytes: expected a whole number of bytes, got ${inWords(heapBytes)}`);
  }
  const { trees } = options;
  const isTrees = typeof trees === "object" && trees !== null;
  if (trees !== undefined && !isTrees && !algorithms.includes(trees)) {
    throw new UsageError(
      `trees: expected trees of generateTrees(), or one of ${algorithms.join(", ")}, got ${inWords(trees)}`,
    );
  }
  channelOf(options.channel);
  for (const name of ["pin", "checks"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean") {
      throw new UsageError(`${name}: expected true or false, got ${inWords(options[name])}`);
    }
  }
  if (machine !== undefined && typeof machine !== "string" && typeof machine !== "object") {
    throw new UsageError(`machine: expected a machine model or the path of one, got ${inWords(machine)}`);
  }
}

/** As {@link checkWorldOptions}, for launch(). */
export function checkLaunchOptions(options: LaunchOptions): void {
  checkWorldOptions(options, ["args", "timeout", "signal", "stallAfter", "trace"]);
  checkMilliseconds("timeout", options.timeout);
  checkMilliseconds("stallAfter", options.stallAfter);
  if (options.trace !== undefined && !(typeof options.trace === "string" && options.trace !== "")) {
    throw new UsageError(`trace: expected the path of a file, got ${inWords(options.trace)}`);
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw new UsageError(`signal: expected an AbortSignal, got ${inWords(options.signal)}`);
  }
}

function checkMilliseconds(name: string, value: unknown): void {
  if (value !== undefined && !(typeof value === "number" && value > 0)) {
    throw new UsageError(`${name}: expected a number of milliseconds > 0, got ${inWords(value)}`);
  }
}
