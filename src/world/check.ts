/** What launch() is given, checked before anything starts: a wrong plan would show as a hang. */
import type { HybridBarrier, Tree, Trees } from "../../trees/types.ts";
import { UsageError } from "../errors.ts";
import { checkNames } from "../options.ts";
import { inWords } from "../wait/account.ts";
import type { LaunchOptions } from "./launch.ts";
import type { WorldOptions } from "./node.ts";

const WORLD_OPTIONS: readonly (keyof WorldOptions)[] = [
  "pes",
  "machine",
  "plan",
  "pin",
  "heapBytes",
  "waitTimeout",
  "checks",
];

/** Passes when the options can be used. @throws UsageError that names the one which cannot */
export function checkWorldOptions(options: WorldOptions, more: readonly string[] = []): void {
  checkNames(options, [...WORLD_OPTIONS, ...more]);
  const { pes, waitTimeout, machine } = options;
  if (pes !== undefined && !(Number.isInteger(pes) && pes >= 1 && pes <= 4096)) {
    throw new UsageError(`pes: expected a whole number from 1 to 4096, got ${inWords(pes)}`);
  }
  checkMilliseconds("waitTimeout", waitTimeout);
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
  checkWorldOptions(options, ["args", "timeout", "signal"]);
  checkMilliseconds("timeout", options.timeout);
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    throw new UsageError(`signal: expected an AbortSignal, got ${inWords(options.signal)}`);
  }
}

function checkMilliseconds(name: string, value: unknown): void {
  if (value !== undefined && !(typeof value === "number" && value > 0)) {
    throw new UsageError(`${name}: expected a number of milliseconds > 0, got ${inWords(value)}`);
  }
}

/** Passes when every tree of a plan spans the ranks 0 to `size` - 1. @throws UsageError if not */
export function checkPlan(plan: Trees, size: number): void {
  const advice = "Generate it from a model with one PE per rank (generateTrees), or leave the plan out.";
  const ranks = plan?.cores;
  if (!Array.isArray(ranks) || ranks.length !== size || !permutes(ranks, size)) {
    const got = Array.isArray(ranks) ? `trees over the PEs ${ranks.join(", ")}` : inWords(plan);
    throw new UsageError(`plan: expected trees over the ranks 0 to ${size - 1}, got ${got}. ${advice}`);
  }
  const { broadcast, reduce, barrier } = plan;
  const trees: [string, Tree | undefined][] = [
    ["broadcast", broadcast],
    ["reduce", reduce],
  ];
  if (barrier?.kind === "tree") {
    trees.push(["barrier.reduce", barrier.reduce], ["barrier.broadcast", barrier.broadcast]);
  } else if (barrier?.kind === "hybrid") checkHybrid(barrier, size, advice);
  else if (barrier?.kind !== "dissemination" || !permutes(barrier.order, size)) {
    throw new UsageError(`plan.barrier: expected trees, or an order of all ranks. ${advice}`);
  }
  for (const [name, tree] of trees) {
    if (!tree || !spans(tree, size)) {
      throw new UsageError(
        `plan.${name}: expected a tree that reaches each of the ranks 0 to ${size - 1} once. ${advice}`,
      );
    }
  }
  if (barrier.kind === "tree" && barrier.reduce.root !== barrier.broadcast.root) {
    throw new UsageError(`plan.barrier: expected two trees with one root. ${advice}`);
  }
}

/** Passes when the trees reach every rank once, and all directions have the same roots. */
function checkHybrid({ leaders, reduce, broadcast }: HybridBarrier, size: number, advice: string): void {
  const isGood = (trees: readonly Tree[]): boolean =>
    Array.isArray(trees) &&
    trees.length === leaders.length &&
    trees.every(({ root }, i) => root === leaders[i]) &&
    permutes(
      trees.flatMap((tree) => reached(tree, size)),
      size,
    );
  if (Array.isArray(leaders) && isGood(reduce) && isGood(broadcast)) return;
  throw new UsageError(
    `plan.barrier: expected leaders, and for each a reduce and a broadcast tree from it, which together reach each of the ranks 0 to ${size - 1} once. ${advice}`,
  );
}

function permutes(ranks: readonly number[], size: number): boolean {
  const seen = new Set(ranks);
  return (
    ranks.length === size && Array.from({ length: size }, (_, rank) => rank).every((rank) => seen.has(rank))
  );
}

const spans = (tree: Tree, size: number): boolean => permutes(reached(tree, size), size);

/** The ranks of a tree; too many of them when one is reached twice. */
function reached({ root, children }: Tree, size: number): number[] {
  const ranks = [root];
  // the array grows while it is walked; a rank reached twice may make it endless
  for (const rank of ranks) {
    if (ranks.length > size) break;
    ranks.push(...(children?.[rank] ?? []));
  }
  return ranks;
}
