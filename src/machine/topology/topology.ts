/**
 * The topology of this machine from the best available source: libhwloc, then /sys, then systeminformation; or of
 * another machine, through libhwloc only.
 */
import { EnvironmentError, HwlocError, NoHwlocError, sentenceOf } from "../../ground/base/errors.ts";
import { INSTALL_KOFFI, native } from "../../ground/base/native/native.ts";
import { setting } from "../../ground/base/settings.ts";
import type { Topology } from "../model/machine-model.ts";
import { type ForeignMachine, readHwloc } from "./hwloc.ts";
import { readSysfs } from "./sysfs.ts";
import { readSystemInformation } from "./system-information.ts";

const INSTALL_HWLOC = "Install it with: apt-get install libhwloc15";

/**
 * Reads a topology. For this machine a missing source is not an error: `notes` has one sentence for each missing one,
 * with the consequence and advice.
 * @throws NoHwlocError, HwlocError, UsageError for another machine (`from`): see readHwloc()
 */
export async function readTopology(from: ForeignMachine = {}): Promise<Topology> {
  if (from.xml !== undefined || from.synthetic !== undefined) {
    if (setting("libhwloc") === "off") {
      throw new NoHwlocError(
        `Another machine's topology needs libhwloc, and TUNDISH_LIBHWLOC=off. Unset it. ${INSTALL_HWLOC}`,
      );
    }
    return readHwloc(from);
  }
  const notes: string[] = [];
  const found = tryHwloc(notes) ?? trySysfs(notes) ?? (await readSystemInformation());
  return { ...found, notes: [...notes, ...found.notes] };
}

function tryHwloc(notes: string[]): Topology | null {
  const lost = "topologies from XML files and descriptions cannot be read";
  const way = setting("native");
  if (way === "node" || !native()) {
    const isSet = way !== "on";
    const without = native() ? "" : "PEs cannot be pinned to CPUs, and ";
    notes.push(
      `koffi is ${isSet ? "switched off by TUNDISH_NATIVE" : "missing"}: ${without}libhwloc cannot be used. ${isSet ? "Unset it." : INSTALL_KOFFI}`,
    );
    return null;
  }
  if (setting("libhwloc") === "off") {
    notes.push(
      `libhwloc is switched off by TUNDISH_LIBHWLOC: ${lost}. Unset it; where libhwloc is missing: apt-get install libhwloc15`,
    );
    return null;
  }
  try {
    return readHwloc();
  } catch (error) {
    if (error instanceof NoHwlocError) notes.push(`libhwloc 2.x is missing: ${lost}. ${INSTALL_HWLOC}`);
    else if (error instanceof HwlocError) notes.push(sentenceOf(error));
    else throw error;
    return null;
  }
}

function trySysfs(notes: string[]): Topology | null {
  const lost = "caches and NUMA nodes are unknown, and which hardware threads share a core is guessed";
  if (setting("sys") === "off") {
    notes.push(`/sys is switched off by TUNDISH_SYS: ${lost}. Unset it, or install libhwloc.`);
    return null;
  }
  try {
    return readSysfs();
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    notes.push(`${setting("sys")} cannot be read: ${lost}. Set TUNDISH_SYS, or install libhwloc.`);
    return null;
  }
}
