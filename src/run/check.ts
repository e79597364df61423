/** What launch() is given, checked before anything starts: a wrong plan would show as a hang. */
import { barrierMembers, treeMembers } from "../../trees/model/check-tree.ts";
import { algorithms } from "../../trees/model/names.ts";
import type { Contest, Contestant, Trees } from "../../trees/model/types.ts";
import { inWords } from "../base/account.ts";
import { UsageError } from "../base/errors.ts";
import { got } from "../base/got.ts";
import { checkNames } from "../base/options.ts";
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

const PLAN: readonly (keyof Trees)[] = [
  "schema",
  "machine",
  "unit",
  "cores",
  "broadcast",
  "reduce",
  "barrier",
  "contest",
  "large",
  "baselines",
  "bound",
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

/**
 * Passes when every tree of a plan spans the ranks 0 to `size` - 1, and nothing in it is unknown.
 * @throws UsageError that names the place
 */
export function checkPlan(plan: unknown, size: number): asserts plan is Trees {
  const advice = "Generate it from a model with one PE per rank (generateTrees), or leave the plan out.";
  const { cores, broadcast, reduce, barrier, contest } = (plan ?? {}) as Partial<Trees>;
  if (!Array.isArray(cores) || !permutes(cores, size)) {
    const found = Array.isArray(cores) ? `trees over the PEs ${cores.map(inWords).join(", ")}` : got(plan);
    throw new UsageError(`plan: expected trees over the ranks 0 to ${size - 1}, got ${found}. ${advice}`);
  }
  checkNames(plan, PLAN, "plan");
  const members = {
    broadcast: treeMembers(broadcast, "plan.broadcast"),
    reduce: treeMembers(reduce, "plan.reduce"),
    barrier: barrierMembers(barrier, "plan.barrier"),
  };
  for (const [name, ranks] of Object.entries(members)) {
    if (permutes(ranks, size)) continue;
    throw new UsageError(
      `plan.${name}: expected to reach each of the ranks 0 to ${size - 1} once, got ${ranks.length} PEs, the highest ${Math.max(...ranks)}. ${advice}`,
    );
  }
  if (contest !== undefined) checkContest(contest);
}

/** Passes for what `explain` can tell of a contest. @throws UsageError if not */
function checkContest(contest: unknown): void {
  checkNames(contest, ["broadcast", "reduce", "barrier", "turns", "steady"], "plan.contest");
  const { turns, steady } = contest as Partial<Contest>;
  if (!(Number.isSafeInteger(turns) && typeof steady === "boolean")) {
    throw new UsageError(
      "plan.contest: expected how many turns it had and whether it was steady. Leave it out.",
    );
  }
  for (const what of ["broadcast", "reduce", "barrier"] as const) {
    const list: unknown = (contest as Partial<Contest>)[what];
    if (Array.isArray(list) && list.length > 0 && list.every(isContestant)) continue;
    throw new UsageError(
      `plan.contest.${what}: expected contestants {name, predicted, measured, spread, won}, got ${got(list)}. Leave the contest out.`,
    );
  }
}

function isContestant(one: unknown): boolean {
  const { name, ...numbers } = (one ?? {}) as Partial<Contestant>;
  const { predicted, measured, spread, won } = numbers;
  return (
    typeof name === "string" && [predicted, measured, spread, won].every((value) => typeof value === "number")
  );
}

function permutes(ranks: readonly unknown[], size: number): boolean {
  const seen = new Set(ranks);
  return (
    ranks.length === size && Array.from({ length: size }, (_, rank) => rank).every((rank) => seen.has(rank))
  );
}
