/** What launch() is given, checked before anything starts: a wrong plan would show as a hang. */

import { inWords } from "../base/account.ts";
import { UsageError } from "../base/errors.ts";
import { checkNames } from "../base/options.ts";
import { algorithms } from "../base/tree-algorithms.ts";
import type { LaunchOptions } from "../launch/launch.ts";
import type { WorldOptions } from "./node.ts";

const WORLD_OPTIONS: readonly (keyof WorldOptions)[] = [
  "pes",
  "machine",
  "plan",
  "tree",
  "pin",
  "heapBytes",
  "waitTimeout",
  "checks",
];

/** Passes when the options can be used. @throws UsageError that names the one which cannot */
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
  const { plan, tree } = options;
  if (tree !== undefined && !algorithms.includes(tree)) {
    throw new UsageError(`tree: expected one of ${algorithms.join(", ")}, got ${inWords(tree)}`);
  }
  if (tree !== undefined && plan !== undefined) {
    throw new UsageError("plan, tree: expected one of them, got both. Leave tree out: a plan has its trees.");
  }
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
