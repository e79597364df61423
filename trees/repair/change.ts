/** The options of `repairTree`, checked. */

import { UsageError } from "../../src/ground/base/errors.ts";
import { checkNames } from "../../src/ground/base/names.ts";
import { checkOptions, is, oneOf, optionsOf, unchecked, whole } from "../../src/ground/base/options.ts";
import { shortText } from "../../src/ground/base/short-text.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import { brief } from "../generate/options.ts";
import { membersOn } from "../model/shape.ts";
import type { Operation, Tree } from "../model/tree.ts";

/** PEs that leave a tree, join it, or both: PE numbers of the model. */
export interface TreeChange {
  readonly leave?: number | readonly number[] | undefined;
  readonly join?: number | readonly number[] | undefined;
}

/** Options of the repair. */
export interface RepairOptions {
  /** The use of the tree. @default "broadcast" */
  readonly operation?: Operation | undefined;
  /** The root of the repaired tree, a member of the new group. @default the old one; the best one if it leaves */
  readonly root?: number | undefined;
  /**
   * Changes of an annealing after the reattachment, a whole number >= 0; 5000 take 3 ms for 32 PEs and 30 ms for 256.
   * @default 5000 up to 32 PEs, none for more; 20000 when the root leaves
   */
  readonly moves?: number | undefined;
  /** Seed of random numbers, a whole number >= 0: equal seeds give equal trees. @default 1 */
  readonly seed?: number | undefined;
  /**
   * The reference for the loss: the tree before the change, another tree of the new group, such as one from
   * `generateTrees`, the tree that a full search finds, or a lower bound that no tree is faster than. The last two take
   * up to a second for 256 PEs.
   * @default "before"
   */
  readonly against?: "before" | "search" | "bound" | Tree | undefined;
}

/** Groups up to this size are solved exactly. */
export const SMALL = 10;
/** Some 3 ms for groups of that size; for larger ones it would be too slow, and gain a third of a percent. */
const MOVES = 5000;
const ANNEALED = 32;
/** The change is largest when the root leaves. */
const MOVES_FOR_ROOT = 20_000;
const WAYS = ["before", "search", "bound"];
const REPAIR = optionsOf<RepairOptions>({
  operation: oneOf(["broadcast", "reduce"]),
  // with the new group: checkRepair
  root: unchecked,
  moves: whole(0),
  seed: whole(0),
  against: is(
    `a tree, or one of ${WAYS.map((way) => `"${way}"`).join(", ")}`,
    (x) => typeof x === "object" || WAYS.includes(x as string),
  ),
});

/** The new group and the options with defaults filled in. */
export interface CheckedRepair {
  /** The PEs of the former tree. */
  readonly old: readonly number[];
  readonly cores: readonly number[];
  readonly root: number | undefined;
  readonly operation: Operation;
  readonly moves: number;
  readonly seed: number;
  readonly against: "before" | "search" | "bound" | Tree;
}

/** Fills in defaults. @throws UsageError for an invalid option */
export function checkRepair(
  tree: Tree,
  machine: MachineModel,
  change: TreeChange,
  options: RepairOptions,
): CheckedRepair {
  const old = membersOn(tree, machine).sort((a, b) => a - b);
  checkOptions("repairTree", REPAIR, options);
  const cores = groupAfter(old, machine, change);
  const hasRoot = cores.includes(tree.root);
  const few = cores.length <= ANNEALED ? MOVES : 0;
  const { moves = hasRoot ? few : MOVES_FOR_ROOT, seed = 1 } = options;
  const { root = hasRoot ? tree.root : undefined, operation = "broadcast", against = "before" } = options;
  if (root !== undefined && !cores.includes(root)) {
    throw new UsageError(
      `root: expected a PE of the repaired tree (${brief(cores)}), got ${shortText(root)}. Name another, or leave it out.`,
    );
  }
  if (typeof against === "object") checkRival(against, machine, cores);
  return { old, cores, root, operation, moves, seed, against };
}

/** Checks a tree of the new group. */
function checkRival(tree: Tree, machine: MachineModel, cores: readonly number[]): void {
  const members = new Set(membersOn(tree, machine, "against"));
  const odd = cores.find((pe) => !members.has(pe)) ?? [...members].find((pe) => !cores.includes(pe));
  if (odd === undefined) return;
  throw new UsageError(
    `against: expected a tree of the PEs after the change (${brief(cores)}), got one ${members.has(odd) ? "with" : "without"} PE ${odd}.`,
  );
}

function groupAfter(old: readonly number[], machine: MachineModel, change: TreeChange): number[] {
  checkNames("change", change, ["leave", "join"]);
  const leaving = distinct("leave", change.leave);
  const joining = distinct("join", change.join);
  if (leaving.size + joining.size === 0) {
    throw new UsageError("change: expected PEs that leave or join, such as { leave: 3 }, got none.");
  }
  for (const pe of leaving) {
    if (old.includes(pe)) continue;
    throw new UsageError(
      `leave: expected PEs of the tree (${brief(old)}), got ${shortText(pe)}. Name PEs that are in the tree.`,
    );
  }
  const last = machine.pes.length - 1;
  for (const pe of joining) {
    if (!Number.isInteger(pe) || machine.pes[pe] === undefined) {
      throw new UsageError(
        `join: expected PE numbers from 0 to ${last}, got ${shortText(pe)}. Name PEs of the model ${machine.name}; profile() makes a model with more.`,
      );
    }
    if (old.includes(pe)) {
      throw new UsageError(
        `join: expected PEs that are not in the tree, got ${pe}, which is. Leave it out${leaving.has(pe) ? " of both lists" : ""}.`,
      );
    }
  }
  const cores = [...old.filter((pe) => !leaving.has(pe)), ...joining];
  if (cores.length > 0) return cores;
  throw new UsageError(
    `leave: expected at least one PE to stay, got all of the tree (${brief(old)}). Without PEs there is no tree to repair.`,
  );
}

function distinct(name: keyof TreeChange, pes: number | readonly number[] | undefined): Set<number> {
  const list: readonly number[] = pes === undefined ? [] : Array.isArray(pes) ? pes : [pes as number];
  const twice = list.find((pe, i) => list.slice(0, i).includes(pe));
  if (twice === undefined) return new Set(list);
  throw new UsageError(`${name}: expected different PEs, got ${shortText(twice)} twice. Name each once.`);
}
