/** Checks the trees of a world or a group: invalid trees would cause a hang. */
import { UsageError } from "../../src/ground/base/errors.ts";
import { checkNames } from "../../src/ground/base/names.ts";
import { shortText } from "../../src/ground/base/short-text.ts";
import { barrierMembers, treeMembers } from "./check-tree.ts";
import type { Contest, Contestant, Trees } from "./tree.ts";

const TREES: readonly (keyof Trees)[] = [
  "schema",
  "machine",
  "unit",
  "cores",
  "broadcast",
  "reduce",
  "barrier",
  "contest",
  "baselines",
  "bound",
];

/** PEs that an error names. */
const NAMED = 16;

/** Checks that every tree spans the ranks 0 to `size` - 1. @throws UsageError that names the place */
export function checkTrees(trees: unknown, size: number): asserts trees is Trees {
  const advice = "Generate it from a model with one PE per rank (generateTrees), or leave them out.";
  const { cores, broadcast, reduce, barrier, contest } = (trees ?? {}) as Partial<Trees>;
  if (!Array.isArray(cores) || !permutes(cores, size)) {
    const found = Array.isArray(cores)
      ? `trees over the PEs ${cores.slice(0, NAMED).map(shortText).join(", ")}${cores.length > NAMED ? ` and ${cores.length - NAMED} more` : ""}`
      : shortText(trees);
    throw new UsageError(`trees: expected trees over the ranks 0 to ${size - 1}, got ${found}. ${advice}`);
  }
  checkNames("trees", trees, TREES);
  const members = {
    broadcast: treeMembers(broadcast, "trees.broadcast"),
    reduce: treeMembers(reduce, "trees.reduce"),
    barrier: barrierMembers(barrier, "trees.barrier"),
  };
  for (const [name, ranks] of Object.entries(members)) {
    if (permutes(ranks, size)) continue;
    throw new UsageError(
      `trees.${name}: expected to reach each of the ranks 0 to ${size - 1} once, got ${ranks.length} PEs, the highest ${Math.max(...ranks)}. ${advice}`,
    );
  }
  if (contest !== undefined) checkContest(contest);
}

/** Checks the part of a contest that `explain` shows. @throws UsageError */
function checkContest(contest: unknown): void {
  checkNames("trees.contest", contest, ["broadcast", "reduce", "barrier", "turns", "steady"]);
  const { turns, steady } = contest as Partial<Contest>;
  if (!(Number.isSafeInteger(turns) && (turns as number) >= 0 && typeof steady === "boolean")) {
    throw new UsageError("trees.contest: expected how many turns it had and whether it was steady. Leave it out.");
  }
  for (const what of ["broadcast", "reduce", "barrier"] as const) {
    const list: unknown = (contest as Partial<Contest>)[what];
    if (Array.isArray(list) && list.length > 0 && list.every(isContestant)) continue;
    throw new UsageError(
      `trees.contest.${what}: expected contestants {name, predicted, measured, spread, won}, got ${shortText(list)}. Leave the contest out.`,
    );
  }
}

function isContestant(one: unknown): boolean {
  const { name, ...numbers } = (one ?? {}) as Partial<Contestant>;
  const { predicted, measured, spread, won } = numbers;
  return typeof name === "string" && [predicted, measured, spread, won].every((value) => typeof value === "number");
}

function permutes(ranks: readonly unknown[], size: number): boolean {
  const seen = new Set(ranks);
  return ranks.length === size && Array.from({ length: size }, (_, rank) => rank).every((rank) => seen.has(rank));
}
