/** The option `adapt` beside fixed sizes, in the simulator: times, and how long a message waits in buffers. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Progress } from "../../../../microbench/pairs/profiled.ts";
import type { BufferSent } from "../../../../src/facilities/conveyor/engine/observe.ts";
import { findSpmd, type Spmd } from "../../../../src/pe/spmd.ts";
import { simulateAsync } from "../../../../src/running/virtual/simulate-async.ts";
import { type AdaptCase, type AdaptChoice, adaptCases, appFile, SIZES, wordsOf } from "./cases.ts";

/** One run. */
export interface SimulatedChoice {
  readonly seconds: number;
  /** Time that a message waits in buffers, over all hops, taken as half of the age of its buffers, s. */
  readonly delay: number;
}

/** The comparison for one case. */
export interface SimulatedAdapting extends AdaptCase {
  readonly sizes: readonly (SimulatedChoice & { readonly bytes: number })[];
  readonly best: number;
  readonly adapted: SimulatedChoice;
  /** Time with `adapt` by that with the best size; and its delay by that of this size. */
  readonly ratio: number;
  readonly delayRatio: number;
}

export interface SimulatedAdaptOptions {
  readonly quick?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** PEs and nodes. */
const MACHINES = [
  [8, 2],
  [16, 4],
  [16, 16],
] as const;
const PUSHES = 3000;
const SENT = "tundish:conveyor:sent";

/** Runs one case after another. */
export async function simulateAdapting(options: SimulatedAdaptOptions): Promise<SimulatedAdapting[]> {
  const { quick = false, onProgress, signal } = options;
  const machines = quick ? MACHINES.slice(0, 1) : MACHINES;
  const pushes = quick ? PUSHES / 10 : PUSHES;
  const cases = machines.flatMap(([pes, nodes]) => adaptCases(pes, nodes, () => pushes, quick ? [0, 1000] : undefined));
  const results: SimulatedAdapting[] = [];
  for (const [i, one] of cases.entries()) {
    onProgress?.({ stage: `case ${i + 1} of ${cases.length}`, done: i / cases.length });
    const sizes: (SimulatedChoice & { bytes: number })[] = [];
    for (const bytes of SIZES) sizes.push({ bytes, ...(await run(one, bytes)) });
    const adapted = await run(one, "adapt");
    const best = sizes.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    results.push({
      ...one,
      sizes,
      best: best.bytes,
      adapted,
      ratio: adapted.seconds / best.seconds,
      delayRatio: adapted.delay / best.delay,
    });
    await new Promise(setImmediate); // Ctrl-C
    signal?.throwIfAborted();
  }
  return results;
}

async function run({ app, pes, nodes, words }: AdaptCase, choice: AdaptChoice): Promise<SimulatedChoice> {
  const program = findSpmd(await import(appFile(app).href)) as Spmd;
  let waited = 0;
  let pushed = 0;
  const seen = (event: unknown) => {
    const { hop, items, opened, sent } = event as BufferSent;
    waited += (items * (sent - opened)) / 2;
    if (hop === 0) pushed += items;
  };
  subscribe(SENT, seen);
  try {
    const args = [...words, ...wordsOf(choice)];
    const { results } = await simulateAsync({ pes, nodes, memoryBytes: pes * 2 ** 25, args }, program);
    const { seconds } = results[0] as { readonly seconds: number };
    return { seconds, delay: pushed === 0 ? 0 : waited / pushed / 1000 };
  } finally {
    unsubscribe(SENT, seen);
  }
}
