/**
 * The trees that a world runs on: those that are forced, else the choice of an earlier contest, else of one that is
 * held now, else what the model says.
 *
 * A contest needs a model of this machine and a core for every PE; `launch` holds one where the model is a
 * profile, not a guess of its own; TUNDISH_CONTEST=off does without. Its choice is kept (store.ts), so a contest
 * is held once for each set of PEs, or once in a while where it was too noisy to be believed; where nothing can be
 * kept, once in each process.
 */

import { existsSync } from "node:fs";
import { worldTrees } from "../../trees/generate/world-trees.ts";
import { denoise } from "../../trees/model/denoise.ts";
import type { Algorithm, Trees } from "../../trees/model/types.ts";
import type { ChannelKind } from "../base/channel-kinds.ts";
import { setting } from "../base/settings.ts";
import type { MachineModel } from "../machine/types.ts";
import { holdLock, type Release } from "./lock.ts";
import { choiceFile, keepChoice, lockFile, readChoice } from "./store.ts";

/** What is known of the world that trees are chosen for. */
export interface Wanted {
  /** The machine model with one PE per rank. */
  readonly model: MachineModel;
  /** The machine's fingerprint, when the model is of this machine; null when not. */
  readonly fingerprint: string | null;
  /** The kind of channels that they are for. */
  readonly channel: ChannelKind;
  /** More PEs than cores. */
  readonly oversubscribed: boolean;
  /** What ends a contest that is held now; null when none may be held. */
  readonly contest: AbortSignal | null;
  /** Warned of where a contest would be held now, had `contest` not been null; null where none is expected. */
  readonly unmeasured: string | null;
  /** The algorithm that is forced; null when none is. */
  readonly tree: Algorithm | null;
}

/** A contest of this process, and the worlds that want its choice. */
interface Held {
  readonly trees: Promise<Trees>;
  /** Ends it when nobody wants it any more. */
  readonly stop: AbortController;
  waiting: number;
}

/** Contests of this process: worlds that start together hold one, and those whose choice cannot be kept. */
const held = new Map<string, Held>();

/** The trees for a world. @throws the reason of the signal when that has ended the contest */
export async function chosenTrees(wanted: Wanted): Promise<Trees> {
  const { model, fingerprint, channel, oversubscribed, contest, unmeasured, tree } = wanted;
  // first, so that a value that it cannot have is refused whatever the rest is
  const off = setting("contest") === "off";
  const isFixed = off || tree !== null || oversubscribed || fingerprint === null;
  if (isFixed || model.pes.length < 2) return worldTrees(model, oversubscribed, tree);
  const file = choiceFile(fingerprint, model, channel);
  const known = readChoice(file, model.pes.length);
  if (known !== undefined) return known;
  if (contest === null) {
    if (unmeasured !== null) {
      process.emitWarning(unmeasured, { type: "TundishWarning", code: "TUNDISH_UNMEASURED" });
    }
    return worldTrees(model, oversubscribed, null);
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

/** Waits for the choice of a contest; the last to give up waiting ends it, and waits until its PEs are gone. */
async function joined(one: Held, key: string, signal: AbortSignal): Promise<Trees> {
  one.waiting++;
  const givenUp = new Promise<undefined>((resolve) => {
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const trees = await Promise.race([one.trees, givenUp]);
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
  const { measuredTrees } = await import("./contest.ts");
  let release: Release | null = null;
  try {
    release = await holdLock(lockFile(), { signal });
    // somebody else's contest may have been for the same PEs
    const known = readChoice(choiceFile(fingerprint, model, channel), model.pes.length);
    if (known !== undefined) return known;
    if (release === null) {
      held.delete(key); // the next world may find it free
      return worldTrees(model, false, null);
    }
    const trees = await measuredTrees(denoise(model), channel, signal);
    keepChoice(fingerprint, model, channel, trees);
    return trees;
  } catch {
    // whatever is wrong, the run itself will meet it and say so
    return worldTrees(model, false, null);
  } finally {
    release?.();
  }
}
