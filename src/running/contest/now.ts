/** A contest that a command asks for: held now, whatever was chosen before, and kept for later worlds. */
import type { Trees } from "../../../trees/model/tree.ts";
import { channelOf } from "../../ground/channel/backends.ts";
import { fingerprint } from "../../machine/model/fingerprint.ts";
import type { MachineModel, Topology } from "../../machine/model/machine-model.ts";
import { holdLock } from "./lock.ts";
import { keepChoice, lockFile } from "./store.ts";

/** The purpose of a contest. */
export interface ContestNow {
  readonly topology: Topology;
  /** The model as launch finds it: it names the choice. */
  readonly found: MachineModel;
  /** The same, or without its noise: the trees are derived from it. */
  readonly machine: MachineModel;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The trees that are the fastest on this machine; null if another contest is running on it.
 * @throws what `measuredTrees` throws, and the reason of the signal
 */
export async function contestNow({ topology, found, machine, signal }: ContestNow): Promise<Trees | null> {
  const { measuredTrees } = await import("./contest.ts");
  const release = await holdLock(lockFile(), { signal });
  if (release === null) return null;
  try {
    const channel = channelOf(undefined);
    const trees = await measuredTrees(machine, channel, signal);
    keepChoice(fingerprint(topology), found, channel, trees);
    return trees;
  } finally {
    release();
  }
}
