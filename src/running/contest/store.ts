/**
 * Stores the choices of contests between runs: one file for each machine and set of PEs in the user's cache folder. A
 * file that cannot be read or written is treated as missing.
 */

import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkTrees } from "../../../trees/model/check-world-trees.ts";
import type { Trees } from "../../../trees/model/tree.ts";
import type { ChannelKind } from "../../ground/base/channel-kinds.ts";
import { wallClock } from "../../ground/base/event-loop/timers.ts";
import { cacheFolder } from "../../ground/base/files/cache-folder.ts";
import { makeFolder } from "../../ground/base/files/folder.ts";
import { hashDigits } from "../../ground/base/hash.ts";
import { replaceFile } from "../../ground/base/replace-file.ts";
import type { MachineModel } from "../../machine/model/machine-model.ts";

/** Changes with the method of measurement. */
const VERSION = 3;

/**
 * Validity of a choice with unreliable times, ms: a machine that is always busy is not measured at every launch, and
 * one that was busy for a while is measured again.
 */
const UNSTEADY_MS = 10 * 60_000;

/** The file of a model's choice, measured over a kind of channels; null when nothing is to be kept. */
export function choiceFile(fingerprint: string, model: MachineModel, channel: ChannelKind): string | null {
  const folder = cacheFolder();
  if (folder === null) return null;
  const { pes, send, receive, propagate, relay } = model;
  const cpus = pes.map(({ cpu }) => cpu);
  // models without a relay keep their choices
  const costs = [send, receive, propagate, ...(relay === undefined ? [] : [relay])];
  const hash = hashDigits(JSON.stringify([VERSION, channel, cpus, ...costs]));
  return join(folder, `trees-${fingerprint}-${pes.length}-${hash}.json`);
}

/** The lock file of contests (lock.ts); null if nothing is to be stored. */
export function lockFile(): string | null {
  const folder = cacheFolder();
  return folder === null ? null : join(folder, "contest.lock");
}

/** The trees in a file; undefined if the file does not exist, is outdated, or has no trees for `pes` PEs. */
export function readChoice(file: string | null, pes: number): Trees | undefined {
  try {
    if (file === null) return undefined;
    const trees: unknown = JSON.parse(readFileSync(file, "utf8"));
    checkTrees(trees, pes);
    if (trees.contest === undefined) return undefined;
    // a file from the future was written before the clock was set back
    const age = Math.abs(wallClock() - statSync(file).mtimeMs);
    return trees.contest.steady || age < UNSTEADY_MS ? trees : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the choice for a model; one that is not to be believed only where none is that is. */
export function keepChoice(fingerprint: string, model: MachineModel, channel: ChannelKind, trees: Trees): void {
  const file = choiceFile(fingerprint, model, channel);
  if (file === null || trees.contest === undefined) return;
  if (trees.contest.steady || readChoice(file, model.pes.length)?.contest?.steady !== true) {
    writeChoice(file, trees);
  }
}

/** Writes trees to a file atomically: readers see the old file or the whole new one. */
function writeChoice(file: string, trees: Trees): void {
  try {
    makeFolder(dirname(file));
    replaceFile(file, JSON.stringify(trees));
  } catch {
    // a cache that cannot be written only costs another contest in the next process
  }
}
