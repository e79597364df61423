/** All disciplines under all patterns on one machine, at some block sizes. */
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import { DISCIPLINES } from "../../../../src/route/disciplines/options.ts";
import type { TrafficMachine } from "./machines.ts";
import { PATTERNS } from "./patterns.ts";
import { runTraffic, type TrafficRun } from "./run.ts";

export interface CompareOptions {
  readonly machine: TrafficMachine;
  readonly quick?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Block sizes, bytes. */
const SIZES = [64, 4096, 65_536, 1_048_576];
const QUICK_SIZES = [256, 4096];
const QUICK_BLOCKS = 4;

/** By pattern, then by discipline, then by size. */
export async function compareTraffic(options: CompareOptions): Promise<TrafficRun[]> {
  const { machine, quick = false, seed, onProgress, signal } = options;
  const sizes = (quick ? QUICK_SIZES : SIZES).filter((bytes) => bytes <= machine.largestBlock);
  const runs: TrafficRun[] = [];
  for (const [i, pattern] of PATTERNS.entries()) {
    for (const discipline of DISCIPLINES) {
      onProgress?.({ stage: `${pattern}: ${discipline}`, done: i / PATTERNS.length });
      for (const blockBytes of sizes) {
        const blocks = quick ? QUICK_BLOCKS : undefined;
        runs.push(runTraffic({ machine, discipline, pattern, blockBytes, blocks, seed }));
        await new Promise(setImmediate); // Ctrl-C
        signal?.throwIfAborted();
      }
    }
  }
  return runs;
}
