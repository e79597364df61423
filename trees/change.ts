/** What `repairTree` is asked for, checked. */
import { UsageError } from "../src/errors.ts";
import type { MachineModel } from "../src/machine/types.ts";
import { checkNames } from "../src/options.ts";
import { inWords } from "../src/wait/account.ts";
import { brief, checkWhole } from "./options.ts";
import { onMachine } from "./shape.ts";
import type { Operation, Tree } from "./types.ts";

/** PEs that leave a tree, join it, or both: PE numbers of the model. */
export interface TreeChange {
  readonly leave?: number | readonly number[] | undefined;
  readonly join?: number | readonly number[] | undefined;
}

/** How a tree is mended. */
export interface RepairOptions {
  /** What the tree is used for. @default "broadcast" */
  readonly operation?: Operation | undefined;
  /** The root of the mended tree, a member of the new group. @default the old one; the best when it leaves */
  readonly root?: number | undefined;
  /** Changes that are tried after mending, a whole number >= 0. @default 5000; 20000 when the root leaves */
  readonly moves?: number | undefined;
  /** Seed of random numbers, a whole number >= 0: the same one, the same tree. @default 1 */
  readonly seed?: number | undefined;
  /** What the loss is measured against: a lower bound, or a full search, which takes its time. @default "bound" */
  readonly against?: "bound" | "search" | undefined;
}

/** About 5 ms for 64 PEs. */
const MOVES = 5000;
/** A tree is hit hardest when its root leaves. */
const MOVES_FOR_ROOT = 20_000;
const OPTIONS: readonly (keyof RepairOptions)[] = ["operation", "root", "moves", "seed", "against"];
const CHANGES: readonly (keyof TreeChange)[] = ["leave", "join"];

/** The new group and the options with defaults filled in. */
export interface CheckedRepair {
  readonly cores: readonly number[];
  readonly root: number | undefined;
  readonly operation: Operation;
  readonly moves: number;
  readonly seed: number;
  readonly against: "bound" | "search";
}

/** Fills in defaults. @throws UsageError that says what is wrong */
export function checkRepair(
  tree: Tree,
  machine: MachineModel,
  change: TreeChange,
  options: RepairOptions,
): CheckedRepair {
  const { cores: old } = onMachine(tree, machine).problem;
  checkNames(options, OPTIONS);
  const cores = groupAfter(old, machine, change);
  const hasRoot = cores.includes(tree.root);
  const { moves = hasRoot ? MOVES : MOVES_FOR_ROOT, seed = 1 } = options;
  const { root = hasRoot ? tree.root : undefined, operation = "broadcast", against = "bound" } = options;
  if (root !== undefined && !cores.includes(root)) {
    throw new UsageError(
      `root: expected a PE of the mended tree (${brief(cores)}), got ${inWords(root)}. Name another, or leave it out.`,
    );
  }
  checkWhole({ moves, seed });
  checkWord("operation", operation, ["broadcast", "reduce"]);
  checkWord("against", against, ["bound", "search"]);
  return { cores, root, operation, moves, seed, against };
}

function groupAfter(old: readonly number[], machine: MachineModel, change: TreeChange): number[] {
  checkNames(change, CHANGES, "change");
  const leaving = distinct("leave", change.leave);
  const joining = distinct("join", change.join);
  if (leaving.size + joining.size === 0) {
    throw new UsageError("change: expected PEs that leave or join, such as { leave: 3 }, got none.");
  }
  for (const pe of leaving) {
    if (old.includes(pe)) continue;
    throw new UsageError(
      `leave: expected PEs of the tree (${brief(old)}), got ${inWords(pe)}. Name PEs that are in the tree.`,
    );
  }
  const last = machine.pes.length - 1;
  for (const pe of joining) {
    if (!Number.isInteger(pe) || machine.pes[pe] === undefined) {
      throw new UsageError(
        `join: expected PE numbers from 0 to ${last}, got ${inWords(pe)}. Name PEs of the model ${machine.name}; profile() makes a model with more.`,
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
    `leave: expected that somebody stays, got all of the tree (${brief(old)}). Without PEs there is no tree to mend.`,
  );
}

function distinct(name: keyof TreeChange, pes: number | readonly number[] | undefined): Set<number> {
  const list: readonly number[] = pes === undefined ? [] : Array.isArray(pes) ? pes : [pes as number];
  const twice = list.find((pe, i) => list.slice(0, i).includes(pe));
  if (twice === undefined) return new Set(list);
  throw new UsageError(`${name}: expected different PEs, got ${inWords(twice)} twice. Name each once.`);
}

function checkWord(name: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new UsageError(`${name}: expected one of ${known.join(", ")}, got ${inWords(value)}.`);
}
