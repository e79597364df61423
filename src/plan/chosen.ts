/**
 * The trees that a world runs on: the choice of an earlier contest, else of one that is held now, else what
 * the model says.
 *
 * A contest needs a model that was measured on this machine, and a core for every PE; TUNDISH_CONTEST=off
 * does without. What it chose is kept (store.ts), so it is held once for each set of PEs.
 */
import { existsSync } from "node:fs";
import { denoise } from "../../trees/denoise.ts";
import type { Trees } from "../../trees/types.ts";
import type { MachineModel } from "../machine/types.ts";
import { setting } from "../settings.ts";
import { planFor } from "../world/plan.ts";
import { choiceFile, keepChoice, readChoice } from "./store.ts";

/** What is known of the world that trees are chosen for. */
export interface Wanted {
  /** The machine model with one PE per rank. */
  readonly model: MachineModel;
  /** The machine's fingerprint, when the model was measured on it; null when not. */
  readonly fingerprint: string | null;
  /** More PEs than cores. */
  readonly crowded: boolean;
  /** Whether a contest may be held now. */
  readonly contest: boolean;
}

/** Contests of this process: worlds that start together hold one, and those whose choice cannot be kept. */
const held = new Map<string, Promise<Trees>>();

/** The trees for a world. */
export async function chosenTrees({ model, fingerprint, crowded, contest }: Wanted): Promise<Trees> {
  if (crowded || fingerprint === null || model.pes.length < 2 || setting("contest") === "off") {
    return planFor(model, crowded);
  }
  const file = choiceFile(fingerprint, model);
  const known = file === null ? undefined : readChoice(file, model.pes.length);
  if (known !== undefined) return known;
  if (!contest) return planFor(model, crowded);
  const key = file ?? JSON.stringify(model);
  const contested = held.get(key) ?? hold(model, fingerprint);
  held.set(key, contested);
  const trees = await contested;
  if (file !== null && existsSync(file)) held.delete(key);
  return trees;
}

async function hold(model: MachineModel, fingerprint: string): Promise<Trees> {
  const { measuredTrees } = await import("./contest.ts");
  try {
    const trees = await measuredTrees(denoise(model));
    keepChoice(fingerprint, model, trees);
    return trees;
  } catch {
    // whatever is wrong, the run itself will meet it and say so
    return planFor(model, false);
  }
}
