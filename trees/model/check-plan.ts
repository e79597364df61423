/** The check of trees that a world or a group is to run on: a wrong plan would show as a hang. */
import { inWords } from "../../src/base/account.ts";
import { UsageError } from "../../src/base/errors.ts";
import { got } from "../../src/base/got.ts";
import { checkNames } from "../../src/base/options.ts";
import { barrierMembers, treeMembers } from "./check-tree.ts";
import type { Contest, Contestant, Trees } from "./types.ts";

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
