/**
 * The trees that a world runs on: those that are forced, else the choice of an earlier contest, else of one that is
 * held now, else what the model says.
 *
 * A contest needs a model of this machine and a core for every PE; `launch` holds one where the model is a
 * profile, not a guess of its own; TUNDISH_CONTEST=off does without. A choice that is to be believed is kept
 * (store.ts), so a contest is held once for each set of PEs; another one holds for this process.
 */
import { existsSync } from "node:fs";
import { denoise } from "../../trees/denoise.ts";
import type { Algorithm, Trees } from "../../trees/types.ts";
import type { MachineModel } from "../machine/types.ts";
import { setting } from "../settings.ts";
import { planFor } from "../world/plan.ts";
import { holdLock } from "./lock.ts";
import { choiceFile, keepChoice, lockFile, readChoice } from "./store.ts";

/** What is known of the world that trees are chosen for. */
export interface Wanted {
  /** The machine model with one PE per rank. */
  readonly model: MachineModel;
  /** The machine's fingerprint, when the model is of this machine; null when not. */
  readonly fingerprint: string | null;
  /** More PEs than cores. */
  readonly crowded: boolean;
  /** Whether a contest may be held now. */
  readonly contest: boolean;
  /** The algorithm that is forced; null when none is. */
  readonly tree: Algorithm | null;
}

/** Contests of this process: worlds that start together hold one, and those whose choice cannot be kept. */
const held = new Map<string, Promise<Trees>>();

/** The trees for a world. */
export async function chosenTrees({ model, fingerprint, crowded, contest, tree }: Wanted): Promise<Trees> {
  // first, so that a value that it cannot have is refused whatever the rest is
  const off = setting("contest") === "off";
  const isFixed = off || tree !== null || crowded || fingerprint === null;
  if (isFixed || model.pes.length < 2) return planFor(model, crowded, tree);
  const file = choiceFile(fingerprint, model);
  const known = readChoice(file, model.pes.length);
  if (known !== undefined) return known;
  if (!contest) return planFor(model, crowded, null);
  const key = file ?? JSON.stringify(model);
  const contested = held.get(key) ?? hold(model, fingerprint, key);
  held.set(key, contested);
  const trees = await contested;
  if (file !== null && existsSync(file)) held.delete(key);
  return trees;
}

async function hold(model: MachineModel, fingerprint: string, key: string): Promise<Trees> {
  const { measuredTrees } = await import("./contest.ts");
  const release = await holdLock(lockFile());
  try {
    // somebody else's contest may have been for the same PEs
    const known = readChoice(choiceFile(fingerprint, model), model.pes.length);
    if (known !== undefined) return known;
    if (release === null) {
      held.delete(key); // the next world may find it free
      return planFor(model, false, null);
    }
    const trees = await measuredTrees(denoise(model));
    keepChoice(fingerprint, model, trees);
    return trees;
  } catch {
    // whatever is wrong, the run itself will meet it and say so
    return planFor(model, false, null);
  } finally {
    release?.();
  }
}
