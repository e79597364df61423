/**
 * The choices that contests have made, kept from run to run: a file for each machine and set of PEs in the
 * user's cache folder. What cannot be read or written is as if it were not there.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { homedir, platform } from "node:os";
import { dirname, join } from "node:path";
import { checkTrees } from "../../trees/model/check-world-trees.ts";
import type { Trees } from "../../trees/model/types.ts";
import type { ChannelKind } from "../base/channel-kinds.ts";
import { replaceFile } from "../base/replace-file.ts";
import { setting } from "../base/settings.ts";
import type { MachineModel } from "../machine/types.ts";
import { makeFolder } from "./folder.ts";

/** What is measured otherwise has another number here. */
const VERSION = 2;

/**
 * How long a choice holds whose turns differed too much: not every launch on a machine that is always busy is
 * to measure in vain, and one that was busy for a while is to be measured again.
 */
const UNSTEADY_MS = 10 * 60_000;

/** The file of a model's choice, measured over a kind of channels; null when nothing is to be kept. */
export function choiceFile(fingerprint: string, model: MachineModel, channel: ChannelKind): string | null {
  const folder = cacheFolder();
  if (folder === null) return null;
  const { pes, send, receive, propagate } = model;
  const cpus = pes.map(({ cpu }) => cpu);
  const hash = createHash("sha256").update(
    JSON.stringify([VERSION, channel, cpus, send, receive, propagate]),
  );
  return join(folder, `trees-${fingerprint}-${pes.length}-${hash.digest("hex").slice(0, 16)}.json`);
}

/** The file that says that a contest is held (lock.ts); null when nothing is to be kept. */
export function lockFile(): string | null {
  const folder = cacheFolder();
  return folder === null ? null : join(folder, "contest.lock");
}

/** The trees in a file; undefined when it has none for so many PEs, none that hold any more, or there is no file. */
export function readChoice(file: string | null, pes: number): Trees | undefined {
  try {
    if (file === null) return undefined;
    const trees: unknown = JSON.parse(readFileSync(file, "utf8"));
    checkTrees(trees, pes);
    if (trees.contest === undefined) return undefined;
    return trees.contest.steady || Date.now() - statSync(file).mtimeMs < UNSTEADY_MS ? trees : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the choice for a model; one that is not to be believed only where none is that is. */
export function keepChoice(
  fingerprint: string,
  model: MachineModel,
  channel: ChannelKind,
  trees: Trees,
): void {
  const file = choiceFile(fingerprint, model, channel);
  if (file === null || trees.contest === undefined) return;
  if (trees.contest.steady || readChoice(file, model.pes.length)?.contest?.steady !== true) {
    writeChoice(file, trees);
  }
}

/** Keeps trees in a file; readers see the old file or the whole new one. */
function writeChoice(file: string, trees: Trees): void {
  try {
    makeFolder(dirname(file));
    replaceFile(file, JSON.stringify(trees));
  } catch {
    // a cache that cannot be written costs a contest in the next process, and nothing else
  }
}

/** TUNDISH_CACHE, else where this system keeps what can be made again. */
function cacheFolder(): string | null {
  const wanted = setting("cache");
  if (wanted === "off") return null;
  if (wanted !== "") return wanted;
  if (platform() === "win32")
    return join(process.env.LOCALAPPDATA ?? join(homedir(), "AppData/Local"), "tundish");
  if (platform() === "darwin") return join(homedir(), "Library/Caches/tundish");
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "tundish");
}
