/**
 * The trees that a world runs on: forced ones, else the choice of an earlier contest, else of a contest that is run
 * now, else those that the model predicts to be fastest.
 *
 * A contest needs a model of this machine and a core for every PE. `launch` runs one if the model is a profile, not a
 * guess; TUNDISH_CONTEST=off prevents it. The choice is stored (store.ts), so a contest runs once for each set of PEs,
 * or again after a while if the measurements were too noisy. If nothing can be stored, it runs once in each process.
 */

import { existsSync } from "node:fs";
import type { Algorithm, Trees } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { setting } from "../../ground/base/settings.ts";
import { onAbort } from "../../ground/wait/abort.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";
import { knownTrees } from "./known-trees.ts";
import type { Release } from "./lock.ts";
import { choiceFile, keepChoice, lockFile, readChoice } from "./store.ts";

/** The facts about a world on which the choice of trees depends. */
export interface Wanted {
  /** The machine model with one PE per rank. */
  readonly model: MachineModel;
  /** The machine's fingerprint if the model is of this machine; else null. */
  readonly fingerprint: string | null;
  /** The kind of channels that they are for. */
  readonly channel: ChannelKind;
  /** More PEs than cores. */
  readonly oversubscribed: boolean;
  /** Ends a contest that is run now; null if none may run. */
  readonly contest: AbortSignal | null;
  /** The warning to emit if a contest would run now but `contest` is null; null for none. */
  readonly unmeasured: string | null;
  /** The forced algorithm; null if none is forced. */
  readonly tree: Algorithm | null;
}

/** A contest of this process, and the worlds that wait for it. */
interface Held {
  readonly trees: Promise<Trees>;
  /** Ends it when no world waits for it any more. */
  readonly stop: AbortController;
  waiting: number;
}

/** Contests of this process: worlds that start together share one. Unstorable choices are kept, too. */
const held = new Map<string, Held>();

/** Chooses the trees for a world. @throws the reason of the signal if it ended the contest */
export async function chosenTrees(wanted: Wanted): Promise<Trees> {
  const { model, fingerprint, channel, oversubscribed, contest, unmeasured, tree } = wanted;
  // first, so that a value that it cannot have is refused whatever the rest is
  const off = setting("contest") === "off";
  const isFixed = off || tree !== null || oversubscribed || fingerprint === null;
  if (isFixed || model.pes.length < 2) return knownTrees(model, oversubscribed, tree);
  const file = choiceFile(fingerprint, model, channel);
  const known = readChoice(file, model.pes.length);
  if (known !== undefined) return known;
  if (contest === null) {
    if (unmeasured !== null) {
      process.emitWarning(unmeasured, { type: "TundishWarning", code: "TUNDISH_UNMEASURED" });
    }
    return knownTrees(model, oversubscribed, null);
  }
  contest.throwIfAborted();
  const key = file ?? JSON.stringify([channel, model]);
  const one = held.get(key) ?? begin(model, fingerprint, channel, key);
  const trees = await joined(one, key, contest);
  if (file !== null && existsSync(file)) held.delete(key);
  return trees;
}

function begin(model: MachineModel, fingerprint: string, channel: ChannelKind, key: string): Held {
  const stop = new AbortController();
  const one = { trees: hold(model, fingerprint, channel, key, stop.signal), stop, waiting: 0 };
  held.set(key, one);
  return one;
}

/** Waits for the choice of a contest. The last world to give up ends it, and waits until its PEs have exited. */
async function joined(one: Held, key: string, signal: AbortSignal): Promise<Trees> {
  one.waiting++;
  let unwatch = () => {};
  const givenUp = new Promise<undefined>((resolve) => {
    unwatch = onAbort(signal, () => resolve(undefined));
  });
  const trees = await Promise.race([one.trees, givenUp]);
  unwatch();
  one.waiting--;
  if (trees !== undefined) return trees;
  if (one.waiting === 0) {
    if (held.get(key) === one) held.delete(key);
    one.stop.abort(signal.reason);
    await one.trees;
  }
  throw signal.reason;
}

async function hold(
  model: MachineModel,
  fingerprint: string,
  channel: ChannelKind,
  key: string,
  signal: AbortSignal,
): Promise<Trees> {
  const { denoise } = await import("../../../trees/model/denoise.ts");
  const { measuredTrees } = await import("./contest.ts");
  const { holdLock } = await import("./lock.ts");
  let release: Release | null = null;
  try {
    release = await holdLock(lockFile(), { signal });
    // somebody else's contest may have been for the same PEs
    const known = readChoice(choiceFile(fingerprint, model, channel), model.pes.length);
    if (known !== undefined) return known;
    if (release === null) {
      held.delete(key); // the machine may be idle for the next world
      return knownTrees(model, false, null);
    }
    const trees = await measuredTrees(denoise(model), channel, signal);
    keepChoice(fingerprint, model, channel, trees);
    return trees;
  } catch {
    // the run itself will meet any such error and report it
    return knownTrees(model, false, null);
  } finally {
    release?.();
  }
}
