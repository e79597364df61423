/** Checks folders and files of the system that a run can do without, and says what is lost without them. */
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { cacheFolder } from "../../../ground/base/files/cache-folder.ts";
import { nodeCrypto } from "../../../ground/base/node-crypto.ts";
import { setting } from "../../../ground/base/settings.ts";
import { whyNoThreads } from "../../../ground/base/thread/spawn.ts";
import type { DoctorFinding } from "./finding.ts";

/** More than a file may have without a block of the disk. */
const PROBE_BYTES = 16_384;

/** The working directory, needed to start threads; a finding for each other folder that is missing, and the cache. */
export function folderFindings(): DoctorFinding[] {
  const linux = process.platform === "linux";
  return [
    ...workingDirectory(),
    cache(),
    ...temporaryFolder(),
    ...(linux ? [...processFiles(), ...sharedFiles()] : []),
  ];
}

function workingDirectory(): DoctorFinding[] {
  const text = whyNoThreads();
  return text === null ? [] : [{ name: "working directory", state: "missing", text, needed: true }];
}

function cache(): DoctorFinding {
  const lost = "each process measures its trees again.";
  const note = (text: string, advice: string): DoctorFinding => ({
    name: "cache",
    state: "note",
    needed: false,
    advice,
    text: `${text}: ${lost}`,
  });
  if (setting("cache") === "off") return note("switched off by TUNDISH_CACHE", "Unset TUNDISH_CACHE.");
  const folder = cacheFolder();
  const advice = "Set TUNDISH_CACHE to a folder that can be written to.";
  if (folder === null) return note("no folder for it, as this user has no home", advice);
  const why = whyNotWritable(nearest(folder));
  if (why !== null) return note(`nothing can be kept in ${folder} (${why})`, advice);
  return { name: "cache", state: "ok", text: folder, needed: false };
}

function temporaryFolder(): DoctorFinding[] {
  const why = whyNotWritable(tmpdir());
  if (why === null) return [];
  const text = `nothing can be written to ${tmpdir()} (${why}): tundish bench cannot compile its programs in C.`;
  const advice = "Set TMPDIR to a folder that can be written to.";
  return [{ name: "temporary folder", state: "note", text, advice, needed: false }];
}

function processFiles(): DoctorFinding[] {
  try {
    readFileSync("/proc/self/status");
    return [];
  } catch {
    const text =
      "/proc cannot be read: limits of CPU time by control groups are not seen, and nodes of one machine send by MPI.";
    return [{ name: "/proc", state: "note", text, needed: false }];
  }
}

function sharedFiles(): DoctorFinding[] {
  const why = whyNotWritable("/dev/shm");
  if (why === null) return [];
  const text = `nothing can be written there (${why}): MPI libraries may not start several processes of one machine.`;
  return [{ name: "/dev/shm", state: "note", text, needed: false }];
}

/** A folder, or what is there of those above it, in which it would be made. */
function nearest(folder: string): string {
  let there = folder;
  while (!exists(there) && dirname(there) !== there) there = dirname(there);
  return there;
}

/** Why a folder cannot be written to; null if it can. Nothing of this try stays. */
function whyNotWritable(folder: string): string | null {
  const file = join(folder, `.tundish-${nodeCrypto().randomUUID()}`);
  try {
    writeFileSync(file, new Uint8Array(PROBE_BYTES), { flag: "wx" });
    rmSync(file);
    return null;
  } catch (error) {
    try {
      rmSync(file, { force: true });
    } catch {
      // the folder is a file, for example
    }
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}
