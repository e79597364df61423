/**
 * The topology from systeminformation, on any platform: only the numbers of hardware threads, cores and sockets.
 *
 * Limits: caches and NUMA nodes stay unknown. The hardware threads of a core are guessed from the platform's
 * convention: Linux numbers the first threads of all cores, then the second ones (CPU 0 and CPU n/2); Windows and macOS
 * number them consecutively (CPU 0 and 1).
 */
import { cpus as osCpus } from "node:os";
import { requireHere } from "../../ground/base/package-file.ts";
import type { Topology } from "../model/machine-model.ts";
import { toTopology } from "./shape.ts";

/** Reads this machine's totals; takes some ten milliseconds. */
export async function readSystemInformation(): Promise<Topology> {
  const count = Math.max(1, osCpus().length);
  const information = systemInformation();
  const { physicalCores, processors } = (await information?.cpu()) ?? { physicalCores: count, processors: 0 };
  const cpus = Array.from({ length: count }, (_, cpu) => cpu);
  return toTopology({
    source: "systeminformation",
    brand: null,
    isThisMachine: true,
    cpus,
    allowed: null,
    cores: guessCores(cpus, physicalCores),
    packages: processors === 1 ? [{ id: 0, cpus }] : [],
    caches: [],
    numaNodes: [],
    notes: information === null ? [mayAsk() ? MISSING : REFUSED] : [],
  });
}

/**
 * The package, loaded at run time: bundles would become twice as large by it. Null where it is not installed, as beside
 * a bundle, and where it may not start the programs that it asks.
 */
export function systemInformation(): typeof import("systeminformation") | null {
  if (!mayAsk()) return null;
  try {
    return requireHere(import.meta.url)("systeminformation") as typeof import("systeminformation");
  } catch {
    return null;
  }
}

/**
 * False under Node's permission model: what systeminformation throws then is not in its promise, and would end the
 * process.
 */
const mayAsk = (): boolean => (process.permission as NodeJS.ProcessPermission | undefined)?.has("child") ?? true;

const REFUSED =
  "systeminformation may not start programs, so each hardware thread counts as a core. Allow to read /sys and /proc: " +
  "--allow-fs-read=/sys --allow-fs-read=/proc";
const MISSING =
  "systeminformation is missing, so each hardware thread counts as a core. A bundle does not contain it; install it beside the " +
  "bundle: npm install systeminformation";

/** The hardware threads of each core; each CPU counts as a core if the totals do not divide evenly. */
export function guessCores(
  cpus: readonly number[],
  cores: number,
  sideBySide: boolean = process.platform !== "linux",
): number[][] {
  const threads = cpus.length / cores;
  if (!Number.isInteger(threads)) return cpus.map((cpu) => [cpu]);
  return Array.from({ length: cores }, (_, core) =>
    cpus.filter((_, i) => (sideBySide ? Math.floor(i / threads) : i % cores) === core),
  );
}
