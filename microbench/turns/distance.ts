/** The distance of the CPUs of a world's PEs, probed by themselves between their batches. */

import type { PE } from "../../src/index.ts";
import { LINE_WORDS, lineRoundTrip } from "../pairs/line.ts";

/** For a job: see {@link probeWords}. */
export interface ProbeWords {
  readonly words: Int32Array | null;
}

/** Words for the probes of a world, shared by its PEs, if it has two or more, and a CPU for each. */
export const probeWords = (pes: number, cpus: number): Int32Array | null =>
  pes < 2 || pes > cpus ? null : new Int32Array(new SharedArrayBuffer(4 * LINE_WORDS));

const WARM_PROBES = 25;

/**
 * A function that all PEs call: it returns the round trip of a cache line between the first two, in ns at the first,
 * NaN at the others. V8 compiles it meanwhile. Null without words. Collective.
 */
export function distanceProbe(pe: PE, words: Int32Array | null): (() => number) | null {
  if (words === null) return null;
  const probe = (): number => (pe.rank < 2 ? lineRoundTrip(words, pe.rank === 0) : Number.NaN);
  for (let i = 0; i < WARM_PROBES; i++) probe();
  return probe;
}
