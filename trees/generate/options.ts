/** The options of `generateTrees`, checked. */

import { UsageError } from "../../src/ground/base/errors.ts";
import {
  checkOptions,
  milliseconds,
  oneOf,
  optionsOf,
  truth,
  unchecked,
  whole,
} from "../../src/ground/base/options.ts";
import { shortText } from "../../src/ground/base/short-text.ts";
import { algorithms } from "../../src/ground/base/tree-algorithms.ts";
import type { MachineModel } from "../../src/machine/model/machine-model.ts";
import type { Algorithm } from "../model/tree.ts";

/** The largest group that `exact` accepts: it takes some seconds. */
const MOST_EXACT = 17;

/** Options of generateTrees. */
export interface TreeOptions {
  /** The group: PE numbers of the model (indexes into `pes`), an array or a typed array. @default all PEs */
  readonly cores?: ArrayLike<number> | undefined;
  /** The root of all trees, a member of the group. @default the best root found */
  readonly root?: number | undefined;
  /** The algorithm that builds the trees; a published one builds one tree for all operations. @default "adaptive" */
  readonly algorithm?: Algorithm | undefined;
  /** Approximate time to search, ms; the result then depends on the machine's speed. @default none: `moves` */
  readonly budget?: number | undefined;
  /** Changes that the search tries for each operation, a whole number >= 0. @default by the size of the group */
  readonly moves?: number | undefined;
  /** Whether outliers are removed from the costs and doubtful detail is reduced first (denoise.ts). @default false */
  readonly denoise?: boolean | undefined;
  /** Seed of random numbers, a whole number >= 0: equal seeds give equal trees. @default 1 */
  readonly seed?: number | undefined;
}

const TREES = optionsOf<TreeOptions>({
  // with the machine: checkGroup
  cores: unchecked,
  root: unchecked,
  algorithm: oneOf(algorithms),
  budget: milliseconds,
  moves: whole(0),
  denoise: truth,
  seed: whole(0),
});

/** The options with defaults filled in. */
export interface CheckedOptions {
  readonly cores: readonly number[];
  readonly root: number | undefined;
  readonly algorithm: Algorithm;
  readonly budget: number | undefined;
  readonly moves: number | undefined;
  readonly denoise: boolean;
  readonly seed: number;
}

/** Fills in defaults; the model has been checked. @throws UsageError that says which option is wrong */
export function checkTreeOptions(machine: MachineModel, options: TreeOptions): CheckedOptions {
  checkOptions("generateTrees", TREES, options);
  const { cores, root } = checkGroup(machine, options);
  const { budget, moves, denoise = false, seed = 1, algorithm = "adaptive" } = options;
  if (algorithm === "exact" && cores.length > MOST_EXACT) {
    throw new UsageError(
      `algorithm: "exact" takes groups of at most ${MOST_EXACT} PEs, got ${cores.length}. Use "adaptive", or name fewer with cores.`,
    );
  }
  return { cores, root, budget, moves, denoise, seed, algorithm };
}

/** A group and its root, with defaults filled in. @throws UsageError that says which is wrong */
function checkGroup(
  machine: MachineModel,
  { cores: wish = machine.pes.map((_, pe) => pe), root }: Pick<TreeOptions, "cores" | "root">,
): { cores: readonly number[]; root: number | undefined } {
  const cores = checkCores(machine, wish);
  if (root !== undefined && !cores.includes(root)) {
    throw new UsageError(
      `root: expected a member of the group (${brief(cores)}), got ${shortText(root)}. Add it to the group or leave it out.`,
    );
  }
  return { cores, root };
}

function checkCores(machine: MachineModel, wish: ArrayLike<number>): readonly number[] {
  const last = machine.pes.length - 1;
  const advice = `Name PEs of the model ${machine.name}, each once.`;
  if (!Array.isArray(wish) && !ArrayBuffer.isView(wish)) {
    throw new UsageError(`cores: expected a list of PE numbers, got ${shortText(wish)}. ${advice}`);
  }
  const cores = Array.from(wish as ArrayLike<number>);
  if (cores.length === 0) throw new UsageError(`cores: expected at least one PE, got none. ${advice}`);
  const seen = new Set<number>();
  for (const core of cores) {
    if (!(Number.isInteger(core) && core >= 0 && core <= last))
      throw new UsageError(`cores: expected PE numbers from 0 to ${last}, got ${shortText(core)}. ${advice}`);
    if (seen.has(core)) throw new UsageError(`cores: expected different PEs, got ${core} twice. ${advice}`);
    seen.add(core);
  }
  return cores;
}

/** A list of PEs for a message. */
export function brief(cores: readonly number[]): string {
  return cores.length <= 12 ? cores.join(", ") : `${cores.slice(0, 10).join(", ")}, … ${cores.at(-1)}`;
}
